import type { Position } from '../event-store/port.js';
import type { Decided } from '../event-store/aggregate-store.js';
import type { DomainEvent } from '../kernel/events.js';
import { isRejection, type Rejection } from '../kernel/result.js';

/** A command was carried out, now or by an earlier run of the same command. */
export interface Done {
  /** How far the views must have come to show it. */
  readonly position: Position;
}

/** What a use case answers: it was done, or why it may not be. */
export type Outcome = Done | Rejection;

/** What a caller needs to know of what a decider came to. */
export const done = <S, E extends DomainEvent, Code extends string>(
  result: Decided<S, E> | Rejection<Code>,
): Done | Rejection<Code> => (isRejection(result) ? result : { position: result.after.position });

/** Several things done: the views must have come to the last of them. */
export const allDone = (each: readonly Done[]): Done =>
  each.reduce((last, next) => (next.position > last.position ? next : last), { position: -1n });
