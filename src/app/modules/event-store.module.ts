import { Module } from '@nestjs/common';
import { catalogue } from '../../domain/catalogue.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { Metrics } from '../../health/metrics.js';
import { Database } from '../database.js';
import { openEventStore } from '../event-store.js';
import { PROCESS_OPTIONS } from '../process-options.js';
import { Resources } from '../resources.js';
import { MetricsModule } from './metrics.module.js';
import { PostgresModule } from './postgres.module.js';

/** The event store, and the aggregates in it. */
@Module({
  imports: [PostgresModule, MetricsModule],
  providers: [
    { provide: EVENT_STORE, inject: [PROCESS_OPTIONS, Database, Resources], useFactory: openEventStore },
    { provide: EventCodec, useFactory: () => new EventCodec(catalogue) },
    {
      provide: AggregateStore,
      inject: [EVENT_STORE, EventCodec, Metrics],
      useFactory: (store: EventStore, codec: EventCodec, metrics: Metrics) =>
        new AggregateStore(store, codec, metrics.appendTimer()),
    },
  ],
  exports: [EVENT_STORE, EventCodec, AggregateStore],
})
export class EventStoreModule {}
