import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Attention } from '../../domain/channel/channel.events.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { SCHEDULE } from '../publish-schedule/publish-schedule.tables.js';
import { ACTIVITY, type AlertKind, type AlertRow } from './activity.tables.js';
import type { ActivityBatch, HandledEvent } from './activity-batch.js';

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
    alertsOf('channel', 'r.name, r.platform, r.attention', `${isOwner} and r.enabled`),
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
