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

/** Executes a command on one target after the other. Skips rejections: such a target needs no change. */
export const executeEach = async <S, E extends DomainEvent>(
  ids: readonly string[] = [],
  execute: (id: string) => Promise<DecisionResult<S, E> | Rejection>,
): Promise<CompletedOn[]> => {
  const completed: CompletedOn[] = [];
  for (const id of ids) {
    const result = await execute(id);
    if (isRejection(result)) continue;
    completed.push({ id, isChanged: result.events.length > 0, position: result.aggregate.position });
  }
  return completed;
};
