import type { Catalogue, DomainEvent } from '../../kernel/events.js';

/**
 * The operator skipped an event that the projection could not apply: no version of the projection applies it from then
 * on. `position` is text, because it may exceed 2^53.
 */
export type ProjectionEventSkipped = DomainEvent<
  'ProjectionEventSkipped',
  {
    readonly projection: string;
    readonly eventId: string;
    readonly eventType: string;
    readonly position: string;
    /** The error that stopped the projection. */
    readonly error: string;
    readonly reason: string;
  }
>;
/** A rebuilt version replaced the live one. `jobId`: the rebuild that promoted it; null if the operator did. */
export type ProjectionPromoted = DomainEvent<
  'ProjectionPromoted',
  {
    readonly projection: string;
    readonly version: number;
    readonly previousVersion: number;
    readonly jobId: string | null;
    readonly reason: string | null;
  }
>;
/** The previous version is live again. */
export type ProjectionRolledBack = DomainEvent<
  'ProjectionRolledBack',
  {
    readonly projection: string;
    readonly version: number;
    readonly previousVersion: number;
    readonly reason: string | null;
  }
>;
/** A version that was being built alongside the live one was discarded. */
export type ProjectionCandidateDiscarded = DomainEvent<
  'ProjectionCandidateDiscarded',
  { readonly projection: string; readonly version: number; readonly reason: string | null }
>;

/** Events of the stream `projection-<name>`, which records the decisions about a projection. */
export type ProjectionEvent =
  ProjectionEventSkipped | ProjectionPromoted | ProjectionRolledBack | ProjectionCandidateDiscarded;

export const projectionEvents = {
  ProjectionEventSkipped: { version: 1 },
  ProjectionPromoted: { version: 1 },
  ProjectionRolledBack: { version: 1 },
  ProjectionCandidateDiscarded: { version: 1 },
} satisfies Catalogue & Record<ProjectionEvent['type'], unknown>;

/** Returns the name of the stream that records the decisions about a projection. */
export const projectionStream = (name: string): string => `projection-${name}`;
