import type { Pool } from 'pg';
import type { Attention } from '../../domain/channel/channel.events.js';
import type { Instant } from '../../kernel/instant.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { SCHEDULE } from '../publish-schedule/publish-schedule.tables.js';
import { ACTIVITY, type AlertKind } from './activity.tables.js';

/** A resource that has stopped by something other than its owner. */
export interface Alert {
  readonly id: string;
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly since: Instant;
  readonly disabled_by: string | null;
  readonly reason: string | null;
  /** Null if it has none; a webhook output's is its URL. */
  readonly name: string | null;
  /** Null unless it is a channel. */
  readonly platform: string | null;
  /** The network's refusal; null unless it is a channel. */
  readonly attention: Attention | null;
}

/** Alerts of one kind, the longest first. */
export interface AlertList {
  /** All there are. */
  readonly count: number;
  readonly alerts: readonly Alert[];
}

/** Tables of the resources of each kind of alert, and the columns that describe them. */
const RESOURCES: Readonly<
  Record<AlertKind, { readonly table: string; readonly id: string; readonly columns: string }>
> = {
  channel: { table: 'channel', id: 'channel_id', columns: 'r.name, r.platform, r.attention' },
  endpoint: { table: 'endpoint', id: 'endpoint_id', columns: 'r.name, null as platform, null::jsonb as attention' },
  webhook_output: {
    table: 'webhook_output',
    id: 'webhook_output_id',
    columns: 'r.url as name, null as platform, null::jsonb as attention',
  },
};

/** Most publications of a channel that are counted. */
const MOST_COUNTED = 10_000;

/** Reads the alerts of an owner, or of all owners (null). */
export class AlertQueries {
  constructor(private readonly pool: Pool) {}

  /** Lists alerts of one kind that apply at a time. A channel that its owner has disabled raises none. */
  async list(ownerId: string | null, kind: AlertKind, now: Instant, limit: number): Promise<AlertList> {
    const { table, id, columns } = RESOURCES[kind];
    const { rows } = await this.pool.query<AlertList>({
      name: `alerts of ${kind} ${ownerId === null ? 'of all' : 'of owner'}`,
      text: `
        with applying as materialized (
          select a.resource_id, a.owner_id, a.since, a.disabled_by, a.reason
          from ${ACTIVITY}.alert a join ${DISCOVERY}.${table} r on r.${id} = a.resource_id
          where a.kind = $1 and ${ownerId === null ? 'true' : 'a.owner_id = $4'} and (a.ends_at is null or a.ends_at > $2)
            ${kind === 'channel' ? 'and r.enabled' : ''})
        select (select count(*)::int from applying) as count, coalesce((
          select json_agg(s) from (
            select a.resource_id as id, a.owner_id, o.name as owner_name, a.since, a.disabled_by, a.reason, ${columns}
            from applying a join ${DISCOVERY}.${table} r on r.${id} = a.resource_id
            left join ${DISCOVERY}.owner o on o.owner_id = a.owner_id
            order by a.since, a.resource_id limit $3) s), '[]') as alerts`,
      values: [kind, now, limit, ...(ownerId === null ? [] : [ownerId])],
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
