import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import {
  AUDIT,
  AUDITED_AGGREGATES,
  AUDITED_TYPES,
  hash64,
  hashEventId,
  hashThing,
  hashType,
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
  readonly aggregate?: string | undefined;
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

const selectTypes = ({ aggregate, type }: AuditFilter): readonly string[] => {
  const types = aggregate === undefined ? AUDITED_TYPES : typesOf(aggregate);
  return type === undefined ? types : types.filter((each) => each === type);
};

/** Chooses the index to use: by resource, by type, or by position only. */
const selectEntries = (
  filter: AuditFilter,
  types: readonly string[],
  add: (value: unknown) => string,
): { readonly from: string; readonly where: string[] } => {
  const { id, aggregate, type, actor, ownerId } = filter;
  const hashes = types.map(hashType);
  if (id !== undefined) {
    const things = (aggregate === undefined ? AUDITED_AGGREGATES : [aggregate]).map((each) => hashThing(each, id));
    return {
      from: `unnest(${add(things.map(toInt8))}::bigint[]) t(hash)`,
      where: ['e.thing_hash = t.hash', ...(type === undefined ? [] : [`e.type_hash = any(${add(hashes)}::int[])`])],
    };
  }
  if (aggregate === undefined && type === undefined && actor === undefined && ownerId === null)
    return { from: '', where: [] };
  return { from: `unnest(${add(hashes)}::int[]) t(hash)`, where: ['e.type_hash = t.hash'] };
};
