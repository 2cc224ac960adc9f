import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { catalogue } from '../../domain/catalogue.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { SnapshotTable } from '../../event-store/snapshots.js';
import { Metrics } from '../../health/metrics.js';
import { LOG_IDENTITY } from '../../history/transparency-log/log-tables.js';
import { PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { LOG, type Log } from '../../kernel/log.js';
import { POOL } from '../../postgres/tokens.js';
import { Database } from '../database.js';
import { openEventStore, openSeenNotes } from '../event-store.js';
import { createLogIdentity, openPublishedCheckpoints } from '../log-identity.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { SeenWatch } from '../recovery/seen-watch.js';
import { Resources } from '../resources.js';
import { MetricsModule, PostgresModule } from './infrastructure.modules.js';

/** The event store, and the aggregates in it. */
@Module({
  imports: [PostgresModule, MetricsModule],
  providers: [
    { provide: CheckedEventStore, inject: [PROCESS_OPTIONS, Database, Resources], useFactory: openEventStore },
    {
      provide: EVENT_STORE,
      inject: [CheckedEventStore, PROCESS_OPTIONS],
      useFactory: (store: CheckedEventStore, { overrides }: ProcessOptions): EventStore =>
        overrides?.wrapEventStore?.(store) ?? store,
    },
    {
      provide: PublishedCheckpoints,
      inject: [CheckedEventStore, PROCESS_OPTIONS],
      useFactory: (store: CheckedEventStore, { settings }: ProcessOptions) =>
        openPublishedCheckpoints(settings, store.notes, () => store.connection.id),
    },
    {
      provide: LOG_IDENTITY,
      inject: [SETTINGS, Database],
      useFactory: (settings: Settings, { historyKeys }: Database) => createLogIdentity(settings, historyKeys),
    },
    {
      provide: SeenWatch,
      inject: [CheckedEventStore, AggregateStore, PROCESS_OPTIONS],
      useFactory: (store: CheckedEventStore, aggregates: AggregateStore, { settings }: ProcessOptions) =>
        new SeenWatch(store, aggregates, openSeenNotes(settings)),
    },
    { provide: EventCodec, useFactory: () => new EventCodec(catalogue) },
    {
      provide: AggregateStore,
      inject: [EVENT_STORE, EventCodec, Metrics, POOL, LOG],
      useFactory: (store: EventStore, codec: EventCodec, metrics: Metrics, pool: Pool, log: Log) =>
        new AggregateStore(store, codec, metrics.appendTimer(), new SnapshotTable(pool, log)),
    },
  ],
  exports: [EVENT_STORE, CheckedEventStore, EventCodec, AggregateStore, LOG_IDENTITY, PublishedCheckpoints],
})
export class EventStoreModule {}
