import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EventStore } from '../event-store/port.js';
import type { AppendTimer } from '../event-store/aggregate-store.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request log says of the request (publish-api.md: Request-log decisions); empty for other routes. */
    decision: string;
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What is counted of answers that are alike. */
interface Series {
  readonly labels: { readonly route: string; readonly status: number; readonly decision: string };
  readonly time: Histogram.Internal<string>;
  /** How many have come since the counter was read: to count there costs a third of a microsecond each time. */
  fresh: number;
}

/** Figures of one process for Prometheus, and those of the whole deployment that lie in the database. */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Counter({
    name: 'crosspost_requests_total',
    help: 'Answered requests',
    labelNames: ['route', 'status', 'decision'],
    registers: [this.registry],
    collect: () => {
      for (const series of this.series.values()) {
        this.requests.inc(series.labels, series.fresh);
        series.fresh = 0;
      }
    },
  });
  private readonly latency = new Histogram({
    name: 'crosspost_request_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  private readonly series = new Map<string, Series>();
  /** That of the answer before. */
  private last: Series | null = null;
  private readonly appends = new Histogram({
    name: 'crosspost_append_seconds',
    help: 'Time that the event store takes to append',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers: [this.registry],
  });

  constructor(private readonly pool: Pool) {
    collectDefaultMetrics({ register: this.registry });
    this.gauge('crosspost_queue_depth', 'Publications that are not over', ['platform', 'state'], async (set) => {
      const { rows } = await pool.query<{ platform: string; state: string; n: bigint }>(
        'select platform, state, count(*) as n from publish_schedule.publication group by 1, 2',
      );
      for (const { platform, state, n } of rows) set({ platform, state }, Number(n));
    });
    this.gauge('crosspost_queue_age_seconds', 'Age of the oldest publication that waits', ['platform'], async (set) => {
      const { rows } = await pool.query<{ platform: string; oldest: bigint }>(
        `select platform, min(accepted_at) as oldest from publish_schedule.publication
         where state in ('queued', 'publishing') group by 1`,
      );
      for (const { platform, oldest } of rows) set({ platform }, (Date.now() - Number(oldest)) / 1_000);
    });
    this.gauge('crosspost_projection_position', 'Position of a live projection', ['projection'], async (set) => {
      for (const { name, position } of await this.projections()) set({ projection: name }, Number(position));
    });
  }

  /** Shows where the log's end is, and how far each projection is behind it. */
  watchHead(store: EventStore): void {
    this.gauge('crosspost_event_store_position', 'Position of the newest event', [], async (set) => {
      set({}, Number(await store.head()));
    });
    const lag = 'Positions that a live projection is behind the newest event; on PostgreSQL as many events';
    this.gauge('crosspost_projection_lag', lag, ['projection'], async (set) => {
      const projections = await this.projections(); // first: what comes between the two reads counts as lag
      const head = await store.head();
      for (const { name, position } of projections) set({ projection: name }, Math.max(0, Number(head - position)));
    });
  }

  private async projections(): Promise<{ readonly name: string; readonly position: bigint }[]> {
    const { rows } = await this.pool.query<{ name: string; position: bigint }>(
      `select c.name, c.position from ops_checkpoint c
       join ops_projection p on p.name = c.name and p.live_version = c.version`,
    );
    return rows;
  }

  /** Counts and times every answer of a server. */
  watchRequests(fastify: FastifyInstance): void {
    fastify.decorateRequest('decision', '');
    fastify.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      const series = this.seriesOf(route, reply.statusCode, request.decision);
      series.fresh += 1;
      series.time.observe((performance.now() - request.arrivedAt) / 1_000);
      done();
    });
  }

  /** Series found once: looking labels up anew for every request costs more than counting. */
  private seriesOf(route: string, status: number, decision: string): Series {
    const { labels } = this.last ?? {};
    // Most are like the one before, and to compare costs less than to make a key.
    if (labels?.route === route && labels.status === status && labels.decision === decision) return this.last!;
    const key = `${status} ${decision} ${route}`;
    const known = this.series.get(key);
    if (known) return (this.last = known);
    const found = { labels: { route, status, decision }, time: this.latency.labels({ route }), fresh: 0 };
    this.series.set(key, found);
    return (this.last = found);
  }

  /** For whoever appends: how long it took, and what came of it. */
  appendTimer(): AppendTimer {
    const { appends } = this;
    const appended = appends.labels({ outcome: 'appended' });
    return (startedAt, error) => {
      const outcome = error instanceof Error ? error.name : 'error';
      const series = error === undefined ? appended : appends.labels({ outcome });
      series.observe((performance.now() - startedAt) / 1_000);
    };
  }

  /** A gauge that is read when it is asked for; while its source is away it has no value. */
  private gauge(
    name: string,
    help: string,
    labelNames: string[],
    read: (set: (labels: Record<string, string>, value: number) => void) => Promise<void>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        if (labelNames.length === 0)
          this.remove(); // which a reset would set to 0
        else this.reset();
        await read((labels, value) => this.set(labels, value)).catch(() => undefined);
      },
    });
  }
}
