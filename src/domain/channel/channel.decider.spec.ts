import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { channel } from './channel.decider.js';
import type { ChannelEvent } from './channel.events.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14, 12);
const channelId = 'tgt_1';
const attention = {
  code: 'token_revoked',
  message: 'The network refuses the credential.',
  platform_says: 'Unauthorized',
  remedies: ['replace_credentials'],
} as const;

const connected: ChannelEvent = {
  type: 'ChannelConnected',
  data: {
    channelId,
    ownerId: 'own_1',
    platform: 'ok',
    name: 'News',
    address: { group_id: '7' },
    credentialsId: 'sec_1',
    settings: { buttons: 'link' },
  },
};
const flagged: ChannelEvent = {
  type: 'ChannelNeedsAttention',
  data: { channelId, attention, until: T + 24 * HOUR },
};
const replaced: ChannelEvent = {
  type: 'ChannelCredentialsReplaced',
  data: { channelId, credentialsId: 'sec_2', address: { group_id: '8' } },
};
const flag = (at: number, credentialsId = 'sec_1', acceptedAt = at) =>
  ({ type: 'FlagChannel', channelId, credentialsId, at, acceptedAt, attention }) as const;

describe('a channel', () => {
  it('is connected with its address; of the credentials only the id is stored (D-3)', () =>
    spec(channel)
      .given([])
      .when({ type: 'ConnectChannel', ...connected.data })
      .then([connected]));

  it('cannot be connected twice', () =>
    spec(channel)
      .given([connected])
      .when({ type: 'ConnectChannel', ...connected.data })
      .thenRejected('already_exists'));

  it.each([
    { type: 'ChangeChannel', channelId, name: 'Other' },
    { type: 'MoveChannel', channelId, address: { group_id: '9' } },
    flag(T),
  ] as const)('rejects $type if it does not exist', (command) =>
    spec(channel).given([]).when(command).thenRejected('not_found'),
  );

  it('does not exist without its first event', () =>
    spec(channel).given([replaced]).when(flag(T, 'sec_2')).thenRejected('not_found'));
});

describe('changing a channel', () => {
  it('appends one event for each change', () =>
    spec(channel)
      .given([connected])
      .when({
        type: 'ChangeChannel',
        channelId,
        name: 'Other',
        settings: { text_limit: 4_000 },
        enabled: false,
        credentials: { credentialsId: 'sec_2', address: { group_id: '8' } },
      })
      .then([
        { type: 'ChannelRenamed', data: { channelId, name: 'Other' } },
        replaced,
        { type: 'ChannelSettingsChanged', data: { channelId, settings: { buttons: 'link', text_limit: 4_000 } } },
        { type: 'ChannelDisabled', data: { channelId } },
      ]));

  it('appends nothing if nothing changes', () =>
    spec(channel).given([connected]).when({ type: 'ChangeChannel', channelId, name: 'News', enabled: true }).then([]));

  it('compares with the current name, not with the first one', () =>
    spec(channel)
      .given([connected, { type: 'ChannelRenamed', data: { channelId, name: 'Other' } }])
      .when({ type: 'ChangeChannel', channelId, name: 'Other' })
      .then([]));

  it('keeps settings that were not sent, including those changed earlier', () =>
    spec(channel)
      .given([
        connected,
        { type: 'ChannelSettingsChanged', data: { channelId, settings: { buttons: 'drop', text_limit: 4_000 } } },
      ])
      .when({ type: 'ChangeChannel', channelId, settings: { on_doubt: 'resend' } })
      .then([
        {
          type: 'ChannelSettingsChanged',
          data: { channelId, settings: { buttons: 'drop', text_limit: 4_000, on_doubt: 'resend' } },
        },
      ]));

  it('keeps a setting that is undefined, as an absent field of a body is', () =>
    spec(channel)
      .given([connected])
      .when({ type: 'ChangeChannel', channelId, settings: { buttons: undefined, on_doubt: 'resend' } })
      .then([
        { type: 'ChannelSettingsChanged', data: { channelId, settings: { buttons: 'link', on_doubt: 'resend' } } },
      ]));

  it('appends nothing if the settings do not change', () => {
    spec(channel)
      .given([connected])
      .when({ type: 'ChangeChannel', channelId, settings: { buttons: 'link' } })
      .then([]);
    spec(channel).given([connected]).when({ type: 'ChangeChannel', channelId, settings: {} }).then([]);
  });

  it('appends nothing if it is already disabled or enabled', () => {
    const off: ChannelEvent = { type: 'ChannelDisabled', data: { channelId } };
    const on: ChannelEvent = { type: 'ChannelEnabled', data: { channelId } };
    const turn = (enabled: boolean) => ({ type: 'ChangeChannel', channelId, enabled }) as const;
    spec(channel).given([connected]).when(turn(false)).then([off]);
    spec(channel).given([connected, off]).when(turn(false)).then([]);
    spec(channel).given([connected, off]).when(turn(true)).then([on]);
    spec(channel).given([connected, off, on]).when(turn(true)).then([]);
  });

  it('stores the new address after the network has moved the channel', () => {
    const moved: ChannelEvent = { type: 'ChannelMoved', data: { channelId, address: { group_id: '9' } } };
    spec(channel)
      .given([connected])
      .when({ type: 'MoveChannel', channelId, address: { group_id: '9' } })
      .then([moved]);
    expect(fold(channel, [connected, moved])).toMatchObject({ address: { group_id: '9' }, credentialsId: 'sec_1' });
  });
});

describe('a channel whose credential is refused (D-26)', () => {
  it('needs attention for 24 hours', () => spec(channel).given([connected]).when(flag(T)).then([flagged]));

  it('is not flagged again within the 24 hours, up to the last millisecond', () => {
    spec(channel).given([connected, flagged]).when(flag(T)).then([]);
    spec(channel)
      .given([connected, flagged])
      .when(flag(T + 24 * HOUR - 1))
      .then([]);
  });

  it('waits only once: a post accepted before the end of the 24 hours does not start another wait', () =>
    spec(channel)
      .given([connected, flagged])
      .when(flag(T + 25 * HOUR, 'sec_1', T + 24 * HOUR - 1))
      .then([]));

  it('is flagged again for a post accepted after the 24 hours', () =>
    spec(channel)
      .given([connected, flagged])
      .when(flag(T + 24 * HOUR))
      .then([{ type: 'ChannelNeedsAttention', data: { channelId, attention, until: T + 48 * HOUR } }]));

  it('needs no attention once the credential is replaced', () => {
    expect(fold(channel, [connected, flagged])).toMatchObject({ attentionUntil: T + 24 * HOUR });
    expect(fold(channel, [connected, flagged, replaced])).toMatchObject({
      attentionUntil: 0,
      credentialsId: 'sec_2',
      address: { group_id: '8' },
    });
  });

  it('needs no attention once a person asks for another try, and is flagged again if that is refused (D-50)', () => {
    const cleared: ChannelEvent = { type: 'ChannelAttentionCleared', data: { channelId } };
    const retry = { type: 'RetryChannel', channelId, at: T + HOUR } as const;
    spec(channel).given([connected, flagged]).when(retry).then([cleared]);
    spec(channel).given([connected, flagged, cleared]).when(retry).thenRejected('nothing_to_retry');
    spec(channel)
      .given([connected, flagged, cleared])
      .when(flag(T + HOUR, 'sec_1', T))
      .then([{ type: 'ChannelNeedsAttention', data: { channelId, attention, until: T + 25 * HOUR } }]);
  });

  it('says what else a disabled channel needs: a refusal holds its posts after it is enabled, too', () => {
    const off: ChannelEvent = { type: 'ChannelDisabled', data: { channelId } };
    const sayRemedy = (events: readonly ChannelEvent[]) =>
      channel.decide({ type: 'RetryChannel', channelId, at: T }, fold(channel, events));
    expect(sayRemedy([connected, flagged, off])).toMatchObject({
      message: expect.stringContaining('Enable it, then '),
    });
    expect(sayRemedy([connected, off])).toMatchObject({
      message: expect.stringContaining('Enable it to retry its posts'),
    });
  });

  it('is not tried again while it is disabled, or once its 24 hours have passed', () => {
    const off: ChannelEvent = { type: 'ChannelDisabled', data: { channelId } };
    const retry = (at: number) => ({ type: 'RetryChannel', channelId, at }) as const;
    spec(channel).given([connected, flagged, off]).when(retry(T)).thenRejected('channel_disabled');
    spec(channel)
      .given([connected, flagged])
      .when(retry(T + 24 * HOUR))
      .thenRejected('nothing_to_retry');
    spec(channel).given([]).when(retry(T)).thenRejected('not_found');
  });

  it('ignores the refusal of a credential that has been replaced', () =>
    spec(channel)
      .given([connected, replaced])
      .when(flag(T + 1, 'sec_1'))
      .then([]));

  it('is flagged immediately if the new credential is refused too', () =>
    spec(channel)
      .given([connected, flagged, replaced])
      .when(flag(T + HOUR, 'sec_2'))
      .then([{ type: 'ChannelNeedsAttention', data: { channelId, attention, until: T + 25 * HOUR } }]));
});

describe('the deletion of a channel (management-api.md: DELETE)', () => {
  const remove = { type: 'DeleteChannel', channelId } as const;
  const deleted: ChannelEvent = { type: 'ChannelDeleted', data: { channelId } };

  it('is an event, once', () => {
    spec(channel).given([connected]).when(remove).then([deleted]);
    spec(channel).given([connected, deleted]).when(remove).thenRejected('not_found');
    spec(channel).given([]).when(remove).thenRejected('not_found');
  });

  it.each([
    { type: 'ChangeChannel', channelId, name: 'Mine' },
    { type: 'MoveChannel', channelId, address: {} },
    { type: 'FlagChannel', channelId, credentialsId: 'sec_1', at: T, acceptedAt: T, attention },
  ] as const)('makes every other command one to nothing: $type', (command) =>
    spec(channel).given([connected, deleted]).when(command).thenRejected('not_found'),
  );

  it('leaves its owner known, and its id taken', () => {
    expect(channel.ownerOf!(fold(channel, [connected, deleted]), channelId)).toBe('own_1');
    spec(channel)
      .given([connected, deleted])
      .when({ type: 'ConnectChannel', ...connected.data } as never)
      .thenRejected('already_exists');
  });
});
