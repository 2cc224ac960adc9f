import type { Instant } from '../../kernel/clock.js';
import type { Catalogue, DomainEvent } from '../../kernel/events.js';

/** The id of the paused project or channel, in the field with this name. */
export type IdIn<Field extends string> = Readonly<Record<Field, string>>;

/**
 * A pause was set or extended. `source`: `temp-pause`, `management`, or `publication` for a pause that a post
 * requested.
 */
export type Paused<Target extends string, Id extends string> = DomainEvent<
  `${Target}Paused`,
  IdIn<Id> & {
    readonly until: Instant;
    readonly source: string;
    readonly postId: string | null;
  }
>;

export type PauseEvent<Target extends string, Id extends string> =
  | Paused<Target, Id>
  /**
   * A post requested a pause that would end no later than the current one. The end is unchanged; later requests by the
   * same post are ignored.
   */
  | DomainEvent<`${Target}PauseUnchanged`, IdIn<Id> & { readonly until: Instant; readonly postId: string }>
  /** A pause was lifted before its end. */
  | DomainEvent<`${Target}Resumed`, IdIn<Id> & { readonly at: Instant }>;

export type ChannelPauseEvent = PauseEvent<'Channel', 'channelId'>;

export const channelPauseEvents = {
  ChannelPaused: { version: 1 },
  ChannelPauseUnchanged: { version: 1 },
  ChannelResumed: { version: 1 },
} satisfies Catalogue & Record<ChannelPauseEvent['type'], unknown>;

export type ProjectPauseEvent = PauseEvent<'Project', 'projectId'>;

export const projectPauseEvents = {
  ProjectPaused: { version: 1 },
  ProjectPauseUnchanged: { version: 1 },
  ProjectResumed: { version: 1 },
} satisfies Catalogue & Record<ProjectPauseEvent['type'], unknown>;
