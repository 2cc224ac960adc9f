import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore, type Position } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { PartOfList } from '../../kernel/ids.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { ProjectionProgress, READER_TIMEOUT_MS } from '../engine/progress.js';
import { PostHorizon, PostLookup } from './archived-posts.queries.js';
import { POSTS, type PublicationRow } from './posts.tables.js';

/**
 * Finds a publication; null if there is none.
 * @param ownerId owner that it must belong to; null for any owner
 */
@Injectable()
export class FindPublication {
  constructor(
    private readonly lookup: PostLookup,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @param endpointIds the only endpoints whose publications to find; null for any */
  execute(
    publicationId: string,
    ownerId: string | null,
    endpointIds: readonly string[] | null = null,
  ): Promise<PublicationRow | null> {
    return this.progress.findUpToDate('posts', this.store, async () => {
      const found = await this.lookup.findOne<{ row: PublicationRow }>({
        name: 'find publication',
        text: `select to_json(x) as row from ${POSTS}.publication x
               where x.publication_id = $1 and ($2::text is null or x.owner_id = $2) and ($3::text[] is null
                 or exists (select from ${POSTS}.post p where p.post_id = x.post_id and p.endpoint_id = any($3)))`,
        values: [publicationId, ownerId, endpointIds],
      });
      return found?.row ?? null;
    });
  }
}

/** Finds the publications that a limited key may not see: those of posts through other endpoints (D-93). */
@Injectable()
export class FindHiddenPublications {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(publicationIds: readonly string[], endpointIds: readonly string[]): Promise<readonly string[]> {
    if (publicationIds.length === 0) return [];
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'hidden publications',
      text: `select x.publication_id as id from ${POSTS}.publication x join ${POSTS}.post p on p.post_id = x.post_id
             where x.publication_id = any($1) and p.endpoint_id <> all($2)`,
      values: [publicationIds, endpointIds],
    });
    return rows.map(({ id }) => id);
  }
}

/**
 * Lists a channel's publications in order of sequence number (D-37).
 * @param from first sequence number, inclusive
 */
@Injectable()
export class ListReceipts {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly horizon: PostHorizon,
  ) {}

  async execute(channelId: string, from: number, limit: number): Promise<PartOfList<PublicationRow>> {
    await this.progress.waitUntilCaughtUp(['posts'], this.store);
    const { rows } = await this.pool.query<{ row: PublicationRow }>({
      name: 'list receipts',
      text: `select to_json(x) as row from ${POSTS}.publication x
             where x.channel_id = $1 and x.sequence >= $2 order by x.sequence limit $3`,
      values: [channelId, from, limit],
    });
    return this.horizon.endList({ rows: rows.map(({ row }) => row), isCut: false }, limit);
  }
}

/** How many of a channel's newest publications to search. */
const NEWEST_PUBLICATIONS = 50;

/** Finds messages already recorded for a post; no other post may claim them. */
@Injectable()
export class ChannelMessages {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * Finds the ids of the newest messages in a channel's chat, published by any channel that uses the chat (D-3).
   * @param position that the views must have reached
   * @returns null if they do not reach it within two seconds
   */
  async findMessageIds(channelId: string, position: Position): Promise<Set<string> | null> {
    if (!(await this.progress.waitFor(['posts', 'discovery'], position, READER_TIMEOUT_MS))) return null;
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'messages in a chat',
      text: `
        select jsonb_array_elements_text(p.message_ids) as id
        from ${DISCOVERY}.channel c
        join ${DISCOVERY}.channel same on same.platform = c.platform and same.state -> 'address' = c.state -> 'address'
        cross join lateral (
          select message_ids from ${POSTS}.publication
          where channel_id = same.channel_id and message_ids <> '[]'
          order by sequence desc limit ${NEWEST_PUBLICATIONS}) p
        where c.channel_id = $1`,
      values: [channelId],
    });
    return new Set(rows.map(({ id }) => id));
  }
}

/** Publications that someone has to look at, longest known first. */
export interface OpenPublications {
  /** Total number, up to 10,000. */
  readonly count: number;
  readonly publications: readonly { readonly id: string; readonly since: Instant }[];
}

const MOST_COUNTED = 10_000;

/**
 * Finds the publications with a duplicate that no one has dismissed (D-84), or whose newest content the network refused
 * (D-72), except on deleted channels.
 */
@Injectable()
export class OpenPublicationQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * @param column time since which someone has to look at a publication
   * @param ownerId null for all owners
   * @param limit maximum number of publications to list
   */
  async list(
    column: 'duplicate_since' | 'edit_failed_since',
    ownerId: string | null,
    limit: number,
  ): Promise<OpenPublications> {
    const open = `
      from ${POSTS}.publication p join ${DISCOVERY}.channel c on c.channel_id = p.channel_id
      where p.${column} is not null${ownerId === null ? '' : ' and p.owner_id = $2'}`;
    const { rows } = await this.pool.query<OpenPublications>({
      name: `open ${column} ${ownerId === null ? 'of all' : 'of owner'}`,
      text: `
        select
          (select count(*)::int from (select ${open} limit ${MOST_COUNTED}) counted) as count,
          (select coalesce(jsonb_agg(to_jsonb(s) order by s.since, s.id), '[]') from (
            select p.publication_id as id, p.${column} as since ${open}
            order by p.${column}, p.publication_id limit $1) s) as publications`,
      values: [limit, ...(ownerId === null ? [] : [ownerId])],
    });
    return rows[0]!;
  }
}

/**
 * Finds the publications that could not be taken back, or whose messages are not deleted for a while (D-69), also on
 * deleted channels: readers still see them.
 */
@Injectable()
export class OpenWithdrawalQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * @param ownerId null for all owners
   * @param before publications that are being taken back count if they were asked to be before this time
   * @param limit maximum number of publications to list
   */
  async list(ownerId: string | null, before: Instant, limit: number): Promise<OpenPublications> {
    const { rows } = await this.pool.query<OpenPublications>({
      name: `open withdrawals ${ownerId === null ? 'of all' : 'of owner'}`,
      text: `
        with open as (
          select p.publication_id as id, coalesce(p.withdrawal ->> 'ended_at', p.withdrawal ->> 'requested_at')::bigint as since
          from ${POSTS}.publication p
          where p.settled in ('withdrawing', 'withdraw_failed')${ownerId === null ? '' : ' and p.owner_id = $3'}
            and (p.settled = 'withdraw_failed' or (p.withdrawal ->> 'requested_at')::bigint <= $2)
          limit ${MOST_COUNTED})
        select (select count(*)::int from open) as count,
          (select coalesce(jsonb_agg(to_jsonb(s) order by s.since, s.id), '[]') from (
            select * from open order by since, id limit $1) s) as publications`,
      values: [limit, before, ...(ownerId === null ? [] : [ownerId])],
    });
    return rows[0]!;
  }
}

/** A publication with details that help people recognise it. */
export interface PublicationDetails {
  readonly row: PublicationRow;
  readonly accepted_at: Instant;
  /** Null if the channel was deleted. */
  readonly channel_name: string | null;
  /** Null if the owner was deleted. */
  readonly owner_name: string | null;
}

/** Finds publications with their channels, owners and times. */
@Injectable()
export class PublicationDetailsQueries {
  constructor(private readonly lookup: PostLookup) {}

  /** Returns the known publications, by id. */
  async find(publicationIds: readonly string[]): Promise<Map<string, PublicationDetails>> {
    if (publicationIds.length === 0) return new Map();
    const rows = await this.lookup.find<PublicationDetails>(publicationIds, {
      name: 'details of publications',
      text: `
        select to_json(x) as row, p.accepted_at::float8 as accepted_at, c.name as channel_name,
          o.name as owner_name
        from ${POSTS}.publication x join ${POSTS}.post p on p.post_id = x.post_id
        left join ${DISCOVERY}.channel c on c.channel_id = x.channel_id
        left join ${DISCOVERY}.owner o on o.owner_id = x.owner_id
        where x.publication_id = any($1)`,
      values: [publicationIds],
    });
    return new Map(rows.map((details) => [details.row.publication_id, details]));
  }
}
