import { monthOf } from '../../event-store/content-keys.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/events.js';
import type { Tx } from './projection.js';

/** Maximum number of rows that one statement of an erasure looks at. */
export const RANGE = 500;

/** Returns the month of an event, or null if a time that the row stores anyway is in the same month. */
export const otherMonth = ({ at }: Pick<RecordedEvent, 'at'>, known: Instant | null): string | null => {
  if (at === known) return null;
  const month = monthOf(at);
  return known !== null && monthOf(known) === month ? null : month;
};

/** Returns SQL for the month (UTC, such as `2026-11`) of a time in ms. */
export const monthAt = (ms: string): string => `to_char(to_timestamp((${ms}) / 1000.0) at time zone 'UTC', 'YYYY-MM')`;

/** Returns SQL that is true if a month is among those of the parameter `$2`, which is null for all months. */
export const isErased = (month: string): string => `coalesce($2::text[] is null or ${month} = any($2::text[]), false)`;

/** A table, with the column that names a row's owner (or its webhook output), and one that is unique among the owner's rows. */
export interface OwnRows {
  readonly table: string;
  readonly of: string;
  readonly key: string;
  /** Sorts before all keys. */
  readonly first: string;
}

/**
 * Calls a function for one range of an owner's rows after another: those with keys after `after`, up to and including
 * `last`. A single statement for all rows of a large owner would exceed the time limit, and the read model would stop.
 */
export const inRanges = async (
  tx: Tx,
  { table, of, key, first }: OwnRows,
  id: string,
  apply: (after: string, last: string) => Promise<void>,
): Promise<void> => {
  for (let after = first; ;) {
    const { rows } = await tx.query<{ last: string | null }>(
      `select max(key)::text as last from (
         select ${key} as key from ${table} where ${of} = $1 and ${key} > $2 order by ${key} limit ${RANGE}) range`,
      [id, after],
    );
    const { last } = rows[0]!;
    if (last === null) return;
    await apply(after, last);
    after = last;
  }
};
