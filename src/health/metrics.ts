import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EventStore } from '../event-store/port.js';
import type { AppendTimer } from '../event-store/aggregate-store.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Decision in the request log (publish-api.md: Request-log decisions); empty for other routes. */
    decision: string;
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counters of answers with the same labels. */
interface Series {
  readonly labels: { readonly route: string; readonly status: number; readonly decision: string };
  readonly time: Histogram.Internal<string>;
  /** Answers since the counter was last read. Counting in the counter itself would cost 0.3 µs each time. */
  uncounted: number;
}

/** Metrics of one process for Prometheus, and those of the whole deployment that are in the database. */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Counter({
    name: 'crosspost_requests_total',
    help: 'Answered requests',
    labelNames: ['route', 'status', 'decision'],
    registers: [this.registry],
    collect: () => {
      for (const series of this.series.values()) {
        this.requests.inc(series.labels, series.uncounted);
        series.uncounted = 0;
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
  /** Series of the previous answer. */
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
    this.addGauge('crosspost_queue_depth', 'Publications that have not ended', ['platform', 'state'], async (set) => {
      const { rows } = await pool.query<{ platform: string; state: string; n: bigint }>(
        'select platform, state, count(*) as n from publish_schedule.publication group by 1, 2',
      );
      for (const { platform, state, n } of rows) set({ platform, state }, Number(n));
    });
    this.addGauge(
      'crosspost_queue_age_seconds',
      'Age of the oldest publication that waits',
      ['platform'],
      async (set) => {
        const { rows } = await pool.query<{ platform: string; oldest: bigint }>(
          `select platform, min(accepted_at) as oldest from publish_schedule.publication
         where state in ('queued', 'publishing') group by 1`,
        );
        for (const { platform, oldest } of rows) set({ platform }, (Date.now() - Number(oldest)) / 1_000);
      },
    );
    this.addGauge('crosspost_projection_position', 'Position of a live projection', ['projection'], async (set) => {
      for (const { name, position } of await this.projections()) set({ projection: name }, Number(position));
    });
  }

  /** Adds the position of the log's head, and the lag of each projection behind it. */
  watchHead(store: EventStore): void {
    this.addGauge('crosspost_event_store_position', 'Position of the newest event', [], async (set) => {
      set({}, Number(await store.readHead()));
    });
    const lag = 'Positions that a live projection is behind the newest event; on PostgreSQL as many events';
    this.addGauge('crosspost_projection_lag', lag, ['projection'], async (set) => {
      const readProjections = await this.projections(); // first: an event between the two reads counts as lag
      const head = await store.readHead();
      for (const { name, position } of readProjections) set({ projection: name }, Math.max(0, Number(head - position)));
    });
  }

  private async projections(): Promise<{ readonly name: string; readonly position: bigint }[]> {
    const { rows } = await this.pool.query<{ name: string; position: bigint }>(
      `select c.name, c.position from ops_checkpoint c
       join ops_projection p on p.name = c.name and p.live_version = c.version`,
    );
    return rows;
  }

  /** Counts and times all answers of a server. */
  watchRequests(fastify: FastifyInstance): void {
    fastify.decorateRequest('decision', '');
    fastify.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      const series = this.findSeries(route, reply.statusCode, request.decision);
      series.uncounted += 1;
      series.time.observe((performance.now() - request.arrivedAt) / 1_000);
      done();
    });
  }

  /** Returns the series of these labels. Each is looked up once, because a look-up costs more than counting. */
  private findSeries(route: string, status: number, decision: string): Series {
    const { labels } = this.last ?? {};
    // Most answers have the labels of the previous one, and comparing costs less than building a key.
    if (labels?.route === route && labels.status === status && labels.decision === decision) return this.last!;
    const key = `${status} ${decision} ${route}`;
    const known = this.series.get(key);
    if (known) return (this.last = known);
    const found = { labels: { route, status, decision }, time: this.latency.labels({ route }), uncounted: 0 };
    this.series.set(key, found);
    return (this.last = found);
  }

  /** Returns a function that records how long an append took, and its outcome. */
  appendTimer(): AppendTimer {
    const { appends } = this;
    const appended = appends.labels({ outcome: 'appended' });
    return (startedAt, error) => {
      const outcome = error instanceof Error ? error.name : 'error';
      const series = error === undefined ? appended : appends.labels({ outcome });
      series.observe((performance.now() - startedAt) / 1_000);
    };
  }

  /** Adds a gauge of this process. @param read called on each scrape */
  watchGauge(name: string, help: string, read: () => number): void {
    this.addGauge(name, help, [], async (set) => set({}, read()));
  }

  /** Adds a counter of this process. @param read returns the total; called on each scrape */
  watchCounter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Adds a gauge that is read on each scrape; it has no value while its source is unavailable. */
  private addGauge(
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
          this.remove(); // a reset would set it to 0
        else this.reset();
        await read((labels, value) => this.set(labels, value)).catch(() => undefined);
      },
    });
  }
}
