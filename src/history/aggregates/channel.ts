import type { Address, Attention, ChannelEvent, ChannelSettings } from '../../domain/channel/channel.events.js';
import { iso } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import type { HistoryAggregate } from './history-aggregate.js';

/** The reason why a channel needs attention (D-26, D-50). */
type AttentionHistory = Pick<Attention, 'code' | 'message' | 'platform_says'> & {
  readonly since: string;
  /** End of the wait, unless new credentials or a retry end it sooner. */
  readonly until: string;
};

/** The history of a channel. */
export type ChannelHistory = {
  readonly id: string;
  readonly owner_id: string;
  readonly platform: string;
  readonly name: string;
  readonly address: Address;
  readonly credentials_id: string;
  readonly settings: ChannelSettings;
  readonly enabled: boolean;
  readonly attention: null | AttentionHistory;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds channels. */
export const channelHistory: HistoryAggregate<ChannelHistory, ChannelEvent> = {
  name: 'channel',
  category: 'channel',
  version: 1,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'ChannelConnected') {
      const { channelId: id, ownerId: owner_id, platform, name, address, credentialsId, settings } = event.data;
      const fresh = { enabled: true, attention: null, created_at: at, deleted_at: null };
      return { id, owner_id, platform, name, address, credentials_id: credentialsId, settings, ...fresh };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ChannelRenamed':
        return { ...state, name: event.data.name };
      case 'ChannelCredentialsReplaced':
        return { ...state, credentials_id: event.data.credentialsId, address: event.data.address, attention: null };
      case 'ChannelSettingsChanged':
        return { ...state, settings: event.data.settings };
      case 'ChannelMoved':
        return { ...state, address: event.data.address };
      case 'ChannelEnabled':
        return { ...state, enabled: true };
      case 'ChannelDisabled':
        return { ...state, enabled: false };
      case 'ChannelNeedsAttention': {
        const { code, message, platform_says } = event.data.attention;
        return { ...state, attention: { code, message, platform_says, since: at, until: iso(event.data.until) } };
      }
      case 'ChannelAttentionCleared':
        return { ...state, attention: null };
      case 'ChannelDeleted':
        return { ...state, deleted_at: at };
      default:
        return assertNever(event);
    }
  },
};
