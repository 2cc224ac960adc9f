import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';

/** Spec: Resources; `ok` by D-4. */
export const PLATFORMS = ['telegram', 'vk', 'max', 'ok'] as const;
/** Identifier of a network. */
export type Platform = (typeof PLATFORMS)[number];

/** The public part of a channel's credentials: chat_id or group_id. */
export type Address = Readonly<Record<string, string>>;

/** management-api.md: `buttons` (ok), `on_doubt`, `text_limit` (ok). */
export interface ChannelSettings {
  readonly buttons?: 'link' | 'drop';
  readonly on_doubt?: 'hold' | 'resend';
  readonly text_limit?: number;
}

/** Why a person is needed (D-26, D-35). */
export interface Attention {
  readonly code: string;
  readonly message: string;
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
    /** Where the encrypted credentials lie. */
    readonly credentialsId: string;
    readonly settings: ChannelSettings;
  }
>;
/** The name that owners and verbose discovery see. */
export type ChannelRenamed = DomainEvent<'ChannelRenamed', { readonly channelId: string; readonly name: string }>;
/** New credentials, or the same set anew; either ends a wait for a person (D-26). */
export type ChannelCredentialsReplaced = DomainEvent<
  'ChannelCredentialsReplaced',
  { readonly channelId: string; readonly credentialsId: string; readonly address: Address }
>;
/** All settings as they now stand. */
export type ChannelSettingsChanged = DomainEvent<
  'ChannelSettingsChanged',
  { readonly channelId: string; readonly settings: ChannelSettings }
>;
/** The network itself moved the channel (Telegram's migrate_to_chat_id). */
export type ChannelMoved = DomainEvent<'ChannelMoved', { readonly channelId: string; readonly address: Address }>;
/** Its owner switched it on again. */
export type ChannelEnabled = DomainEvent<'ChannelEnabled', { readonly channelId: string }>;
/** Its owner switched it off: it is no target of new posts, and its queue waits. */
export type ChannelDisabled = DomainEvent<'ChannelDisabled', { readonly channelId: string }>;
/** D-26: the network refused the credential; the channel's queue is held until `until` or a new credential. */
export type ChannelNeedsAttention = DomainEvent<
  'ChannelNeedsAttention',
  { readonly channelId: string; readonly attention: Attention; readonly until: number }
>;

/** What a channel’s stream holds. */
export type ChannelEvent =
  | ChannelConnected
  | ChannelRenamed
  | ChannelCredentialsReplaced
  | ChannelSettingsChanged
  | ChannelMoved
  | ChannelEnabled
  | ChannelDisabled
  | ChannelNeedsAttention;

/** Versions of these events. */
export const channelEvents = {
  ChannelConnected: { version: 1 },
  ChannelRenamed: { version: 1 },
  ChannelCredentialsReplaced: { version: 1 },
  ChannelSettingsChanged: { version: 1 },
  ChannelMoved: { version: 1 },
  ChannelEnabled: { version: 1 },
  ChannelDisabled: { version: 1 },
  ChannelNeedsAttention: { version: 1 },
} satisfies Catalogue & Record<ChannelEvent['type'], unknown>;
