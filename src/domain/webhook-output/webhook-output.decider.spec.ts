import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { webhookOutput } from './webhook-output.decider.js';
import type { OutputDisabledBy, WebhookOutputEvent } from './webhook-output.events.js';

const outputId = 'whk_1';
const url = 'https://shop.example/hook';
const created: WebhookOutputEvent = {
  type: 'WebhookOutputCreated',
  data: {
    outputId,
    ownerId: 'own_1',
    projectId: 'prj_1',
    url,
    kinds: ['post.published', 'post.completed'],
    signingSecretId: 'sec_1',
  },
};
const changed = (change: object): WebhookOutputEvent => ({
  type: 'WebhookOutputChanged',
  data: { outputId, ...change },
});
const disabled = (by: OutputDisabledBy): WebhookOutputEvent => ({
  type: 'WebhookOutputDisabled',
  data: { outputId, by, reason: `because of ${by}` },
});
const enabled: WebhookOutputEvent = { type: 'WebhookOutputEnabled', data: { outputId } };
const deleted: WebhookOutputEvent = { type: 'WebhookOutputDeleted', data: { outputId } };
const rotated = (signingSecretId: string, previousSecretId: string): WebhookOutputEvent => ({
  type: 'WebhookOutputSecretRotated',
  data: { outputId, signingSecretId, previousSecretId, previousUntil: 1_000 },
});
const disable = (by: OutputDisabledBy) =>
  ({ type: 'DisableOutput', outputId, by, reason: `because of ${by}` }) as const;

describe('a webhook output', () => {
  it('is created with a URL, kinds and the id of its secret (D-29)', () =>
    spec(webhookOutput)
      .given([])
      .when({ type: 'CreateOutput', ...created.data } as never)
      .then([created]));

  it('cannot be created twice, not even after its deletion', () => {
    const create = { type: 'CreateOutput', ...created.data } as never;
    spec(webhookOutput).given([created]).when(create).thenRejected('already_exists');
    spec(webhookOutput).given([created, deleted]).when(create).thenRejected('already_exists');
  });

  const commands = [
    { type: 'ChangeOutput', outputId, url: 'https://other.example/' },
    { type: 'RotateOutputSecret', outputId, signingSecretId: 'sec_2', previousUntil: 1_000 },
    disable('owner'),
    { type: 'EnableOutput', outputId },
    { type: 'DeleteOutput', outputId },
  ] as const;
  it.each(commands)('rejects $type if it does not exist or was deleted', (command) => {
    spec(webhookOutput).given([]).when(command).thenRejected('not_found');
    spec(webhookOutput)
      .given([created, disabled('owner'), deleted])
      .when(command)
      .thenRejected('not_found');
  });

  it('does not exist without its first event', () =>
    [changed({ url }), rotated('sec_2', 'sec_1'), disabled('owner'), enabled, deleted].forEach((event) =>
      expect(fold(webhookOutput, [event])).toBeNull(),
    ));

  it('belongs to the owner that created it, also after its deletion', () => {
    expect(webhookOutput.ownerOf!(null, outputId)).toBeNull();
    expect(webhookOutput.ownerOf!(fold(webhookOutput, [created]), outputId)).toBe('own_1');
    expect(webhookOutput.ownerOf!(fold(webhookOutput, [created, deleted]), outputId)).toBe('own_1');
  });

  it('is deleted by one event', () =>
    spec(webhookOutput).given([created]).when({ type: 'DeleteOutput', outputId }).then([deleted]));
});

describe('changing a webhook output', () => {
  it.each<[string, object, object | null]>([
    ['a new URL alone', { url: 'https://b.example/' }, { url: 'https://b.example/' }],
    ['new kinds alone', { kinds: ['test.ping'] }, { kinds: ['test.ping'] }],
    ['fewer kinds', { kinds: ['post.published'] }, { kinds: ['post.published'] }],
    ['both', { url: 'https://b.example/', kinds: ['test.ping'] }, { url: 'https://b.example/', kinds: ['test.ping'] }],
    ['what differs among the fields sent', { url, kinds: ['test.ping'] }, { kinds: ['test.ping'] }],
    ['nothing if all is the same', { url, kinds: ['post.published', 'post.completed'] }, null],
    ['nothing if nothing was sent', { url: undefined, kinds: undefined }, null],
  ])('appends %s', (_, sent, change) =>
    spec(webhookOutput)
      .given([created])
      .when({ type: 'ChangeOutput', outputId, ...sent })
      .then(change ? [changed(change)] : []),
  );

  it('compares with the current values, not with the first ones', () => {
    const moved = [created, changed({ url: 'https://b.example/' }), changed({ kinds: ['test.ping'] })];
    spec(webhookOutput)
      .given(moved)
      .when({ type: 'ChangeOutput', outputId, url: 'https://b.example/', kinds: ['test.ping'] })
      .then([]);
    spec(webhookOutput)
      .given(moved)
      .when({ type: 'ChangeOutput', outputId, url })
      .then([changed({ url })]);
  });

  it('replaces the secret and names the one before (D-40)', () =>
    spec(webhookOutput)
      .given([created, rotated('sec_2', 'sec_1')])
      .when({ type: 'RotateOutputSecret', outputId, signingSecretId: 'sec_3', previousUntil: 1_000 })
      .then([rotated('sec_3', 'sec_2')]));
});

describe('disabling a webhook output', () => {
  const causes = ['owner', 'gone', 'failures', 'secret', 'plan'] as const;
  it.each(causes)('by %s is an event with its reason', (by) =>
    spec(webhookOutput)
      .given([created])
      .when(disable(by))
      .then([disabled(by)]),
  );

  // Each cause, with the later causes that may replace it.
  it.each<[OutputDisabledBy, readonly OutputDisabledBy[]]>([
    ['owner', ['plan']],
    ['gone', ['owner', 'plan']],
    ['failures', ['owner', 'plan']],
    ['secret', ['owner', 'plan']],
    ['plan', []],
  ])('keeps %s as the cause, unless the later one counts more', (earlier, replacing) => {
    for (const by of causes)
      spec(webhookOutput)
        .given([created, disabled(earlier)])
        .when(disable(by))
        .then(replacing.includes(by) ? [disabled(by)] : []);
  });

  it('ends when someone enables it, once', () => {
    const enable = { type: 'EnableOutput', outputId } as const;
    spec(webhookOutput).given([created]).when(enable).then([]);
    spec(webhookOutput)
      .given([created, disabled('gone')])
      .when(enable)
      .then([enabled]);
    spec(webhookOutput)
      .given([created, disabled('gone'), enabled])
      .when(enable)
      .then([]);
    spec(webhookOutput)
      .given([created, disabled('plan'), enabled])
      .when(disable('gone'))
      .then([disabled('gone')]);
  });
});
