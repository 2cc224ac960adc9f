import type { DecisionResult } from '../../event-store/aggregate-store.js';
import type { DomainEvent } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { Completed } from '../command-result.js';

/** A command that succeeded on one target. */
export interface CompletedOn extends Completed {
  readonly id: string;
  /** False if the target needed no change. */
  readonly isChanged: boolean;
}

/** Number of targets to write concurrently. The store combines their appends into few transactions. */
const AT_ONCE = 16;

/**
 * Executes a command on each target, several at a time. Skips rejected commands: their targets need no change.
 * @returns the commands that succeeded, in the order of the targets
 */
export const executeEach = async <S, E extends DomainEvent>(
  ids: readonly string[] = [],
  execute: (id: string) => Promise<DecisionResult<S, E> | Rejection>,
): Promise<CompletedOn[]> => {
  const completed: CompletedOn[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const slice = ids.slice(start, start + AT_ONCE);
    for (const [index, result] of (await Promise.all(slice.map(execute))).entries()) {
      if (isRejection(result)) continue;
      completed.push({ id: slice[index]!, isChanged: result.events.length > 0, position: result.aggregate.position });
    }
  }
  return completed;
};
