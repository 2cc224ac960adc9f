import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import { CONTENT_ERASED, monthOf } from '../../event-store/content-keys.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/events.js';
import type { Tx } from './projection.js';
import type { RowCache } from './rows.js';

/** Maximum number of rows that one statement of an erasure looks at. */
export const RANGE = 500;

/** The event after which no row holds the content of the months that it names (D-100). */
export const ERASED = CONTENT_ERASED satisfies OwnerContentErased['type'];

/**
 * Applies a batch in order, in parts: what precedes an erasure, the erasure, what follows it. Rows of earlier parts must
 * be written before the erasure. It sets columns to constants, whether or not the event that filled them was still
 * readable, so that live rows equal those of a rebuild (ADR-414).
 */
export const applyAroundErasures = async <E extends RecordedEvent>(
  events: readonly E[],
  cache: RowCache | undefined,
  apply: (part: readonly E[]) => Promise<void>,
  erase: (erased: OwnerContentErased['data']) => Promise<void>,
): Promise<void> => {
  let from = 0;
  for (const [i, event] of events.entries()) {
    if (event.type !== ERASED) continue;
    if (i > from) await apply(events.slice(from, i));
    await erase(event.data as OwnerContentErased['data']);
    cache?.clear();
    from = i + 1;
  }
  if (from < events.length) await apply(from === 0 ? events : events.slice(from));
};

/** Returns the month of an event's content, if it is not the month of a time that the row has anyway. */
export const otherMonth = ({ at }: Pick<RecordedEvent, 'at'>, known: Instant | null): string | null => {
  if (at === known) return null;
  const month = monthOf(at);
  return known !== null && monthOf(known) === month ? null : month;
};

/** SQL: the month of a time in ms. */
export const monthAt = (ms: string): string => `to_char(to_timestamp((${ms}) / 1000.0) at time zone 'UTC', 'YYYY-MM')`;

/** SQL: whether the parameter `$2`, a list of months or null for all, has the month. */
export const isErased = (month: string): string => `coalesce($2::text[] is null or ${month} = any($2::text[]), false)`;

/** Rows of a table that belong to one owner, or another thing, in the order of a key that they do not share. */
export interface OwnRows {
  readonly table: string;
  readonly of: string;
  readonly key: string;
  /** A key before all others. */
  readonly first: string;
}

/**
 * Calls a function with one range of rows after another: from the key `after`, which is not part of it, to `last`. One
 * statement for all rows of a large owner would exceed the time limit of statements, and the read model would stop.
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
