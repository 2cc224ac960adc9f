import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { SETTINGS } from '../../config/tokens.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { DeploymentMetrics } from '../../health/deployment-metrics.js';
import { HealthController, HealthRoutes } from '../../health/health.controller.js';
import { Metrics, MetricsAccess, MetricsPage } from '../../health/metrics.js';
import { Readiness } from '../../health/readiness.js';
import { ClockDifference, EventTimes } from '../../health/times.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { HelperCheck } from '../../media/helper.js';
import { Leases } from '../../postgres/leases.js';
import { createPool } from '../../postgres/pool.js';
import { SharedResult } from '../../runtime/shared-result.js';
import { SetAsidePosts } from '../../sagas/release-planned-posts/release-planned-posts.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { UnreadableSecrets } from '../../secrets/unreadable-secrets.js';
import { Database } from '../database.js';
import { PROCESS_OPTIONS, type ProcessOptions, type ProcessSettings } from '../process-options.js';
import { Resources } from '../resources.js';
import { EventStoreModule } from './event-store.module.js';
import { MediaModule, MetricsModule, PostgresModule } from './infrastructure.modules.js';

/** The server cancels health queries after this time, in ms. */
const STATEMENT_MS = 2_000;

const HEALTH_POOL = Symbol('HealthPool');
const STORE_HEAD = Symbol('StoreHead');

/** Liveness, readiness and metrics over HTTP, for every role. */
@Module({
  imports: [PostgresModule, EventStoreModule, MediaModule, MetricsModule],
  controllers: [HealthController],
  providers: [
    {
      provide: HEALTH_POOL,
      inject: [PROCESS_OPTIONS, Database, Resources],
      useFactory: async ({ log: logger }: ProcessOptions, database: Database, resources: Resources) => {
        const { connectionString, connections } = database;
        if (connections.health === 0) return database.pool;
        const options = { max: connections.health, applicationName: 'crosspost health', logger };
        const pool = createPool(connectionString, { ...options, statementTimeoutMs: STATEMENT_MS });
        await resources.add(() => pool.end());
        return pool;
      },
    },
    {
      provide: STORE_HEAD,
      inject: [EVENT_STORE],
      useFactory: (store: EventStore) => new SharedResult(() => store.readHead(), 0),
    },
    {
      provide: UnreadableSecrets,
      inject: [HEALTH_POOL, KeyRing, LOG, Resources],
      useFactory: async (pool: Pool, ring: KeyRing, log: Log, resources: Resources) => {
        const unreadable = new UnreadableSecrets(pool, ring, log);
        unreadable.start();
        await resources.add(() => unreadable.stop());
        return unreadable;
      },
    },
    {
      provide: EventTimes,
      inject: [EVENT_STORE, EventCodec],
      useFactory: (store: EventStore, codec: EventCodec) => new EventTimes(store, codec),
    },
    {
      provide: ClockDifference,
      inject: [HEALTH_POOL, CLOCK],
      useFactory: (pool: Pool, clock: Clock) => new ClockDifference(pool, clock),
    },
    {
      provide: Readiness,
      inject: [
        HEALTH_POOL,
        STORE_HEAD,
        EVENT_STORE,
        EventTimes,
        ClockDifference,
        Leases,
        CheckedEventStore,
        UnreadableSecrets,
        HelperCheck,
        SetAsidePosts,
      ],
      useFactory: (
        pool: Pool,
        storeHead: SharedResult<bigint>,
        store: EventStore,
        eventTimes: EventTimes,
        clock: ClockDifference,
        leases: Leases,
        checked: CheckedEventStore,
        unreadable: UnreadableSecrets,
        helpers: HelperCheck,
        setAside: SetAsidePosts,
      ) =>
        new Readiness({
          pool,
          store,
          eventTimes,
          storeHead,
          failingWork: () => leases.failingWork.list(),
          clock,
          connection: () => checked.connection,
          secrets: () => unreadable.describe(),
          helpers: () => helpers.report,
          setAside: () => setAside.report,
        }),
    },
    {
      provide: HealthRoutes,
      inject: [
        SETTINGS,
        HEALTH_POOL,
        STORE_HEAD,
        EventTimes,
        ClockDifference,
        Leases,
        Readiness,
        Metrics,
        CheckedEventStore,
      ],
      useFactory: (
        settings: ProcessSettings,
        pool: Pool,
        storeHead: SharedResult<bigint>,
        eventTimes: EventTimes,
        clock: ClockDifference,
        leases: Leases,
        readiness: Readiness,
        metrics: Metrics,
        checked: CheckedEventStore,
      ) => {
        metrics.watchEventStore(() => checked.connection);
        metrics.watchFailingWork(() => leases.failingWork.list());
        const deployment = new DeploymentMetrics(metrics.registry, { pool, storeHead, eventTimes, clock });
        return new HealthRoutes(readiness, new MetricsPage(metrics, deployment), new MetricsAccess(settings));
      },
    },
  ],
  exports: [HealthRoutes, Readiness],
})
export class HealthModule {}
