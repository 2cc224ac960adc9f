import { Injectable } from '@nestjs/common';
import type { Instant } from '../../kernel/clock.js';
import {
  AuditIndex,
  type BucketCounts,
  type BucketRange,
  type PersonChange,
  type StateSpan,
  TimelineQueries,
} from '../../projections/audit/audit.queries.js';

/** Event counts for a bucket. A bucket lasts from `at` to the start of the next one. */
export type Bucket = Omit<BucketCounts, 'bucket'> & { readonly at: Instant };

/** The timeline of an owner, or of all owners. Everything is in chronological order. */
export interface Timeline {
  readonly from: Instant;
  readonly to: Instant;
  /** Time of the first event ever; null if there is none. */
  readonly firstAt: Instant | null;
  readonly buckets: readonly Bucket[];
  readonly spans: readonly StateSpan[];
  /** True if more than {@link MOST_TICKS} spans overlap the period; only the longest are shown. */
  readonly hasMoreSpans: boolean;
  readonly changes: readonly PersonChange[];
  /** True if people made more than {@link MOST_TICKS} changes; only the latest are shown. */
  readonly hasMoreChanges: boolean;
}

/** The part of a timeline to show. */
export interface TimelineRange {
  /** Inclusive; default: the time of the first event, or a day before the end if no event precedes the end. */
  readonly from: Instant | undefined;
  /** Exclusive. */
  readonly to: Instant;
  readonly buckets: number;
  readonly now: Instant;
}

/** Maximum number of buckets, spans and changes in a timeline. */
export const MOST_TICKS = 500;

const DAY_MS = 24 * 3_600_000;

/** Shows what happened when, in a form that a time slider can draw (management-api.md: `GET /history/ticks`). */
@Injectable()
export class Timelines {
  constructor(
    private readonly index: AuditIndex,
    private readonly queries: TimelineQueries,
  ) {}

  /** Returns null if the period is empty. @param ownerId null for all owners */
  async show(ownerId: string | null, { from, to, buckets, now }: TimelineRange): Promise<Timeline | null> {
    await this.index.catchUp();
    const owner = ownerId === null ? null : await this.index.findOwnerNumber(ownerId);
    const firstAt = owner === undefined ? null : await this.queries.findFirst(owner);
    const start = from ?? (firstAt === null || firstAt >= to ? to - DAY_MS : firstAt);
    if (start >= to) return null;
    const range = { from: start, to, buckets: Math.min(buckets, to - start) };
    const [counts, spans, changes] =
      owner === undefined
        ? [[], [], []]
        : await Promise.all([
            this.queries.countByBucket(owner, range),
            this.queries.listSpans(owner, range, now, MOST_TICKS + 1),
            this.queries.listChanges(owner, range, MOST_TICKS + 1),
          ]);
    return {
      from: start,
      to,
      firstAt,
      buckets: fillBuckets(range, counts),
      spans: spans.slice(0, MOST_TICKS).toSorted((a, b) => a.from - b.from),
      hasMoreSpans: spans.length > MOST_TICKS,
      changes: changes.slice(0, MOST_TICKS).toReversed(),
      hasMoreChanges: changes.length > MOST_TICKS,
    };
  }
}

/** Adds the times of all buckets, and the buckets without events. */
const fillBuckets = ({ from, to, buckets }: BucketRange, counts: readonly BucketCounts[]): Bucket[] => {
  const counted = new Map(counts.map(({ bucket, ...numbers }) => [bucket, numbers]));
  const empty = { events: 0, published: 0, failed: 0, in_doubt: 0 };
  const [whole, rest] = [Math.floor((to - from) / buckets), (to - from) % buckets];
  return Array.from({ length: buckets }, (_, i) => ({
    at: from + i * whole + Math.floor((i * rest) / buckets),
    ...(counted.get(i) ?? empty),
  }));
};
