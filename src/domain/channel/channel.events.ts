import { type Instant, iso } from '../../kernel/clock.js';
import {
  assertNever,
  type Catalogue,
  type DomainEvent,
  type RecordedEvent,
  type ShownAggregate,
} from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';

/**
 * Identifier of a network. The domain has no list of networks; the API accepts the networks in the catalogue
 * (publish-api.md: Target; D-4).
 */
export type Platform = string;

/** The public part of a channel's credentials: `chat_id` or `group_id`. */
export type Address = Readonly<Record<string, string>>;

/** Settings of a channel (management-api.md: settings): those of all networks, and those that its network declares. */
export interface ChannelSettings extends JsonObject {
  readonly on_doubt?: 'hold' | 'resend';
  /** Whether the numbers of its publications are read (D-75). */
  readonly statistics?: 'on' | 'off';
}

/** Remedies for a channel that needs attention (D-50). */
export type Remedy =
  /** Change something on the network: `Attention.message` explains what. */
  | 'fix_on_platform'
  /** Set new credentials. */
  | 'replace_credentials'
  /** Retry with the current credentials, once the cause on the network is fixed. */
  | 'retry';

/** The reason why a channel needs attention (D-26, D-35, D-50). */
export interface Attention {
  readonly code: string;
  /** Explains what was refused and what to do about it. */
  readonly message: string;
  /** The network's own message; null if it sent none. */
  readonly platform_says: string | null;
  /** Most likely first. */
  readonly remedies: readonly Remedy[];
}

/** An owner connected a chat or community (D-3). */
export type ChannelConnected = DomainEvent<
  'ChannelConnected',
  {
    readonly channelId: string;
    readonly ownerId: string;
    readonly platform: Platform;
    readonly name: string;
    readonly address: Address;
    /** Id of the encrypted credentials. */
    readonly credentialsId: string;
    readonly settings: ChannelSettings;
  }
>;
/** The channel was renamed; owners and verbose discovery see its name. */
export type ChannelRenamed = DomainEvent<'ChannelRenamed', { readonly channelId: string; readonly name: string }>;
/** Credentials were set, perhaps the same as before. The channel no longer waits (D-26). */
export type ChannelCredentialsReplaced = DomainEvent<
  'ChannelCredentialsReplaced',
  { readonly channelId: string; readonly credentialsId: string; readonly address: Address }
>;
/** Settings were changed; `settings` holds all of them. */
export type ChannelSettingsChanged = DomainEvent<
  'ChannelSettingsChanged',
  { readonly channelId: string; readonly settings: ChannelSettings }
>;
/** The network moved the channel to another address. */
export type ChannelMoved = DomainEvent<'ChannelMoved', { readonly channelId: string; readonly address: Address }>;
/** The owner enabled the channel again. */
export type ChannelEnabled = DomainEvent<'ChannelEnabled', { readonly channelId: string }>;
/** The owner disabled the channel: new posts are not sent to it, and its queue waits. */
export type ChannelDisabled = DomainEvent<'ChannelDisabled', { readonly channelId: string }>;
/** The network refuses every post; the channel's queue waits until `until`, new credentials or a retry (D-26, D-50). */
export type ChannelNeedsAttention = DomainEvent<
  'ChannelNeedsAttention',
  { readonly channelId: string; readonly attention: Attention; readonly until: number }
>;
/** The owner deleted the channel: it accepts no more commands, and nothing is published on it. Its history is kept. */
export type ChannelDeleted = DomainEvent<'ChannelDeleted', { readonly channelId: string }>;

/** Someone requested another attempt with the current credentials: the channel's queue no longer waits. */
export type ChannelAttentionCleared = DomainEvent<'ChannelAttentionCleared', { readonly channelId: string }>;

/** Version 1 of the data, without the network's message and the remedies. */
type ChannelNeedsAttentionV1 = Omit<ChannelNeedsAttention['data'], 'attention'> & {
  readonly attention: Pick<Attention, 'code' | 'message'>;
};

/** Events of a channel's stream. */
export type ChannelEvent =
  | ChannelConnected
  | ChannelRenamed
  | ChannelCredentialsReplaced
  | ChannelSettingsChanged
  | ChannelMoved
  | ChannelEnabled
  | ChannelDisabled
  | ChannelNeedsAttention
  | ChannelAttentionCleared
  | ChannelDeleted;

/**
 * Returns the address that a channel had at a time, or its first one before that.
 * @param events the channel's whole stream
 */
export const addressAt = (events: readonly RecordedEvent<ChannelEvent>[], at: Instant): Address => {
  let address: Address | null = null;
  for (const event of events) {
    if (address && event.at > at) break;
    if ('address' in event.data) address = event.data.address;
  }
  return address ?? {};
};

export const channelEvents = {
  ChannelConnected: { version: 1 },
  ChannelRenamed: { version: 1 },
  ChannelCredentialsReplaced: { version: 1 },
  ChannelSettingsChanged: { version: 1 },
  ChannelMoved: { version: 1 },
  ChannelEnabled: { version: 1 },
  ChannelDisabled: { version: 1 },
  ChannelNeedsAttention: {
    version: 2,
    upcasters: {
      1: ({ attention, ...data }: ChannelNeedsAttentionV1): ChannelNeedsAttention['data'] => ({
        ...data,
        attention: { ...attention, platform_says: null, remedies: ['replace_credentials', 'retry'] },
      }),
    },
  },
  ChannelAttentionCleared: { version: 1 },
  ChannelDeleted: { version: 1 },
} satisfies Catalogue & Record<ChannelEvent['type'], unknown>;

/** The reason why a channel needs attention (D-26, D-50). */
export type ShownAttention = Pick<Attention, keyof Attention> & {
  readonly since: string;
  /** End of the wait, unless new credentials or a retry end it sooner. */
  readonly until: string;
};

/**
 * States of a channel besides its pauses: it may publish, its queue is held until a person fixes a problem (D-26), or it
 * is disabled.
 */
export const CHANNEL_STATUSES = ['ok', 'needs_attention', 'disabled'] as const;
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

/** @param attentionUntil when the channel stops waiting for someone to fix it (D-26); 0 if it is not waiting */
export const channelStatus = (enabled: boolean, attentionUntil: Instant, now: Instant): ChannelStatus => {
  if (!enabled) return 'disabled';
  return attentionUntil > now ? 'needs_attention' : 'ok';
};

/** A channel as the API shows it, now and in history. */
export type ShownChannel = {
  readonly id: string;
  readonly owner_id: string;
  readonly platform: Platform;
  readonly name: string;
  readonly address: Address;
  readonly credentials_id: string;
  readonly settings: ChannelSettings;
  readonly enabled: boolean;
  readonly attention: ShownAttention | null;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds channels. */
export const shownChannel: ShownAggregate<ShownChannel, ChannelEvent> = {
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
        const { code, message, platform_says, remedies } = event.data.attention;
        const until = iso(event.data.until);
        return { ...state, attention: { code, message, platform_says, since: at, until, remedies } };
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
