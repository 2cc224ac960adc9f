import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';

/**
 * A pause was set or extended. `source`: `temp-pause`, `management`, or `publication` for a pause that a post
 * requested.
 */
export type ChannelPaused = DomainEvent<
  'ChannelPaused',
  { readonly channelId: string; readonly until: Instant; readonly source: string; readonly postId: string | null }
>;
/**
 * A post requested a pause that would end no later than the current one. The end is unchanged; later requests by the
 * same post are ignored.
 */
export type ChannelPauseUnchanged = DomainEvent<
  'ChannelPauseUnchanged',
  { readonly channelId: string; readonly until: Instant; readonly postId: string }
>;
/** A pause was lifted before its end. */
export type ChannelResumed = DomainEvent<'ChannelResumed', { readonly channelId: string; readonly at: Instant }>;

/** Events of a channel pause's stream. */
export type ChannelPauseEvent = ChannelPaused | ChannelPauseUnchanged | ChannelResumed;

/** Versions of these events. */
export const channelPauseEvents = {
  ChannelPaused: { version: 1 },
  ChannelPauseUnchanged: { version: 1 },
  ChannelResumed: { version: 1 },
} satisfies Catalogue & Record<ChannelPauseEvent['type'], unknown>;
