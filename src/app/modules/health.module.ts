import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { SETTINGS } from '../../config/tokens.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { DeploymentMetrics, type MetricsSources } from '../../health/deployment-metrics.js';
import { HealthController, HealthRoutes } from '../../health/health.controller.js';
import { Metrics, MetricsAccess, MetricsPage } from '../../health/metrics.js';
import { Readiness, type ReadinessSources } from '../../health/readiness.js';
import { ClockDifference, EventTimes } from '../../health/times.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { HelperCheck } from '../../media/helper.js';
import { Leases } from '../../postgres/leases.js';
import { createPool } from '../../postgres/pool.js';
import { SharedResult } from '../../runtime/shared-result.js';
import { SetAsidePosts } from '../../sagas/release-planned-posts/release-planned-posts.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { UnreadableSecrets } from '../../secrets/unreadable-secrets.js';
import { ArchiveCheck } from '../../uploads/archive-check.js';
import { StoreStatus } from '../../uploads/store-status.js';
import { Database } from '../database.js';
import { PROCESS_OPTIONS, type ProcessOptions, type ProcessSettings, Resources } from '../process-options.js';

/** The server cancels health queries after this time, in ms. */
const STATEMENT_MS = 2_000;

type HealthSources = MetricsSources & Pick<ReadinessSources, 'secrets'>;

/** Injection token for what readiness and metrics read. */
const SOURCES = Symbol('HealthSources');

const openPool = async (
  { connections, connectionString, pool }: Database,
  { log: logger }: ProcessOptions,
  resources: Resources,
): Promise<Pool> => {
  if (connections.health === 0) return pool;
  const options = { max: connections.health, applicationName: 'crosspost health', logger };
  const opened = createPool(connectionString, { ...options, statementTimeoutMs: STATEMENT_MS });
  await resources.add(() => opened.end());
  return opened;
};

/** Liveness, readiness and metrics over HTTP, for every role. */
@Module({
  controllers: [HealthController],
  providers: [
    {
      provide: SOURCES,
      inject: [Database, EVENT_STORE, EventCodec, CLOCK, KeyRing, PROCESS_OPTIONS, Resources],
      useFactory: async (
        database: Database,
        store: EventStore,
        codec: EventCodec,
        clock: Clock,
        ring: KeyRing,
        options: ProcessOptions,
        resources: Resources,
      ): Promise<HealthSources> => {
        const pool = await openPool(database, options, resources);
        const unreadable = new UnreadableSecrets(pool, ring, options.log);
        unreadable.start();
        await resources.add(() => unreadable.stop());
        return {
          pool,
          storeHead: new SharedResult(() => store.readHead(), 0),
          eventTimes: new EventTimes(store, codec),
          clock: new ClockDifference(pool, clock),
          secrets: () => unreadable.describe(),
        };
      },
    },
    {
      provide: Readiness,
      inject: [SOURCES, EVENT_STORE, Leases, CheckedEventStore, HelperCheck, SetAsidePosts, StoreStatus, ArchiveCheck],
      useFactory: (
        sources: HealthSources,
        store: EventStore,
        leases: Leases,
        checked: CheckedEventStore,
        helpers: HelperCheck,
        setAside: SetAsidePosts,
        fileStore: StoreStatus,
        archive: ArchiveCheck,
      ) =>
        new Readiness({
          ...sources,
          store,
          failingWork: () => leases.failingWork.list(),
          connection: () => checked.connection,
          mediaStore: () => fileStore.findProblem(),
          archive: () => archive.describe(),
          helpers: () => helpers.report,
          setAside: () => setAside.report,
        }),
    },
    {
      provide: HealthRoutes,
      inject: [SETTINGS, SOURCES, Leases, Readiness, Metrics, CheckedEventStore],
      useFactory: (
        settings: ProcessSettings,
        sources: HealthSources,
        leases: Leases,
        readiness: Readiness,
        metrics: Metrics,
        checked: CheckedEventStore,
      ) => {
        metrics.watchEventStore(() => checked.connection);
        metrics.watchFailingWork(() => leases.failingWork.list());
        const deployment = new DeploymentMetrics(metrics.registry, sources);
        return new HealthRoutes(readiness, new MetricsPage(metrics, deployment), new MetricsAccess(settings));
      },
    },
  ],
  exports: [HealthRoutes, Readiness],
})
export class HealthModule {}
