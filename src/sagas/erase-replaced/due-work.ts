import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import { isOutage } from '../engine/outage.js';

/** One kind of work that becomes due. Every step of it may be repeated. */
export interface DueWork<T> {
  /** Plural, for the log. */
  readonly name: string;
  /** Lists what is due, the longest first. */
  readonly findDue: (limit: number) => Promise<readonly T[]>;
  readonly handle: (item: T) => Promise<void>;
  /** Makes an item that cannot be handled due again later, so that it does not hold back the others. */
  readonly postpone: (item: T) => Promise<void>;
}

/**
 * Does a batch of what is due.
 * @returns true if there may be more
 * @throws an outage, which ends the batch
 */
export const doDueWork = async <T>(
  work: DueWork<T>,
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
      log.warn({ error: reasonOf(error), of: work.name }, 'failed to erase what is due; it is tried again in an hour');
      await work.postpone(item);
    }
  }
  return due.length === batchSize;
};
