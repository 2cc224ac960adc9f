import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';

/** `source`: `temp-pause`, `management`, or `publication` for the pause that a post brought along. */
export type ProjectPaused = DomainEvent<
  'ProjectPaused',
  { readonly projectId: string; readonly until: Instant; readonly source: string; readonly postId: string | null }
>;
/** A post asked for a pause that would end no later than the one that lasts: nothing moves, and it asks no more. */
export type ProjectPauseKept = DomainEvent<
  'ProjectPauseKept',
  { readonly projectId: string; readonly until: Instant; readonly postId: string }
>;
/** A pause was lifted before its end. */
export type ProjectResumed = DomainEvent<'ProjectResumed', { readonly projectId: string; readonly at: Instant }>;

/** What a project pause’s stream holds. */
export type ProjectPauseEvent = ProjectPaused | ProjectPauseKept | ProjectResumed;

/** Versions of these events. */
export const projectPauseEvents = {
  ProjectPaused: { version: 1 },
  ProjectPauseKept: { version: 1 },
  ProjectResumed: { version: 1 },
} satisfies Catalogue & Record<ProjectPauseEvent['type'], unknown>;
