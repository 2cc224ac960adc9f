import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';

/** `source`: `temp-pause`, `management`, or `publication` for the pause that a post brought along. */
export type ChannelPaused = DomainEvent<
  'ChannelPaused',
  { readonly channelId: string; readonly until: Instant; readonly source: string; readonly postId: string | null }
>;
/** A post asked for a pause that would end no later than the one that lasts: nothing moves, and it asks no more. */
export type ChannelPauseUnchanged = DomainEvent<
  'ChannelPauseUnchanged',
  { readonly channelId: string; readonly until: Instant; readonly postId: string }
>;
/** A pause was lifted before its end. */
export type ChannelResumed = DomainEvent<'ChannelResumed', { readonly channelId: string; readonly at: Instant }>;

/** What a channel pause’s stream holds. */
export type ChannelPauseEvent = ChannelPaused | ChannelPauseUnchanged | ChannelResumed;

/** Versions of these events. */
export const channelPauseEvents = {
  ChannelPaused: { version: 1 },
  ChannelPauseUnchanged: { version: 1 },
  ChannelResumed: { version: 1 },
} satisfies Catalogue & Record<ChannelPauseEvent['type'], unknown>;
