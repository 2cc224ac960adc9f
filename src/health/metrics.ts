import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { isTokenValid, readBearerToken } from '../api/transport/headers.js';
import { HttpProblem } from '../api/transport/problem.view.js';
import type { Settings } from '../config/settings.js';
import type { AppendTimer } from '../event-store/aggregate-store.js';
import type { StoreConnection } from '../event-store/checked-event-store.js';
import type { WorkFailure } from '../runtime/failing-work.js';
import { SharedResult } from '../runtime/shared-result.js';
import { withTimeLimit } from '../runtime/sleep.js';
import { hashToken } from '../secrets/tokens.js';
import type { DeploymentMetrics } from './deployment-metrics.js';
import { HEALTH_MESSAGES } from './messages.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Decision in the request log (publish-api.md: Request-log decisions); empty for other routes. */
    decision: string;
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Maximum number of combinations of network, outcome and code. */
const MAX_SERIES = 500;
/** Codes come from the networks, so their number is limited. */
const MAX_UNKNOWN_CODES = 100;

/** Counters of responses with the same labels. */
interface Series {
  readonly labels: { readonly route: string; readonly status: number; readonly decision: string };
  readonly time: Histogram.Internal<string>;
  /** Responses since the counter was last read. Incrementing the counter itself would cost 0.3 µs each time. */
  uncounted: number;
}

/** Metrics of one process, for Prometheus. Reading them needs no request to any server. */
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
  /** Series of the previous response. */
  private last: Series | null = null;
  private readonly appends = new Histogram({
    name: 'crosspost_append_seconds',
    help: 'Time that the event store takes to append',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  private readonly publications = new Counter({
    name: 'crosspost_publications_total',
    help: 'Outcomes of attempts to publish; code is empty for a success',
    labelNames: ['platform', 'outcome', 'code'],
    registers: [this.registry],
  });
  private readonly unknownErrors = new Counter({
    name: 'crosspost_unknown_network_errors_total',
    help: "Answers of networks that no table of errors covers, by the network's own code",
    labelNames: ['platform', 'code'],
    registers: [this.registry],
  });
  private readonly withdrawals = new Counter({
    name: 'crosspost_withdrawals_total',
    help: 'Outcomes of tries to take a publication back',
    labelNames: ['platform', 'outcome'],
    registers: [this.registry],
  });
  private readonly edits = new Counter({
    name: 'crosspost_edits_total',
    help: 'Outcomes of tries to give a publication newer content',
    labelNames: ['platform', 'outcome'],
    registers: [this.registry],
  });
  private readonly withdrawalTimes = new Histogram({
    name: 'crosspost_withdraw_seconds',
    help: 'Time from the request to take a publication back to the deletion of its last message',
    buckets: [...SECONDS, 15, 60, 900, 3_600, 86_400], // for deletions that wait for a network
    registers: [this.registry],
  });
  private readonly samples = new Counter({
    name: 'crosspost_statistics_samples_total',
    help: 'Samples of the numbers of publications, by what the network said',
    labelNames: ['platform', 'state'],
    registers: [this.registry],
  });
  private readonly releases = new Histogram({
    name: 'crosspost_release_delay_seconds',
    help: 'Delay between the planned and the actual release of a post',
    buckets: [...SECONDS, 60, 600, 3_600], // for releases after an outage
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts and times all of a server's responses. */
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

  /** Keeps each series, because looking up a metric's labels costs more than counting. */
  private findSeries(route: string, status: number, decision: string): Series {
    const { labels } = this.last ?? {};
    // Most responses have the same labels as the previous one, and comparing costs less than building a key.
    if (labels?.route === route && labels.status === status && labels.decision === decision) return this.last!;
    const key = `${status} ${decision} ${route}`;
    const known = this.series.get(key);
    if (known) return (this.last = known);
    const found = { labels: { route, status, decision }, time: this.latency.labels({ route }), uncounted: 0 };
    this.series.set(key, found);
    return (this.last = found);
  }

  /**
   * Returns a function that counts outcomes of attempts to publish. Codes are a fixed list; if one ever contains a
   * network's own message, series beyond {@link MAX_SERIES} count as `other`.
   */
  publicationCounter(): (platform: string, outcome: string, code: string) => void {
    const known = new Set<string>();
    return (platform, outcome, code) => {
      const series = `${platform} ${outcome} ${code}`;
      const isKnown = known.has(series) || known.size < MAX_SERIES;
      if (isKnown) known.add(series);
      this.publications.inc({ platform, outcome, code: isKnown ? code : 'other' });
    };
  }

  /**
   * Returns a function that counts outcomes of take-backs and edits, and records how long successful take-backs took, in
   * ms.
   */
  changeCounter(): (
    change: 'withdrawal' | 'edit' | 'pin',
    platform: string,
    outcome: string,
    ms: number | null,
  ) => void {
    return (change, platform, outcome, ms) => {
      if (change === 'edit') this.edits.inc({ platform, outcome });
      if (change === 'withdrawal') this.withdrawals.inc({ platform, outcome });
      if (ms !== null) this.withdrawalTimes.observe(ms / 1_000);
    };
  }

  /** Returns a function that counts samples of the numbers of publications. */
  sampleCounter(): (platform: string, state: string) => void {
    return (platform, state) => this.samples.inc({ platform, state });
  }

  /** Returns a function that counts networks' errors that no table covers. The codes beyond some count as `other`. */
  unknownErrorCounter(): (platform: string, code: string) => void {
    const known = new Set<string>();
    return (platform, code) => {
      const series = `${platform} ${code}`;
      const isKnown = known.has(series) || (known.size < MAX_UNKNOWN_CODES && code.length <= 64);
      if (isKnown) known.add(series);
      this.unknownErrors.inc({ platform, code: isKnown ? code : 'other' });
    };
  }

  /** Returns a function that records how late a planned post was released, in ms. */
  releaseDelay(): (ms: number) => void {
    return (ms) => this.releases.observe(ms / 1_000);
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
    const collect = function (this: Gauge): void {
      this.set(read());
    };
    new Gauge({ name, help, registers: [this.registry], collect });
  }

  /** Adds the identity of the event store, and counters for its connection. */
  watchEventStore(read: () => StoreConnection): void {
    new Gauge({
      name: 'crosspost_event_store_info',
      help: 'Identity of the event store; 1 if it is used, 0 if it is the wrong one',
      labelNames: ['id'],
      registers: [this.registry],
      collect() {
        const { id, problem } = read();
        this.reset();
        if (id !== null) this.set({ id }, problem === null ? 1 : 0);
      },
    });
    const dropped = 'Subscriptions that the event store dropped; they resume automatically';
    this.watchCounter('crosspost_dropped_subscriptions_total', dropped, () => read().droppedSubscriptions);
    const lost = 'Times that the connection to the event store was lost';
    this.watchCounter('crosspost_event_store_lost_connections_total', lost, () => read().lostConnections);
  }

  /** Adds a gauge of this process's work that keeps failing. */
  watchFailingWork(list: () => readonly WorkFailure[]): void {
    new Gauge({
      name: 'crosspost_failing_work',
      help: '1 for work that keeps failing; no value if it does not',
      labelNames: ['work'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { name } of list()) this.set({ work: name }, 1);
      },
    });
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
}

/** How long values from the database and the event store are cached, in ms; shorter than typical scrape intervals. */
export const METRICS_KEPT_MS = 2_000;
/** How long a page with this process's own values is cached, in ms. */
export const METRICS_PAGE_KEPT_MS = 250;
/** Maximum wait for values from the database and the event store, in ms. A page without them is better than none. */
const DEPLOYMENT_MS = 3_000;

/**
 * The metrics in Prometheus format. However many clients read them, the database and the event store are queried at
 * most once every two seconds.
 */
export class MetricsPage {
  readonly contentType: string;
  private readonly refresh: SharedResult<void>;
  private readonly text: SharedResult<string>;

  constructor({ registry }: Metrics, deployment: DeploymentMetrics) {
    this.contentType = registry.contentType;
    // Runs in the background, so that later pages wait for a slow refresh instead of starting another.
    this.refresh = new SharedResult(() => deployment.refresh(), METRICS_KEPT_MS);
    this.text = new SharedResult(async () => {
      const late = () => new Error(`no figures within ${DEPLOYMENT_MS} ms`);
      await withTimeLimit(this.refresh.get(), DEPLOYMENT_MS, late).catch(() => undefined);
      return registry.metrics();
    }, METRICS_PAGE_KEPT_MS);
  }

  read(): Promise<string> {
    return this.text.get();
  }
}

/** The listeners that serve /metrics: the API's and a separate one. */
export type MetricsDoor = 'PORT' | 'METRICS_PORT';

type AccessSettings = Pick<Settings, 'metricsKey' | 'metricsPort' | 'operatorKey' | 'production'>;

/**
 * Checks access to /metrics (management-api.md: METRICS_KEY, METRICS_PORT). If METRICS_KEY is set, both ports require a
 * key. Otherwise METRICS_PORT is open, and PORT requires a key in production or if METRICS_PORT is set. Accepts
 * METRICS_KEY and the operator's key.
 */
export class MetricsAccess {
  /** SHA-256 of the keys, hex; null if no key is needed. */
  private readonly hashes: Readonly<Record<MetricsDoor, readonly string[] | null>>;

  constructor({ metricsKey, metricsPort, operatorKey, production }: AccessSettings) {
    const keys = [metricsKey, operatorKey].filter((key) => key !== null).map(hashToken);
    const isPortClosed = metricsKey !== null || metricsPort !== null || production;
    this.hashes = { PORT: isPortClosed ? keys : null, METRICS_PORT: metricsKey === null ? null : keys };
  }

  /** @throws HttpProblem 401 if a key is needed and the Authorization header contains no valid key */
  check(door: MetricsDoor, authorization: string | undefined): void {
    const hashes = this.hashes[door];
    if (hashes === null) return;
    const sent = readBearerToken(authorization);
    if (hashes.some((hash) => isTokenValid(sent, hash))) return;
    throw HttpProblem.withMessage(401, 'unauthorized', HEALTH_MESSAGES.metricsKey, { 'www-authenticate': 'Bearer' });
  }
}
