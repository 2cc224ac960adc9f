import type { DecisionResult } from '../../event-store/aggregate-store.js';
import type { DomainEvent } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { inSlices } from '../../runtime/in-slices.js';
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
  const results = await inSlices(ids, AT_ONCE, execute);
  return results.flatMap((result, i) =>
    isRejection(result)
      ? []
      : [{ id: ids[i]!, isChanged: result.events.length > 0, position: result.aggregate.position }],
  );
};
