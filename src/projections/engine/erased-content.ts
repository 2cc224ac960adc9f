import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import { CONTENT_ERASED, monthOf } from '../../event-store/content-keys.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/events.js';
import type { RowCache } from './rows.js';

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
