import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import {
  ALL_OWNERS,
  AUDIT,
  AUDITED_AGGREGATES,
  AUDITED_TYPES,
  hash64,
  hashEventId,
  hashThing,
  hashType,
  type StateSpanKind,
  toInt8,
  typesOf,
} from './audit.tables.js';

/** The location of an audited event in the event store. */
export interface AuditEntry {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  /** JSON of the event without its data; null unless the gateway deletes events of this type. */
  readonly envelope: string | null;
}

/** Selects entries of the audit trail; an absent field matches all entries. */
export interface AuditFilter {
  /** Null for all owners. */
  readonly ownerId: string | null;
  /** Types of aggregates. */
  readonly aggregates?: readonly string[] | undefined;
  readonly id?: string | undefined;
  readonly actor?: string | undefined;
  readonly type?: string | undefined;
  /** Inclusive. */
  readonly since?: Instant | undefined;
  /** Exclusive. */
  readonly until?: Instant | undefined;
}

/** Type of resource in the index. */
export type ResourceKind = 'channel' | 'project' | 'endpoint';

const MAX_POSITION = 9_223_372_036_854_775_807n;
const COLUMNS = 'position, stream, revision, envelope';

interface Range {
  /** Inclusive. */
  readonly from: bigint;
  /** Exclusive. */
  readonly to: bigint;
}

/** Finds events of the audit trail through its index. */
@Injectable()
export class AuditIndex {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** Waits up to two seconds until the index shows all events that are in the log now. */
  catchUp(): Promise<void> {
    return this.progress.waitUntilCaughtUp(['audit'], this.store);
  }

  /**
   * Lists entries, newest first. Each combination of owner, type and actor has an index ordered by position, so at most
   * `limit` entries of each type are read and merged.
   * @param before position, exclusive; null to start with the newest entry
   */
  async listEntries(filter: AuditFilter, before: bigint | null, limit: number): Promise<AuditEntry[]> {
    const types = selectTypes(filter);
    const owner = filter.ownerId === null ? null : await this.findOwnerNumber(filter.ownerId);
    if (types.length === 0 || owner === undefined) return [];
    const range = await this.findRange(filter, before);
    if (range === null) return [];
    const values: unknown[] = [];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const { from, where } = selectEntries(filter, types, add);
    if (owner !== null) where.push(`e.owner_no = ${add(owner)}`);
    if (filter.actor !== undefined) where.push(`e.actor_hash = ${add(toInt8(hash64(filter.actor)))}`);
    if (filter.since !== undefined) where.push(`e.at >= ${add(filter.since)}`);
    if (filter.until !== undefined) where.push(`e.at < ${add(filter.until)}`);
    where.push(`e.position >= ${add(range.from)}`, `e.position < ${add(range.to)}`);
    const ordered = `order by e.position desc limit ${add(limit)}`;
    const matching = `select ${COLUMNS} from ${AUDIT}.entry e where ${where.join(' and ')} ${ordered}`;
    const text =
      from === '' ? matching : `select ${COLUMNS} from ${from} cross join lateral (${matching}) e ${ordered}`;
    return (await this.pool.query<AuditEntry>(text, values)).rows;
  }

  /** Lists the entries of a story, oldest first. @param ownerId null for all owners */
  listStory(correlationId: string, ownerId: string | null): Promise<AuditEntry[]> {
    return this.findByHash('correlation_hash', hash64(correlationId), ownerId);
  }

  /**
   * Lists the entries whose event ids share the first 16 hex digits of this id, usually a single entry.
   * @param ownerId null for all owners
   */
  findEvents(eventId: string, ownerId: string | null): Promise<AuditEntry[]> {
    return this.findByHash('event_hash', hashEventId(eventId), ownerId);
  }

  /** Lists one entry from each other story that a request's events belong to. */
  async findStoriesOf(requestId: string): Promise<AuditEntry[]> {
    const text = `
      select e.* from ${AUDIT}.request_story s
      cross join lateral (select ${COLUMNS} from ${AUDIT}.entry
        where correlation_hash = s.correlation_hash order by position limit 1) e
      where s.request_hash = $1`;
    return (await this.pool.query<AuditEntry>(text, [toInt8(hash64(requestId))])).rows;
  }

  /**
   * Lists the ids of resources that ever existed, including deleted ones.
   * @param ownerId null for all owners
   * @param pausedOnly true to list only resources that were ever paused
   */
  async listResources(kind: ResourceKind, ownerId: string | null, pausedOnly: boolean): Promise<string[]> {
    const owner = ownerId === null ? null : await this.findOwnerNumber(ownerId);
    if (owner === undefined) return [];
    const text = `select resource_id from ${AUDIT}.resource
      where kind = $1 and ($2::int is null or owner_no = $2) and (paused or not $3) order by resource_id`;
    const { rows } = await this.pool.query<{ resource_id: string }>(text, [kind, owner, pausedOnly]);
    return rows.map(({ resource_id }) => resource_id);
  }

  /**
   * Lists the ids of aggregates with events in a period, sorted by id.
   * @param aggregate type of aggregate; its stream names must contain its id
   * @param ownerId null for all owners
   */
  async listChanged(
    aggregate: string,
    ownerId: string | null,
    times: Required<Pick<AuditFilter, 'since' | 'until'>>,
  ): Promise<string[]> {
    const owner = ownerId === null ? null : await this.findOwnerNumber(ownerId);
    const range = owner === undefined ? null : await this.findRange(times, null);
    if (range === null) return [];
    const text = `
      select distinct substr(e.stream, strpos(e.stream, '-') + 1) as id
      from unnest($1::int[]) t(hash)
      cross join lateral (
        select stream from ${AUDIT}.entry
        where type_hash = t.hash and ${owner === null ? '$2::int is null' : 'owner_no = $2'}
          and position >= $3 and position < $4 and at >= $5 and at < $6) e
      order by id`;
    const values = [typesOf(aggregate).map(hashType), owner, range.from, range.to, times.since, times.until];
    return (await this.pool.query<{ id: string }>(text, values)).rows.map(({ id }) => id);
  }

  /** Returns a position that no event before a time exceeds; 0 if there is none. */
  async findEnd(until: Instant): Promise<bigint> {
    return (await this.findRange({ until }, null))?.to ?? 0n;
  }

  /** Finds the number of an owner. @returns undefined if this owner has never existed */
  async findOwnerNumber(ownerId: string): Promise<number | undefined> {
    const text = `select owner_no from ${AUDIT}.resource where resource_id = $1 and kind = 'owner'`;
    return (await this.pool.query<{ owner_no: number }>(text, [ownerId])).rows[0]?.owner_no;
  }

  private async findByHash(
    column: 'correlation_hash' | 'event_hash',
    hash: string,
    ownerId: string | null,
  ): Promise<AuditEntry[]> {
    const owner = ownerId === null ? null : await this.findOwnerNumber(ownerId);
    if (owner === undefined) return [];
    const text = `select ${COLUMNS} from ${AUDIT}.entry
      where ${column} = $1 and ($2::int is null or owner_no = $2) order by position`;
    return (await this.pool.query<AuditEntry>(text, [toInt8(hash), owner])).rows;
  }

  /** Finds the range of positions of all events in a period. @returns null if there are none */
  private async findRange(
    { since, until }: Pick<AuditFilter, 'since' | 'until'>,
    before: bigint | null,
  ): Promise<Range | null> {
    const end = before ?? MAX_POSITION;
    if (since === undefined && until === undefined) return { from: 0n, to: end };
    const text = `select min(first_position) as first, max(last_position) as last from ${AUDIT}.span
      where ($1::bigint is null or last_at >= $1) and ($2::bigint is null or first_at < $2)`;
    const values = [since ?? null, until ?? null];
    const { rows } = await this.pool.query<{ first: bigint | null; last: bigint | null }>(text, values);
    const { first, last } = rows[0]!;
    if (first === null || last === null) return null;
    return { from: first, to: last + 1n < end ? last + 1n : end };
  }
}

const selectTypes = ({ aggregates, type }: AuditFilter): readonly string[] => {
  const types = aggregates?.flatMap(typesOf) ?? AUDITED_TYPES;
  return type === undefined ? types : types.filter((each) => each === type);
};

/** Chooses the index to use: by resource, by type, or by position only. */
const selectEntries = (
  filter: AuditFilter,
  types: readonly string[],
  add: (value: unknown) => string,
): { readonly from: string; readonly where: string[] } => {
  const { id, aggregates, type, actor, ownerId } = filter;
  const hashes = types.map(hashType);
  if (id !== undefined) {
    const things = (aggregates ?? AUDITED_AGGREGATES).map((each) => hashThing(each, id));
    return {
      from: `unnest(${add(things.map(toInt8))}::bigint[]) t(hash)`,
      where: ['e.thing_hash = t.hash', ...(type === undefined ? [] : [`e.type_hash = any(${add(hashes)}::int[])`])],
    };
  }
  if (aggregates === undefined && type === undefined && actor === undefined && ownerId === null)
    return { from: '', where: [] };
  return { from: `unnest(${add(hashes)}::int[]) t(hash)`, where: ['e.type_hash = t.hash'] };
};

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

type SpanRange = Pick<BucketRange, 'from' | 'to'>;

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
  async listSpans(owner: number | null, { from, to }: SpanRange, now: Instant, limit: number): Promise<StateSpan[]> {
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
  async listChanges(owner: number | null, { from, to }: SpanRange, limit: number): Promise<PersonChange[]> {
    const text = `
      select at, actor, type, event_id as "eventId", aggregate, aggregate_id as "aggregateId"
      from ${AUDIT}.person_change where ${owner === null ? '$1::int is null' : 'owner_no = $1'} and at >= $2 and at < $3
      order by at desc, position desc limit $4`;
    const { rows } = await this.pool.query<PersonChange>(text, [owner, from, to, limit]);
    return rows.map((row) => ({ ...row, at: Number(row.at) }));
  }
}
