import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Attention } from '../../domain/channel/channel.events.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { SCHEDULE } from '../publish-schedule/publish-schedule.tables.js';
import {
  ACTIVITY,
  type AlertKind,
  type AlertRow,
  ALL_OWNERS,
  type FeedRow,
  type MinuteRow,
  type StandingRow,
  type TenMinutesRow,
} from './activity.tables.js';
import { type ActivityBatch, FEED_SIZE, feedKey, type HandledEvent } from './counters.js';

export { findPercentile } from './counters.js';

/** A publication that failed or is in doubt, and since when. */
interface SettledPublication {
  readonly id: string;
  readonly since: Instant;
}

/** The activity of an owner, or of all owners. */
export interface Activity {
  /** By minute and network, in any order; minutes in which nothing happened are absent. */
  readonly minutes: readonly Pick<
    MinuteRow,
    'platform' | 'at' | 'published' | 'failed' | 'in_doubt' | 'refused' | 'latencies'
  >[];
  /** Like `minutes`, but for all networks together. */
  readonly tenMinutes: readonly Pick<TenMinutesRow, 'at' | 'events' | 'failed' | 'in_doubt'>[];
  readonly standings: readonly StandingRow[];
  readonly networks: readonly {
    readonly platform: string;
    /** Time at which the oldest queued publication was accepted; null if there is none. */
    readonly oldest_at: Instant | null;
    /** True while a delay requested by the network is in effect. */
    readonly is_limited: boolean;
    /** True if a publication is waiting because the monthly quota is used up. */
    readonly lacks_quota: boolean;
  }[];
  /** Oldest failure first. */
  readonly failed: readonly SettledPublication[];
  /** Longest in doubt first. */
  readonly inDoubt: readonly SettledPublication[];
  /** Ids of queued publications, longest wait first. */
  readonly longestWaiting: readonly string[];
  /** In any order. */
  readonly feed: readonly FeedRow[];
}

/** Selects the activity to read. */
export interface ActivityRange {
  readonly platforms: readonly string[];
  readonly firstMinute: Instant;
  readonly firstTenMinutes: Instant;
  readonly now: Instant;
  /** Maximum number of publications in each list. */
  readonly limits: { readonly settled: number; readonly waiting: number };
}

/** An owner's waiting publications. */
export interface WaitingOwner {
  readonly owner_id: string;
  readonly owner_name: string;
  /** The oldest waiting publication. */
  readonly publication_id: string;
  readonly platform: string;
  readonly oldest_at: Instant;
  /** Number of waiting publications, on all networks. */
  readonly posts: number;
}

/** Reads activity. The cost of a call does not grow with the number of publications. */
@Injectable()
export class ActivityQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Reads the activity of an owner; null for all owners. */
  async read(ownerId: string | null, range: ActivityRange): Promise<Activity> {
    const owner = ownerId ?? ALL_OWNERS;
    const { rows } = await this.pool.query<Activity>({
      name: `activity ${ownerId === null ? 'of all' : 'of owner'}`,
      text: ownerId === null ? ACTIVITY_OF_ALL : ACTIVITY_OF_OWNER,
      values: [
        owner,
        range.platforms,
        ...[range.firstMinute, range.firstTenMinutes, range.now],
        ...[range.limits.settled, range.limits.waiting],
        Array.from({ length: FEED_SIZE }, (_, number) => feedKey(owner, number)),
      ],
    });
    return rows[0]!;
  }

  /** Returns when each owner last published, by owner id; owners that have never published are absent. */
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
}

/** SQL: rows as a JSON list. */
const list = (query: string): string => `(select coalesce(json_agg(r), '[]') from (${query}) r)`;

/**
 * SQL: reads the activity in one statement. Reads for one owner and for all owners use different indexes.
 * @param isOwner condition that selects the owner's publications
 */
const activityStatement = (isOwner: string): string => {
  const isQueued = `${isOwner} and platform = n.platform and waits and state = 'queued'`;
  const isPostponedBy = (rule: string): string => `exists (
    select from ${ACTIVITY}.publication
    where ${isOwner} and platform = n.platform and retry_rule = '${rule}' and retry_at > $5 and state = 'queued')`;
  const settled = (state: string): string => `
    select publication_id as id, settled_at as since from ${ACTIVITY}.publication
    where ${isOwner} and settled = '${state}' and settled_at is not null
    order by settled_at, publication_id limit $6`;
  return `
    select
      ${list(`select platform, at, published, failed, in_doubt, refused, latencies from ${ACTIVITY}.minute
        where owner_id = $1 and at between $3 and $5`)} as minutes,
      ${list(`select at, events, failed, in_doubt from ${ACTIVITY}.ten_minutes
        where owner_id = $1 and at between $4 and $5`)} as "tenMinutes",
      ${list(`select * from ${ACTIVITY}.standing where owner_id = $1`)} as standings,
      ${list(`select n.platform, ${isPostponedBy('platform_limit')} as is_limited, ${isPostponedBy('quota')} as lacks_quota, (
          select accepted_at from ${ACTIVITY}.publication where ${isQueued} order by accepted_at limit 1) as oldest_at
        from unnest($2::text[]) n(platform)`)} as networks,
      ${list(settled('failed'))} as failed,
      ${list(settled('in_doubt'))} as "inDoubt",
      (select coalesce(json_agg(w.publication_id), '[]') from (
        select o.publication_id from ${ACTIVITY}.standing n
        cross join lateral (
          select publication_id, accepted_at from ${ACTIVITY}.publication
          where ${isQueued} order by accepted_at limit $7) o
        where n.owner_id = $1 and n.waits
        order by o.accepted_at, o.publication_id limit $7) w) as "longestWaiting",
      ${list(`select * from ${ACTIVITY}.feed where feed_key = any($8)`)} as feed`;
};

const ACTIVITY_OF_OWNER = activityStatement('owner_id = $1');
const ACTIVITY_OF_ALL = activityStatement('true');

/** A resource that something other than its owner has stopped. */
export interface Alert {
  readonly id: string;
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly since: Instant;
  readonly disabled_by: string | null;
  readonly reason: string | null;
  /** The resource's name, or a webhook output's URL; null if it has no name. */
  readonly name: string | null;
  /** Null unless it is a channel. */
  readonly platform: string | null;
  /** Why the channel needs attention; null unless it is a channel. */
  readonly attention: Attention | null;
}

/** Alerts of one kind. */
export interface AlertList {
  /** Total number of alerts, even if `alerts` contains only the oldest. */
  readonly count: number;
  /** Oldest first. */
  readonly alerts: readonly Alert[];
}

/** Alerts by kind. */
export type Alerts = Readonly<Record<AlertKind, AlertList>>;

const MOST_COUNTED = 10_000;

/** Reads alerts. */
@Injectable()
export class AlertQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Lists the alerts that are active at `now`. Omits channels that are disabled.
   * @param ownerId null for all owners
   * @param limit maximum number of alerts of each kind
   */
  async list(ownerId: string | null, now: Instant, limit: number): Promise<Alerts> {
    const { rows } = await this.pool.query<Alerts>({
      name: `alerts ${ownerId === null ? 'of all' : 'of owner'}`,
      text: ownerId === null ? ALERTS_OF_ALL : ALERTS_OF_OWNER,
      values: [now, limit, ...(ownerId === null ? [] : [ownerId])],
    });
    return rows[0]!;
  }

  /** Counts the queued publications of a channel, up to 10,000. */
  async countWaiting(channelId: string): Promise<number> {
    const { rows } = await this.pool.query<{ waiting: number }>({
      name: 'count what waits on a channel',
      text: `
        select least(${MOST_COUNTED}, (
          select count(*) from (
            select from ${SCHEDULE}.publication p
            where p.channel_id = $1 and p.waits and p.project_pause_id is null and p.state = 'queued'
            limit ${MOST_COUNTED}) p)
          + (select coalesce(sum(waiting), 0) from ${SCHEDULE}.paused_queue where channel_id = $1))::int as waiting`,
      values: [channelId],
    });
    return rows[0]!.waiting;
  }
}

const NO_CHANNEL = 'null as platform, null::jsonb as attention';

/** SQL: the alerts of one kind. @param columns SQL that describes the resource `r` */
const alertsOf = (kind: AlertKind, columns: string, condition: string): string => `(
  select json_build_object('count', count(*), 'alerts',
    coalesce(json_agg(l order by l.since, l.id) filter (where l.place <= $2), '[]'))
  from (
    select a.resource_id as id, a.owner_id, o.name as owner_name, a.since, a.disabled_by, a.reason, ${columns},
      row_number() over (order by a.since, a.resource_id) as place
    from ${ACTIVITY}.alert a join ${DISCOVERY}.${kind} r on r.${kind}_id = a.resource_id
    left join ${DISCOVERY}.owner o on o.owner_id = a.owner_id
    where a.kind = '${kind}' and (a.ends_at is null or a.ends_at > $1) and ${condition}) l) as ${kind}`;

const alertsStatement = (isOwner: string): string =>
  `select ${[
    alertsOf('channel', `r.name, r.platform, r.state -> 'attention' as attention`, `${isOwner} and r.enabled`),
    alertsOf('endpoint', `r.name, ${NO_CHANNEL}`, isOwner),
    alertsOf('webhook_output', `r.url as name, ${NO_CHANNEL}`, isOwner),
  ].join(', ')}`;

const ALERTS_OF_OWNER = alertsStatement('a.owner_id = $3');
const ALERTS_OF_ALL = alertsStatement('true');

/** Raises and ends the alerts for resources that were stopped by something other than their owner. */
export const raiseAlerts = (event: HandledEvent, batch: ActivityBatch): void => {
  switch (event.type) {
    case 'ChannelNeedsAttention': {
      const { channelId: resource_id, until: ends_at, attention } = event.data;
      const { message: reason } = attention;
      return raise(batch, event, { kind: 'channel', resource_id, ends_at, disabled_by: null, reason });
    }
    case 'ChannelCredentialsReplaced':
    case 'ChannelAttentionCleared':
    case 'ChannelDeleted':
      return batch.alerts.remove(event.data.channelId);
    case 'EndpointDisabled': {
      const { endpointId, by, reason } = event.data;
      if (by === 'owner') return batch.alerts.remove(endpointId);
      return raise(batch, event, { kind: 'endpoint', resource_id: endpointId, ends_at: null, disabled_by: by, reason });
    }
    case 'EndpointEnabled':
    case 'EndpointDeleted':
      return batch.alerts.remove(event.data.endpointId);
    case 'WebhookOutputDisabled': {
      const { outputId, by, reason } = event.data;
      if (by === 'owner') return batch.alerts.remove(outputId);
      const alert = { kind: 'webhook_output', resource_id: outputId, ends_at: null, disabled_by: by, reason } as const;
      return raise(batch, event, alert);
    }
    case 'WebhookOutputEnabled':
    case 'WebhookOutputDeleted':
      return batch.alerts.remove(event.data.outputId);
    default:
      return;
  }
};

const FEED_KIND = {
  channel: 'channel_needs_attention',
  endpoint: 'endpoint_disabled',
  webhook_output: 'webhook_output_disabled',
} as const;

const raise = (
  { alerts, feed, resources }: ActivityBatch,
  { at }: HandledEvent,
  alert: Omit<AlertRow, 'owner_id' | 'since'>,
): void => {
  const resource = resources.get(alert.resource_id);
  if (!resource) return;
  const { owner_id, platform } = resource;
  alerts.put({ ...alert, owner_id, since: at });
  feed.add(owner_id, { at, kind: FEED_KIND[alert.kind], subject_id: alert.resource_id, post_id: null, platform });
};
