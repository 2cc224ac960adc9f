import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/decider.js';
import { channel } from './channel.decider.js';
import type { ChannelEvent } from './channel.events.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14, 12);
const channelId = 'tgt_1';
const attention = { code: 'token_revoked', message: 'The network refuses the credential.' };

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
  it('is connected with its address; of the credentials only their id is written (D-3)', () =>
    spec(channel)
      .given([])
      .when({ type: 'ConnectChannel', ...connected.data })
      .then([connected]));

  it('is connected once', () =>
    spec(channel)
      .given([connected])
      .when({ type: 'ConnectChannel', ...connected.data })
      .thenRejected('already_exists'));

  it.each([
    { type: 'ChangeChannel', channelId, name: 'Other' },
    { type: 'MoveChannel', channelId, address: { group_id: '9' } },
    flag(T),
  ] as const)('that does not exist knows no $type', (command) =>
    spec(channel).given([]).when(command).thenRejected('not_found'),
  );

  it('does not come to be by events without its beginning', () =>
    spec(channel).given([replaced]).when(flag(T, 'sec_2')).thenRejected('not_found'));
});

describe('changing a channel', () => {
  it('writes one event for each thing that changes', () =>
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

  it('writes nothing where all is as it was', () =>
    spec(channel).given([connected]).when({ type: 'ChangeChannel', channelId, name: 'News', enabled: true }).then([]));

  it('compares with the name of today, not of the beginning', () =>
    spec(channel)
      .given([connected, { type: 'ChannelRenamed', data: { channelId, name: 'Other' } }])
      .when({ type: 'ChangeChannel', channelId, name: 'Other' })
      .then([]));

  it('keeps the settings that were not sent, those changed before included', () =>
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

  it('keeps a setting that was sent as undefined: absent fields of a body look like that', () =>
    spec(channel)
      .given([connected])
      .when({ type: 'ChangeChannel', channelId, settings: { buttons: undefined, on_doubt: 'resend' } })
      .then([
        { type: 'ChannelSettingsChanged', data: { channelId, settings: { buttons: 'link', on_doubt: 'resend' } } },
      ]));

  it('writes nothing where the settings are as they were', () => {
    spec(channel)
      .given([connected])
      .when({ type: 'ChangeChannel', channelId, settings: { buttons: 'link' } })
      .then([]);
    spec(channel).given([connected]).when({ type: 'ChangeChannel', channelId, settings: {} }).then([]);
  });

  it('turns it off once and on once', () => {
    const off: ChannelEvent = { type: 'ChannelDisabled', data: { channelId } };
    const on: ChannelEvent = { type: 'ChannelEnabled', data: { channelId } };
    const turn = (enabled: boolean) => ({ type: 'ChangeChannel', channelId, enabled }) as const;
    spec(channel).given([connected]).when(turn(false)).then([off]);
    spec(channel).given([connected, off]).when(turn(false)).then([]);
    spec(channel).given([connected, off]).when(turn(true)).then([on]);
    spec(channel).given([connected, off, on]).when(turn(true)).then([]);
  });

  it('a network that moves the channel gives it a new address', () => {
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

  it('is flagged once while that lasts, to the last millisecond', () => {
    spec(channel).given([connected, flagged]).when(flag(T)).then([]);
    spec(channel)
      .given([connected, flagged])
      .when(flag(T + 24 * HOUR - 1))
      .then([]);
  });

  it('holds its queue once: what was accepted before the end of the 24 hours begins no others', () =>
    spec(channel)
      .given([connected, flagged])
      .when(flag(T + 25 * HOUR, 'sec_1', T + 24 * HOUR - 1))
      .then([]));

  it('is flagged again by what is accepted when the 24 hours are over', () =>
    spec(channel)
      .given([connected, flagged])
      .when(flag(T + 24 * HOUR))
      .then([{ type: 'ChannelNeedsAttention', data: { channelId, attention, until: T + 48 * HOUR } }]));

  it('needs no attention any more once the credential is replaced', () => {
    expect(fold(channel, [connected, flagged])).toMatchObject({ attentionUntil: T + 24 * HOUR });
    expect(fold(channel, [connected, flagged, replaced])).toMatchObject({
      attentionUntil: 0,
      credentialsId: 'sec_2',
      address: { group_id: '8' },
    });
  });

  it('takes no verdict on a credential that was replaced meanwhile', () =>
    spec(channel)
      .given([connected, replaced])
      .when(flag(T + 1, 'sec_1'))
      .then([]));

  it('is flagged at once when the new credential is refused too', () =>
    spec(channel)
      .given([connected, flagged, replaced])
      .when(flag(T + HOUR, 'sec_2'))
      .then([{ type: 'ChannelNeedsAttention', data: { channelId, attention, until: T + 25 * HOUR } }]));
});
