import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';

/**
 * A pause was set or extended. `source`: `temp-pause`, `management`, or `publication` for a pause that a post
 * requested.
 */
export type ProjectPaused = DomainEvent<
  'ProjectPaused',
  { readonly projectId: string; readonly until: Instant; readonly source: string; readonly postId: string | null }
>;
/**
 * A post requested a pause that would end no later than the current one. The end is unchanged; later requests by the
 * same post are ignored.
 */
export type ProjectPauseUnchanged = DomainEvent<
  'ProjectPauseUnchanged',
  { readonly projectId: string; readonly until: Instant; readonly postId: string }
>;
/** A pause was lifted before its end. */
export type ProjectResumed = DomainEvent<'ProjectResumed', { readonly projectId: string; readonly at: Instant }>;

/** Events of a project pause's stream. */
export type ProjectPauseEvent = ProjectPaused | ProjectPauseUnchanged | ProjectResumed;

/** Versions of these events. */
export const projectPauseEvents = {
  ProjectPaused: { version: 1 },
  ProjectPauseUnchanged: { version: 1 },
  ProjectResumed: { version: 1 },
} satisfies Catalogue & Record<ProjectPauseEvent['type'], unknown>;
