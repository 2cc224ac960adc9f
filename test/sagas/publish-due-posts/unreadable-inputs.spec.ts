import { SCHEDULE } from '../../../src/projections/publish-schedule/publish-schedule.tables.js';
import { OPERATOR_KEY } from '../../e2e/management-client.js';
import { until } from '../../e2e/until.js';
import { damagePublication } from '../../support/damaged-publication.js';
import { MovableClock, PublishingHarness } from './publishing-harness.js';
import type { PublicationView, TestChannel } from './test-channel.js';

const clock = new MovableClock();
let harness: PublishingHarness;
beforeAll(async () => {
  harness = await PublishingHarness.start();
  await harness.startWorker({ clock });
});
afterAll(() => harness.stop());

const query = (text: string, values: readonly unknown[]) => harness.infrastructure.pool.query(text, [...values]);

/** Publishes a post while the channel is paused, breaks the inputs of its attempts, and resumes the channel. */
const publishBroken = async (
  channel: TestChannel,
  payload: object,
  breakInput: (publication: PublicationView) => Promise<unknown>,
): Promise<string> => {
  await harness.manage.post(`/channels/${channel.channelId}/pause`, { minutes: 1_440 });
  const id = await channel.publish(payload);
  await breakInput(await channel.waitUntil(id, 'waits', ({ waiting_for }) => waiting_for?.rule === 'channel_pause'));
  await harness.manage.post(`/channels/${channel.channelId}/resume`, {});
  return id;
};

/**
 * Advances the worker's clock until a publication is over, but not while its channel is due: otherwise the clock would
 * overtake the attempts on a busy machine, and the time for them would end before the fifth.
 */
const waitUntilOver = (channel: TestChannel, id: string): Promise<PublicationView> =>
  until(`${id} is over`, async () => {
    const text = `select from ${SCHEDULE}.channel where channel_id = $1 and next_due <= $2`;
    const { rowCount } = await query(text, [channel.channelId, clock.now()]);
    if (rowCount === 0) clock.forward(60_000);
    await harness.wakeWorkers();
    const found = await channel.readPublication(id);
    return found.state !== 'queued' && found.state !== 'publishing' && found;
  });

const streamOf = async (publication: string): Promise<string> => {
  const text = 'select post_stream from publish_schedule.publication where publication_id = $1';
  return (await query(text, [publication])).rows[0].post_stream;
};

describe('what an attempt reads before it starts and cannot use', () => {
  it('a credential that cannot be decrypted: the channel needs attention until it is set once more (D-26)', async () => {
    const channel = await harness.createChannel('telegram');
    const events = await harness.readEvents(`channel-${channel.channelId}`);
    const { credentialsId } = events[0]!.data as { credentialsId: string };
    const id = await publishBroken(channel, { text: 'first' }, () =>
      query(`update ops_secret set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1) where secret_id = $1`, [
        credentialsId,
      ]),
    );
    const held = await channel.waitUntil(
      id,
      'waits for a person',
      ({ waiting_for, attempts: [attempt] }) => waiting_for?.rule === 'needs_attention' && Boolean(attempt?.outcome),
    );
    expect(held.attempts).toMatchObject([{ outcome: 'postponed', error: { code: 'credentials_unreadable' } }]);
    await until('the channel names the reason', async () => {
      type Answer = { readonly attention: { readonly code: string } | null };
      const { attention } = await harness.manage.get<Answer>(`/channels/${channel.channelId}`);
      return attention?.code === 'credentials_unreadable';
    });
    await channel.replaceCredentials();
    await channel.waitForState(await channel.publish({ text: 'second' }), 'published');
    expect(await channel.readTexts()).toEqual(['first', 'second']);
  });

  it.each([
    ['a payload whose parts are gone', `delete from event_store.event where stream = $1`, 'payload'],
    ['an accepted post whose text is broken', `update event_store.event set data = '{' where stream = $1`, 'post'],
    ['an accepted post that is gone', `delete from event_store.event where stream = $1`, 'post'],
  ])('%s: the post fails after five attempts with a reason, and the next one goes', async (_, sql, of) => {
    const channel = await harness.createChannel('max');
    const payload = of === 'payload' ? { text: 'first', metadata: { filler: 'x'.repeat(100_000) } } : { text: 'first' };
    const id = await publishBroken(channel, payload, async ({ id: publication }) => {
      const accepted = await streamOf(publication);
      const { data } = (await harness.readEvents(accepted)).at(-1)! as unknown as { data: { postId: string } };
      // The newest event of the log is never removed: it names the end of the log (ADR-96).
      await harness.manage.patch(`/channels/${channel.channelId}`, { name: 'Renamed' });
      await query(sql, [of === 'post' ? accepted : `payload-${data.postId}`]);
    });
    const { state, attempts } = await waitUntilOver(channel, id);
    expect(state).toBe('failed');
    expect(attempts.map(({ outcome }) => outcome)).toEqual([...Array<string>(4).fill('postponed'), 'failed']);
    expect(attempts[0]!.error).toMatchObject({ category: 'internal', source: 'gateway' });
    await channel.waitForState(await channel.publish({ text: 'second' }), 'published');
    expect(await channel.readTexts()).toEqual(['second']);
  });
});

it('a publication whose own events are damaged is in doubt with a reason, and the next one goes (D-25)', async () => {
  const channel = await harness.createChannel('max');
  const request = async (publicationId: string, action: string) => {
    const url = `${harness.url}/manage/v1/publications/${publicationId}/${action}`;
    const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${OPERATOR_KEY}` } });
    return [answer.status, await answer.text()];
  };
  const refused = [409, expect.stringContaining('is damaged')];
  const id = await publishBroken(channel, { text: 'first' }, async ({ id: publicationId }) => {
    await damagePublication(harness.infrastructure, publicationId, clock.now());
    expect(await request(publicationId, 'cancel')).toEqual(refused);
  });
  const { state, attempts } = await waitUntilOver(channel, id);
  expect([state, attempts]).toMatchObject([
    'in_doubt',
    [{ outcome: 'in_doubt', error: { code: 'history_unreadable' } }],
  ]);
  for (const action of ['resend', 'dismiss']) expect(await request(id, action)).toEqual(refused);
  await channel.waitForState(await channel.publish({ text: 'second' }), 'published');
  expect(await channel.readTexts()).toEqual(['second']);
});

it('a queued publication whose own events are damaged is shown, and does not stop the deletion of its channel', async () => {
  const channel = await harness.createChannel('max');
  await harness.manage.post(`/channels/${channel.channelId}/pause`, { minutes: 1_440 });
  const [damaged, id] = [await channel.publish({ text: 'first' }), await channel.publish({ text: 'second' })];
  await damagePublication(harness.infrastructure, damaged, clock.now());
  for (const each of [damaged, id]) expect((await channel.readPublication(each)).state).toBe('queued');
  const answer = await fetch(`${harness.url}/manage/v1/channels/${channel.channelId}?cascade=true`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  expect(answer.status).toBe(204);
  await until('the other one is dismissed', async () => {
    const { rows } = await query('select state from posts.publication where publication_id = $1', [id]);
    return rows[0]?.['state'] === 'dismissed';
  });
});
