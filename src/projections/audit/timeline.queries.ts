import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { ALL_OWNERS, AUDIT, type StateSpanKind } from './audit.tables.js';

/** A period divided into buckets of equal length. */
export interface BucketRange {
  /** Inclusive. */
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  /** Number of buckets; at most one per millisecond. */
  readonly buckets: number;
}

/** Number of events in a bucket: in total, and by the attempt outcome that they record. */
export interface BucketCounts {
  /** Index, from 0. */
  readonly bucket: number;
  readonly events: number;
  readonly published: number;
  readonly failed: number;
  readonly in_doubt: number;
}

/** A period in which a resource was paused, needed attention or was disabled. */
export interface StateSpan {
  readonly kind: StateSpanKind;
  readonly id: string;
  readonly from: Instant;
  /** Null while the period is ongoing, unless its end was set in advance, as it is for a pause. */
  readonly to: Instant | null;
  /** The event that began the period. */
  readonly eventId: string;
  readonly actor: string;
}

/** An event whose author is a person. */
export interface PersonChange {
  readonly at: Instant;
  readonly actor: string;
  readonly type: string;
  readonly eventId: string;
  readonly aggregate: string;
  readonly aggregateId: string | null;
}

type Range = Pick<BucketRange, 'from' | 'to'>;

/**
 * Reads the parts of a timeline from the index of the audit trail (ADR-206). Methods take an owner's number, or null
 * for all owners.
 */
@Injectable()
export class TimelineQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the time of an owner's first event; null if there is none. */
  async findFirst(owner: number | null): Promise<Instant | null> {
    const text = `select min(first_at) as first from ${AUDIT}.tally where owner_no = $1`;
    const { rows } = await this.pool.query<{ first: bigint | null }>(text, [owner ?? ALL_OWNERS]);
    return rows[0]!.first === null ? null : Number(rows[0]!.first);
  }

  /**
   * Counts events by bucket; buckets without events are absent. Bucket i begins at the integer part of `from` + i ×
   * (`to` − `from`) / `buckets`. A tally that lies within one bucket is added as a whole; only the other tallies are
   * split into their events.
   */
  async countByBucket(owner: number | null, { from, to, buckets }: BucketRange): Promise<BucketCounts[]> {
    const bucketOf = (at: string) => `((${at} - $2::bigint + 1) * $4::bigint - 1) / ($3::bigint - $2::bigint)`;
    const text = `
      with part as materialized (
        select t.*, ${bucketOf('first_at')} as bucket,
          first_at >= $2 and ${bucketOf('first_at')} = ${bucketOf('last_at')} as is_whole
        from ${AUDIT}.tally t where owner_no = $1 and first_at < $3 and last_at >= $2),
      divided as (
        select d.* from part cross join lateral (
          select ${bucketOf('(m >> 2)')} as bucket, m & 3 as outcome, count(*) as events
          from ${AUDIT}.tally_moments t cross join unnest(t.moments) m
          where t.owner_no = $1 and t.number = part.number and m >> 2 >= $2 and m >> 2 < $3 group by 1, 2) d
        where not is_whole)
      select bucket::int, sum(events)::int as events, sum(published)::int as published, sum(failed)::int as failed,
        sum(in_doubt)::int as in_doubt
      from (
        select bucket, events, published, failed, in_doubt from part where is_whole
        union all
        select bucket, events, case outcome when 1 then events else 0 end, case outcome when 2 then events else 0 end,
          case outcome when 3 then events else 0 end from divided) e
      group by 1`;
    return (await this.pool.query<BucketCounts>(text, [owner ?? ALL_OWNERS, from, to, buckets])).rows;
  }

  /**
   * Lists the spans that overlap a period: first the spans without a known end, then the longest spans.
   * @param now determines whether the time limit for a channel that needs attention has passed
   */
  async listSpans(owner: number | null, { from, to }: Range, now: Instant, limit: number): Promise<StateSpan[]> {
    // A channel that needs attention is usually fixed before its time limit, so the limit counts only once it has
    // passed.
    const text = `
      select kind, resource_id as id, from_at as "from", to_at as "to", event_id as "eventId", actor
      from (
        select *, coalesce(ended_at, case when kind <> 'needs_attention' or until_at <= $4 then until_at end) as to_at
        from ${AUDIT}.state_span where from_at < $3 and ${owner === null ? '$1::int is null' : 'owner_no = $1'}) s
      where to_at is null or to_at > $2
      order by to_at - from_at desc nulls first, first_position limit $5`;
    const { rows } = await this.pool.query<StateSpan>(text, [owner, from, to, now, limit]);
    return rows.map((row) => ({ ...row, from: Number(row.from), to: row.to === null ? null : Number(row.to) }));
  }

  /** Lists the events in a period whose authors are people, newest first. */
  async listChanges(owner: number | null, { from, to }: Range, limit: number): Promise<PersonChange[]> {
    const text = `
      select at, actor, type, event_id as "eventId", aggregate, aggregate_id as "aggregateId"
      from ${AUDIT}.person_change where ${owner === null ? '$1::int is null' : 'owner_no = $1'} and at >= $2 and at < $3
      order by at desc, position desc limit $4`;
    const { rows } = await this.pool.query<PersonChange>(text, [owner, from, to, limit]);
    return rows.map((row) => ({ ...row, at: Number(row.at) }));
  }
}
