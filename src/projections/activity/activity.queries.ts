import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import {
  ACTIVITY,
  ALL_OWNERS,
  type FeedRow,
  type MinuteRow,
  type StandingRow,
  type TenMinutesRow,
} from './activity.tables.js';
import { FEED_SIZE, feedKey } from './feed.js';

export { findPercentile } from './latency-histogram.js';

/** Counts of an owner by time; the intervals in which nothing happened are absent. */
export interface ActivityCounts {
  readonly minutes: readonly Pick<
    MinuteRow,
    'platform' | 'at' | 'published' | 'failed' | 'in_doubt' | 'refused' | 'latencies'
  >[];
  readonly tenMinutes: readonly Pick<TenMinutesRow, 'at' | 'events' | 'failed' | 'in_doubt'>[];
}

/** Publications that await their owner's decision, the longest first. */
export interface SettledPublications {
  readonly ids: readonly string[];
  /** Time since which the first one does. */
  readonly since: Instant;
}

/** An owner's publications that wait. */
export interface WaitingOwner {
  readonly owner_id: string;
  readonly owner_name: string;
  readonly publication_id: string;
  readonly platform: string;
  readonly oldest_at: Instant;
  /** All that wait, on all networks. */
  readonly posts: number;
}

/**
 * Reads an owner's activity, or that of all owners (null). Each call costs the same with any number of publications: it reads
 * counts that are kept, or the beginning of an index.
 */
export class ActivityQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns the counts of the minutes and ten minutes that begin within these times, both inclusive. */
  async readCounts(
    ownerId: string | null,
    times: { readonly firstMinute: Instant; readonly firstTenMinutes: Instant; readonly now: Instant },
  ): Promise<ActivityCounts> {
    const { rows } = await this.pool.query<ActivityCounts>({
      name: 'activity counts',
      text: `
        select
          (select coalesce(json_agg(m), '[]') from (
            select platform, at, published, failed, in_doubt, refused, latencies from ${ACTIVITY}.minute
            where owner_id = $1 and at between $2 and $4) m) as minutes,
          (select coalesce(json_agg(t), '[]') from (
            select at, events, failed, in_doubt from ${ACTIVITY}.ten_minutes
            where owner_id = $1 and at between $3 and $4) t) as "tenMinutes"`,
      values: [ownerId ?? ALL_OWNERS, times.firstMinute, times.firstTenMinutes, times.now],
    });
    return rows[0]!;
  }

  /** Returns the numbers of publications that have not ended, by network. */
  async readStandings(ownerId: string | null): Promise<StandingRow[]> {
    const { rows } = await this.pool.query<{ row: StandingRow }>({
      name: 'activity standings',
      text: `select to_jsonb(s) as row from ${ACTIVITY}.standing s where owner_id = $1`,
      values: [ownerId ?? ALL_OWNERS],
    });
    return rows.map(({ row }) => row);
  }

  /** Returns when owners were last published for, by owner; those who never were are absent. */
  async findLastPublished(ownerIds: readonly string[]): Promise<Map<string, Instant>> {
    if (ownerIds.length === 0) return new Map();
    const { rows } = await this.pool.query<{ owner_id: string; at: number }>({
      name: 'activity last published',
      text: `
        select owner_id, max(last_published_at)::float8 as at from ${ACTIVITY}.standing
        where owner_id = any($1) and last_published_at is not null group by 1`,
      values: [ownerIds],
    });
    return new Map(rows.map(({ owner_id, at }) => [owner_id, at]));
  }

  /** Returns when the oldest queued publication of each network was accepted; networks without one are absent. */
  async findOldest(ownerId: string | null, platforms: readonly string[]): Promise<Map<string, Instant>> {
    const { rows } = await this.pool.query<{ platform: string; at: number }>({
      name: `activity oldest ${scopeName(ownerId)}`,
      text: `
        select n.platform, o.accepted_at::float8 as at from unnest($1::text[]) n(platform)
        cross join lateral (
          select accepted_at from ${ACTIVITY}.publication
          where ${ownerIs(ownerId, '$2')} and platform = n.platform and waits and state = 'queued'
          order by accepted_at limit 1) o`,
      values: [platforms, ...valuesOf(ownerId)],
    });
    return new Map(rows.map(({ platform, at }) => [platform, at]));
  }

  /** Returns the networks on which a rule holds a queued publication back until after `now`, by rule. */
  async findPostponed(
    ownerId: string | null,
    platforms: readonly string[],
    rules: readonly string[],
    now: Instant,
  ): Promise<readonly { readonly platform: string; readonly rule: string }[]> {
    const { rows } = await this.pool.query<{ platform: string; rule: string }>({
      name: `activity postponed ${scopeName(ownerId)}`,
      text: `
        select n.platform, r.rule from unnest($1::text[]) n(platform) cross join unnest($2::text[]) r(rule)
        where exists (
          select from ${ACTIVITY}.publication
          where ${ownerIs(ownerId, '$4')} and platform = n.platform and retry_rule = r.rule and retry_at > $3
            and state = 'queued')`,
      values: [platforms, rules, now, ...valuesOf(ownerId)],
    });
    return rows;
  }

  /** Finds publications that failed or are in doubt, the longest first; null if there are none. */
  async findSettled(
    ownerId: string | null,
    state: 'failed' | 'in_doubt',
    limit: number,
  ): Promise<SettledPublications | null> {
    const { rows } = await this.pool.query<{ publication_id: string; since: number }>({
      name: `activity settled ${scopeName(ownerId)}`,
      text: `
        select publication_id, settled_at::float8 as since from ${ACTIVITY}.publication
        where ${ownerIs(ownerId, '$3')} and settled = $1 order by settled_at, publication_id limit $2`,
      values: [state, limit, ...valuesOf(ownerId)],
    });
    return rows[0] ? { ids: rows.map(({ publication_id }) => publication_id), since: rows[0].since } : null;
  }

  /** Finds the publications that have waited longest. */
  async findLongestWaiting(ownerId: string | null, platforms: readonly string[], limit: number): Promise<string[]> {
    const { rows } = await this.pool.query<{ publication_id: string }>({
      name: `activity longest waiting ${scopeName(ownerId)}`,
      text: `
        select o.publication_id from unnest($1::text[]) n(platform)
        cross join lateral (
          select publication_id, accepted_at from ${ACTIVITY}.publication
          where ${ownerIs(ownerId, '$3')} and platform = n.platform and waits and state = 'queued'
          order by accepted_at limit $2) o
        order by o.accepted_at, o.publication_id limit $2`,
      values: [platforms, limit, ...valuesOf(ownerId)],
    });
    return rows.map(({ publication_id }) => publication_id);
  }

  /** Finds the owners whose publications have waited longest. */
  async findWaitingOwners(limit: number): Promise<WaitingOwner[]> {
    const { rows } = await this.pool.query<WaitingOwner>({
      name: 'activity waiting owners',
      text: `
        select w.owner_id, d.name as owner_name, w.publication_id, w.platform, w.oldest_at, w.posts from (
          select distinct on (s.owner_id) s.owner_id, o.publication_id, s.platform, o.accepted_at::float8 as oldest_at,
            (sum(s.queued) over (partition by s.owner_id))::float8 as posts
          from ${ACTIVITY}.standing s
          cross join lateral (
            select publication_id, accepted_at from ${ACTIVITY}.publication p
            where p.owner_id = s.owner_id and p.platform = s.platform and p.waits and p.state = 'queued'
            order by p.accepted_at limit 1) o
          where s.waits and s.owner_id <> $1
          order by s.owner_id, o.accepted_at) w
        join ${DISCOVERY}.owner d on d.owner_id = w.owner_id
        order by w.oldest_at, w.owner_id limit $2`,
      values: [ALL_OWNERS, limit],
    });
    return rows;
  }

  /** Returns the latest events, the newest first. */
  async readFeed(ownerId: string | null): Promise<FeedRow[]> {
    const owner = ownerId ?? ALL_OWNERS;
    const { rows } = await this.pool.query<{ rows: readonly FeedRow[] }>({
      name: 'activity feed',
      text: `select coalesce(json_agg(f), '[]') as rows from ${ACTIVITY}.feed f where feed_key = any($1)`,
      values: [Array.from({ length: FEED_SIZE }, (_, number) => feedKey(owner, number))],
    });
    return rows[0]!.rows.toSorted((a, b) => b.number - a.number);
  }
}

/** SQL: the condition that selects an owner's rows. All owners' have indexes of their own. */
const ownerIs = (ownerId: string | null, parameter: string): string =>
  ownerId === null ? 'true' : `owner_id = ${parameter}`;

const valuesOf = (ownerId: string | null): readonly string[] => (ownerId === null ? [] : [ownerId]);

/** Part of the name of a prepared statement. */
const scopeName = (ownerId: string | null): string => (ownerId === null ? 'of all' : 'of owner');
