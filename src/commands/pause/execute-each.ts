import type { DecisionResult } from '../../event-store/aggregate-store.js';
import type { DomainEvent } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { type Completed, toOutcome } from '../command-result.js';

/** Executes a command on one target after the other. Skips rejections: such a target needs no change. */
export const executeEach = async <S, E extends DomainEvent>(
  ids: readonly string[] = [],
  execute: (id: string) => Promise<DecisionResult<S, E> | Rejection>,
): Promise<Completed[]> => {
  const completed: Completed[] = [];
  for (const id of ids) {
    const outcome = toOutcome(await execute(id));
    if (!isRejection(outcome)) completed.push(outcome);
  }
  return completed;
};
