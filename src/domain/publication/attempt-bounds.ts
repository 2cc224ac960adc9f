import type { Instant } from '../../kernel/instant.js';
import type { PostponeRule } from './publication.events.js';

/** D-20: so many failed attempts are the end. */
export const MAX_ATTEMPTS = 5;
const MAX_RETRY_MS = 15 * 60_000;
const MAX_WAIT_MS = 24 * 3_600_000;

/** What D-20 counts of a publication. */
export interface AttemptCounts {
  /** Failed attempts that count towards {@link MAX_ATTEMPTS}. */
  readonly failures: number;
  readonly firstStartedAt: Instant | null;
  /** Since when a wait lasts that is no failed attempt; null: none does. */
  readonly excusedSince: Instant | null;
  /** Such waits in all since {@link firstStartedAt}, ms; they do not use up the 15 minutes of failed attempts. */
  readonly excusedMs: number;
  /** How often the network has put it off, by the error's code. */
  readonly waits: Readonly<Record<string, number>>;
}

/** Before the first attempt, and after what makes them count anew. */
export const freshCounts: AttemptCounts = {
  failures: 0,
  firstStartedAt: null,
  excusedSince: null,
  excusedMs: 0,
  waits: {},
};

/** When the next attempt may come (D-20): 5 attempts, 15 minutes, 24 hours of waits; null where there is none. */
export const withinBounds = (
  counts: AttemptCounts,
  { at, retryAt, rule }: { readonly at: Instant; readonly retryAt: Instant; readonly rule: PostponeRule },
): Instant | null => {
  const first = counts.firstStartedAt ?? at;
  const end = rule === 'retry' ? first + counts.excusedMs + MAX_RETRY_MS : first + MAX_WAIT_MS;
  const tooOften = rule === 'retry' && counts.failures + 1 >= MAX_ATTEMPTS;
  if (at >= end || tooOften) return null;
  // A longer wait would hold the channel past the bound: the last attempt comes when it is reached.
  return Math.min(retryAt, end);
};
