import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import { isOutage } from '../engine/outage.js';

/** A kind of data to erase. Every function may be called again for the same item. */
export interface ErasureKind<T> {
  /** Plural, for the log. */
  readonly name: string;
  /** Lists the due items, longest overdue first. */
  readonly findDue: (limit: number) => Promise<readonly T[]>;
  readonly handle: (item: T) => Promise<void>;
  /** Postpones an item that cannot be handled. */
  readonly postpone: (item: T) => Promise<void>;
}

/** Erases a batch of due items. @returns true if there may be more @throws the error of an outage */
export const eraseDue = async <T>(
  work: ErasureKind<T>,
  batchSize: number,
  signal: AbortSignal,
  log: Log,
): Promise<boolean> => {
  const due = await work.findDue(batchSize);
  for (const item of due) {
    if (signal.aborted) return false;
    try {
      await work.handle(item);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.warn({ reason: reasonOf(error), of: work.name }, 'failed to erase a due item; it will be retried later');
      await work.postpone(item);
    }
  }
  return due.length === batchSize;
};
