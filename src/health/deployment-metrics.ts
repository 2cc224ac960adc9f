import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import type { Position } from '../event-store/port.js';
import { SCHEDULE } from '../projections/publish-schedule/publish-schedule.tables.js';
import type { SharedResult } from '../runtime/shared-result.js';

const LAG_HELP = 'Positions that a live projection is behind the newest event; on PostgreSQL as many events';

/**
 * Gauges of the whole deployment, which lie in the database and the event store. A refresh reads them by one statement after
 * the other, whose cost grows with the number of channels and not with the backlog (ADR-90). A gauge has no value while
 * its source is unavailable: 0 would mean that nothing is there.
 */
export class DeploymentMetrics {
  private readonly depth: Gauge;
  private readonly age: Gauge;
  private readonly head: Gauge;
  private readonly positions: Gauge;
  private readonly lag: Gauge;

  /**
   * @param pool for these statements alone; its server cancels those that take too long
   * @param storeHead position of the newest event
   */
  constructor(
    registry: Registry,
    private readonly pool: Pick<Pool, 'query'>,
    private readonly storeHead: SharedResult<Position>,
  ) {
    const gauge = (name: string, help: string, ...labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.depth = gauge('crosspost_queue_depth', 'Publications that have not ended', 'platform', 'state');
    this.age = gauge('crosspost_queue_age_seconds', 'Age of the oldest publication that waits', 'platform');
    this.head = gauge('crosspost_event_store_position', 'Position of the newest event');
    this.positions = gauge('crosspost_projection_position', 'Position of a live projection', 'projection');
    this.lag = gauge('crosspost_projection_lag', LAG_HELP, 'projection');
    this.clear();
  }

  /** Reads all gauges. Never throws. */
  async refresh(): Promise<void> {
    this.clear();
    for (const read of [this.readDepth, this.readAge, this.readPositions]) await read().catch(() => undefined);
  }

  /** Takes the values from all gauges. */
  clear(): void {
    for (const gauge of [this.depth, this.age, this.positions, this.lag]) gauge.reset();
    this.head.remove(); // a reset would set it to 0
  }

  /** Reads the counters that the schedule keeps (publish-schedule/queue-depth.ts). */
  private readonly readDepth = async (): Promise<void> => {
    const { rows } = await this.pool.query<{ platform: string; state: string; publications: number }>(
      `select platform, state, publications::float8 from ${SCHEDULE}.queue_depth, lateral (values
         ('queued', queued), ('publishing', publishing), ('failed', failed), ('in_doubt', in_doubt)) s(state, publications)
       where publications > 0`,
    );
    for (const { platform, state, publications } of rows) this.depth.set({ platform, state }, publications);
  };

  /**
   * Reads the first publication of each channel's queue, and of each queue that a project's pause delays: it was accepted
   * before the others.
   */
  private readonly readAge = async (): Promise<void> => {
    const first = (queue: string) => `cross join lateral (select p.accepted_at from ${SCHEDULE}.publication p
      where p.channel_id = c.channel_id and p.waits and p.project_pause_id ${queue} order by p.sequence limit 1) first`;
    const { rows } = await this.pool.query<{ platform: string; oldest: number }>(
      `select platform, min(accepted_at)::float8 as oldest from (
         select c.platform, first.accepted_at from ${SCHEDULE}.channel c ${first('is null')}
         union all
         select c.platform, first.accepted_at from ${SCHEDULE}.paused_queue q
           join ${SCHEDULE}.channel c on c.channel_id = q.channel_id ${first('= q.pause_id')}) queues
       group by 1`,
    );
    for (const { platform, oldest } of rows) this.age.set({ platform }, Math.max(0, Date.now() - oldest) / 1_000);
  };

  private readonly readPositions = async (): Promise<void> => {
    const { rows } = await this.pool.query<{ name: string; position: bigint }>(
      `select c.name, c.position from ops_checkpoint c
       join ops_projection p on p.name = c.name and p.live_version = c.version`,
    );
    for (const { name, position } of rows) this.positions.set({ projection: name }, Number(position));
    const head = await this.storeHead.get(); // after the positions: an event between the two reads counts as lag
    this.head.set(Number(head));
    for (const { name, position } of rows) this.lag.set({ projection: name }, Math.max(0, Number(head - position)));
  };
}
