import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import type { Position } from '../event-store/port.js';
import { MediaQueries } from '../projections/media/media.queries.js';
import { PLANNED_POSTS } from '../projections/planned-posts/planned-posts.tables.js';
import { SCHEDULE } from '../projections/publish-schedule/publish-schedule.tables.js';
import { DELIVERIES } from '../projections/webhook-deliveries/webhook-deliveries.tables.js';
import type { SharedResult } from '../runtime/shared-result.js';
import { HANDLED_POSITION, isStoppedAt } from '../sagas/engine/saga-status.queries.js';
import type { ClockDifference, EventTimes } from './times.js';

const LAG_HELP =
  'How many positions a live projection is behind the newest event; on PostgreSQL, one position per event';
const SAGA_LAG_HELP =
  'How many positions a saga is behind the newest event; its checkpoint moves past events of other types every 5 s';
const SAGA_STOPPED_HELP = '1 if a saga is stuck at an event that cannot be read or is older than a minute';
const SAGA_AGE_HELP =
  'Age of the oldest event that a saga has not handled; the newest events of other types count for up to 5 s';
const PLANNED_OVERDUE_HELP = 'How long the oldest planned post that should have been released is overdue';
const DUE_AGE_HELP = 'How long the oldest publication that a worker could send has been due';
const CLOCK_HELP = "How far the process's clock is ahead of the database's; negative if it is behind";
const OVERDUE_HELP = 'Items whose erasure is more than a minute overdue (D-56)';

/** SQL: the database's time, in ms since 1970. */
const NOW = 'extract(epoch from clock_timestamp())::float8 * 1000';

/** Maximum number of deliveries to count: the cost of a scrape must not grow with the queue. */
const MOST_DELIVERIES = 100_000;

interface SagaRow {
  readonly saga: string;
  readonly position: Position;
  readonly failure: { readonly at: number | null } | null;
  /** The database's time, in ms since 1970. */
  readonly now: number;
}

/** What {@link DeploymentMetrics} reads. */
export interface MetricsSources {
  /** Used only for these statements; the server cancels statements that take too long. */
  readonly pool: Pick<Pool, 'query'>;
  readonly storeHead: Pick<SharedResult<Position>, 'get'>;
  readonly eventTimes: Pick<EventTimes, 'readAfter'>;
  readonly clock: Pick<ClockDifference, 'read'>;
}

/**
 * Gauges of the whole deployment, read from the database and the event store. A refresh runs one statement after
 * another; its cost grows with the number of channels, not with the backlog (ADR-90). A gauge has no value while its
 * source is unavailable, because 0 would look like an actual measurement.
 */
export class DeploymentMetrics {
  private readonly depth: Gauge;
  private readonly age: Gauge;
  private readonly dueAge: Gauge;
  private readonly planned: Gauge;
  private readonly plannedOverdue: Gauge;
  private readonly mediaBytes: Gauge;
  private readonly head: Gauge;
  private readonly positions: Gauge;
  private readonly lag: Gauge;
  private readonly sagaPositions: Gauge;
  private readonly sagaLag: Gauge;
  private readonly sagaAge: Gauge;
  private readonly stoppedSagas: Gauge;
  private readonly logLag: Gauge;
  private readonly overdue: Gauge;
  private readonly deliveries: Gauge;
  private readonly clockDifference: Gauge;

  constructor(
    registry: Registry,
    private readonly sources: MetricsSources,
  ) {
    const gauge = (name: string, help: string, ...labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.depth = gauge(
      'crosspost_queue_depth',
      'Publications that are queued, being sent, failed or in doubt',
      'platform',
      'state',
    );
    this.age = gauge('crosspost_queue_age_seconds', 'Age of the oldest waiting publication', 'platform');
    this.dueAge = gauge('crosspost_due_publication_age_seconds', DUE_AGE_HELP, 'platform');
    this.planned = gauge('crosspost_planned_posts', 'Posts that wait for their publication time or for approval');
    this.plannedOverdue = gauge('crosspost_planned_post_overdue_seconds', PLANNED_OVERDUE_HELP);
    this.mediaBytes = gauge('crosspost_media_bytes', 'Total size of uploaded files');
    this.head = gauge('crosspost_event_store_position', 'Position of the newest event');
    this.positions = gauge('crosspost_projection_position', 'Position of a live projection', 'projection');
    this.lag = gauge('crosspost_projection_lag', LAG_HELP, 'projection');
    this.sagaPositions = gauge('crosspost_saga_position', 'Position of a saga', 'saga');
    this.sagaLag = gauge('crosspost_saga_lag', SAGA_LAG_HELP, 'saga');
    this.sagaAge = gauge('crosspost_saga_event_age_seconds', SAGA_AGE_HELP, 'saga');
    this.stoppedSagas = gauge('crosspost_saga_stopped', SAGA_STOPPED_HELP, 'saga');
    this.logLag = gauge(
      'crosspost_history_log_lag',
      'How many positions the transparency log is behind the newest event',
    );
    this.overdue = gauge('crosspost_overdue_erasures', OVERDUE_HELP, 'kind');
    this.deliveries = gauge(
      'crosspost_waiting_deliveries',
      `Waiting webhook deliveries, counted up to ${MOST_DELIVERIES}`,
    );
    this.clockDifference = gauge('crosspost_clock_difference_seconds', CLOCK_HELP);
    this.clear();
  }

  /** Updates all gauges. Never throws. */
  async refresh(): Promise<void> {
    this.clear();
    const reads = [
      this.readDepth,
      this.readAge,
      this.readDueAge,
      this.readPlanned,
      this.readPlannedOverdue,
      this.readMediaBytes,
      this.readPositions,
      this.readSagas,
      this.readOverdue,
      this.readDeliveries,
      this.readClock,
    ];
    for (const read of reads) await read().catch(() => undefined);
  }

  /** Removes all values. */
  clear(): void {
    const ofSagas = [this.sagaPositions, this.sagaLag, this.sagaAge, this.stoppedSagas];
    const labelled = [this.depth, this.age, this.dueAge, this.positions, this.lag, ...ofSagas, this.overdue];
    for (const gauge of labelled) gauge.reset();
    const times = [this.plannedOverdue, this.logLag, this.clockDifference];
    const others = [...times, this.planned, this.mediaBytes, this.head, this.deliveries];
    for (const gauge of others) gauge.remove(); // reset() would set 0
  }

  /** Reads the counters kept by the schedule (publish-schedule/publish-schedule.tables.ts). */
  private readonly readDepth = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<{ platform: string; state: string; publications: number }>(
      `select platform, state, publications::float8 from ${SCHEDULE}.queue_depth, lateral (values
         ('queued', queued), ('publishing', publishing), ('failed', failed), ('in_doubt', in_doubt)) s(state, publications)
       where publications > 0`,
    );
    for (const { platform, state, publications } of rows) this.depth.set({ platform, state }, publications);
  };

  /** Reads the oldest publication in each channel's queue, and in each queue that is delayed by a project's pause. */
  private readonly readAge = async (): Promise<void> => {
    const first = (queue: string) => `cross join lateral (select p.accepted_at from ${SCHEDULE}.publication p
      where p.channel_id = c.channel_id and p.waits and p.project_pause_id ${queue} order by p.sequence limit 1) first`;
    const { rows } = await this.sources.pool.query<{ platform: string; oldest: number }>(
      `select platform, min(accepted_at)::float8 as oldest from (
         select c.platform, first.accepted_at from ${SCHEDULE}.channel c ${first('is null')}
         union all
         select c.platform, first.accepted_at from ${SCHEDULE}.paused_queue q
           join ${SCHEDULE}.channel c on c.channel_id = q.channel_id ${first('= q.pause_id')}) queues
       group by 1`,
    );
    for (const { platform, oldest } of rows) this.age.set({ platform }, Math.max(0, Date.now() - oldest) / 1_000);
  };

  /** Reads the oldest publication of each channel that is due, and of each of its queues whose pause has ended. */
  private readonly readDueAge = async (): Promise<void> => {
    const first = (queue: string) => `cross join lateral (select p.accepted_at from ${SCHEDULE}.publication p
      where p.channel_id = c.channel_id and p.waits and p.project_pause_id ${queue} order by p.sequence limit 1) first`;
    const { rows } = await this.sources.pool.query<{ platform: string; age: number }>(
      `with now as (select ${NOW} as ms),
       due as (select c.* from ${SCHEDULE}.channel c, now where c.next_due <= now.ms)
       select platform, (now.ms - min(since)) / 1000 as age from now, (
         select c.platform, greatest(c.next_due, first.accepted_at) as since from due c ${first('is null')}
         union all
         select c.platform, greatest(c.next_due, first.accepted_at, o.ends_at) from now, ${SCHEDULE}.paused_queue q
           join ${SCHEDULE}.project_pause o on o.pause_id = q.pause_id
           join due c on c.channel_id = q.channel_id ${first('= q.pause_id')}
         where o.ends_at <= now.ms) queues
       group by platform, now.ms`,
    );
    for (const { platform, age } of rows) this.dueAge.set({ platform }, Math.max(0, age));
  };

  /** Reads the counter kept by the read model. */
  private readonly readPlanned = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<{ posts: number }>(
      `select posts::float8 as posts from ${PLANNED_POSTS}.planned_count`,
    );
    this.planned.set(rows[0]!.posts);
  };

  /** Posts that wait for approval are not due. */
  private readonly readPlannedOverdue = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<{ overdue: number | null }>(
      `select (${NOW} - min(due_at)) / 1000 as overdue from ${PLANNED_POSTS}.planned_owner where due_at > 0`,
    );
    this.plannedOverdue.set(Math.max(0, rows[0]!.overdue ?? 0));
  };

  private readonly readMediaBytes = async (): Promise<void> => {
    this.mediaBytes.set(await new MediaQueries(this.sources.pool).sumBytes());
  };

  private readonly readPositions = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<{ name: string; position: bigint }>(
      `select c.name, c.position from ops_checkpoint c
       join ops_projection p on p.name = c.name and p.live_version = c.version`,
    );
    for (const { name, position } of rows) this.positions.set({ projection: name }, Number(position));
    const head = await this.sources.storeHead.get(); // read after the positions, so that an event in between counts as lag
    this.head.set(Number(head));
    for (const { name, position } of rows) this.lag.set({ projection: name }, Math.max(0, Number(head - position)));
  };

  private readonly readSagas = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<SagaRow>(
      `select substr(name, 6) as saga, ${HANDLED_POSITION} as position, failure, ${NOW} as now from ops_checkpoint c
       where name like 'saga/%'`,
    );
    const head = await this.sources.storeHead.get();
    for (const { saga, position, failure, now } of rows) {
      const lag = Math.max(0, Number(head - position));
      this.sagaPositions.set({ saga }, Number(position));
      this.sagaLag.set({ saga }, lag);
      this.stoppedSagas.set({ saga }, failure !== null && isStoppedAt(failure.at) ? 1 : 0);
      if (saga === 'write-transparency-log') this.logLag.set(lag);
      // KurrentDB reads only from positions of events, and the one before a parked event may be none (ADR-253).
      const readTime = () => this.sources.eventTimes.readAfter(position).catch(() => failure?.at ?? null);
      const at = lag === 0 ? 'none' : await readTime();
      // A damaged event has no time; the saga is stuck there.
      if (at !== null) this.sagaAge.set({ saga }, at === 'none' ? 0 : Math.max(0, now - at) / 1_000);
    }
  };

  private readonly readOverdue = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<{ kind: string; overdue: number }>(
      `select k.kind, count(e.subject)::float8 as overdue from unnest(array['secret', 'translation', 'payload']) k(kind)
       left join ops_erasure e on e.kind = k.kind and e.due_at < now() - interval '1 minute' group by 1`,
    );
    for (const { kind, overdue } of rows) this.overdue.set({ kind }, overdue);
  };

  private readonly readDeliveries = async (): Promise<void> => {
    const { rows } = await this.sources.pool.query<{ waiting: number }>(
      `select count(*)::float8 as waiting from (
         select 1 from ${DELIVERIES}.delivery where state = 'pending' limit ${MOST_DELIVERIES}) d`,
    );
    this.deliveries.set(rows[0]!.waiting);
  };

  private readonly readClock = async (): Promise<void> => {
    const { ms } = await this.sources.clock.read();
    this.clockDifference.set(ms / 1_000);
  };
}
