import type { DecisionResult } from '../event-store/aggregate-store.js';
import type { Position } from '../event-store/port.js';
import type { DomainEvent } from '../kernel/events.js';
import { isRejection, type Rejection } from '../kernel/result.js';

/** A command that succeeded, now or in an earlier run of the same command. */
export interface Completed {
  /** Position that the read models must reach to show the change; -1n if nothing changed. */
  readonly position: Position;
}

/** The outcome of a use case: success, or the reason for a rejection. */
export type CommandOutcome = Completed | Rejection;

/** Converts a decision into the outcome that callers of the use case need. */
export const toOutcome = <S, E extends DomainEvent, Code extends string>(
  result: DecisionResult<S, E> | Rejection<Code>,
): Completed | Rejection<Code> => (isRejection(result) ? result : { position: result.aggregate.position });

/** Returns the successes among several decisions. */
export const listCompleted = <S, E extends DomainEvent>(
  results: readonly (DecisionResult<S, E> | Rejection)[],
): Completed[] => results.flatMap((result) => (isRejection(result) ? [] : [{ position: result.aggregate.position }]));

/** Combines several successes into one, with the latest of their positions. */
export const latestCompleted = (each: readonly Completed[]): Completed =>
  each.reduce((last, next) => (next.position > last.position ? next : last), { position: -1n });

/**
 * Returns the result of a command that must never be rejected for its actor.
 * @throws Error if it was rejected anyway
 */
export const requireCompleted = <C extends Completed>(outcome: C | Rejection): C => {
  if (isRejection(outcome)) throw new Error(`unexpected rejection: ${outcome.rejection}: ${outcome.message}`);
  return outcome;
};
