import { join } from 'node:path';
import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { AuditTrail } from '../../history/audit-trail/audit-trail.js';
import { EventLoader } from '../../history/audit-trail/event-loader.js';
import { AggregatePlaces } from '../../history/time-travel/aggregate-places.js';
import { HistoryReader } from '../../history/time-travel/history-reader.js';
import { HistorySnapshotTable } from '../../history/time-travel/history-snapshots.js';
import { OwnerTimeTravel } from '../../history/time-travel/owner-time-travel.js';
import { TimeTravel } from '../../history/time-travel/time-travel.js';
import { Timelines } from '../../history/timeline/timeline.js';
import { EndedLogTable } from '../../history/transparency-log/ended-logs.js';
import { LogTables } from '../../history/transparency-log/log-tables.js';
import { PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { TransparencyLog } from '../../history/transparency-log/transparency-log.js';
import { Traces } from '../../history/trace/traces.js';
import { ExportHistory } from '../../history/transfer/export-history.js';
import { ImportHistory } from '../../history/transfer/import-history.js';
import { ImportSpool } from '../../history/transfer/import-spool.js';
import { type Log, LOG } from '../../kernel/log.js';
import { POOL } from '../../postgres/tokens.js';
import { AuditIndex } from '../../projections/audit/audit.queries.js';
import { TimelineQueries } from '../../projections/audit/timeline.queries.js';
import { RequestBatches } from '../../projections/request-log/request-batches.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { Database } from '../database.js';
import { createLogIdentity } from '../log-identity.js';
import { Resources } from '../resources.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule } from './postgres.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Checkpoints of the sagas that start at `now`: an import moves them, so that they do not act on the history. */
const LATECOMERS = ['saga/queue-notices', 'saga/raise-quota-notices', 'saga/schedule-deliveries'];

/** History: states at a time, the audit trail, traces and the transparency log. */
@Module({
  imports: [EventStoreModule, PostgresModule, ReadModelsModule, SecretsModule],
  providers: [
    {
      provide: AuditIndex,
      inject: [POOL, EVENT_STORE, ProjectionProgress],
      useFactory: (pool: Pool, store: EventStore, progress: ProjectionProgress) =>
        new AuditIndex(pool, store, progress),
    },
    {
      provide: EventLoader,
      inject: [EVENT_STORE, EventCodec, SecretVault],
      useFactory: (store: EventStore, codec: EventCodec, vault: SecretVault) => new EventLoader(store, codec, vault),
    },
    {
      provide: HistoryReader,
      inject: [EVENT_STORE, EventCodec, POOL, LOG],
      useFactory: (store: EventStore, codec: EventCodec, pool: Pool, log: Log) =>
        new HistoryReader(store, codec, new HistorySnapshotTable(pool, log)),
    },
    {
      provide: AggregatePlaces,
      inject: [POOL, EVENT_STORE, EventCodec, ProjectionProgress],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec, progress: ProjectionProgress) =>
        new AggregatePlaces(pool, store, codec, progress),
    },
    {
      provide: TimeTravel,
      inject: [AggregatePlaces, HistoryReader, PostPayloads, SecretVault],
      useFactory: (places: AggregatePlaces, reader: HistoryReader, payloads: PostPayloads, vault: SecretVault) =>
        new TimeTravel(places, reader, payloads, vault),
    },
    {
      provide: OwnerTimeTravel,
      inject: [HistoryReader, AuditIndex, SecretVault],
      useFactory: (reader: HistoryReader, index: AuditIndex, vault: SecretVault) =>
        new OwnerTimeTravel(reader, index, vault),
    },
    {
      provide: Timelines,
      inject: [AuditIndex, POOL],
      useFactory: (index: AuditIndex, pool: Pool) => new Timelines(index, new TimelineQueries(pool)),
    },
    {
      provide: AuditTrail,
      inject: [AuditIndex, EventLoader],
      useFactory: (index: AuditIndex, events: EventLoader) => new AuditTrail(index, events),
    },
    {
      provide: Traces,
      inject: [EVENT_STORE, PostStories, ProjectionProgress, AuditIndex, EventLoader, HistoryReader],
      useFactory: (
        store: EventStore,
        stories: PostStories,
        progress: ProjectionProgress,
        index: AuditIndex,
        events: EventLoader,
        reader: HistoryReader,
      ) => new Traces({ store, stories, progress, index, events, reader }),
    },
    {
      provide: TransparencyLog,
      inject: [POOL, EVENT_STORE, EventCodec, AuditIndex, ProjectionProgress],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec, index: AuditIndex, progress: ProjectionProgress) =>
        new TransparencyLog({
          tables: new LogTables(pool),
          endedLogs: new EndedLogTable(pool),
          store,
          codec,
          index,
          batches: new RequestBatches(pool, store, progress),
        }),
    },
    {
      provide: ExportHistory,
      inject: [POOL, EVENT_STORE, EventCodec, SecretVault],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec, vault: SecretVault) =>
        new ExportHistory({ tables: new LogTables(pool), endedLogs: new EndedLogTable(pool), store, codec, vault }),
    },
    {
      provide: ImportHistory,
      inject: [POOL, CheckedEventStore, SecretVault, PublishedCheckpoints, SETTINGS, Database],
      useFactory: (
        pool: Pool,
        store: CheckedEventStore,
        vault: SecretVault,
        published: PublishedCheckpoints,
        settings: Settings,
        { historyKeys }: Database,
      ) => {
        const identity = createLogIdentity(settings, historyKeys);
        return new ImportHistory({ pool, store, vault, identity, published, latecomers: LATECOMERS });
      },
    },
    {
      provide: ImportSpool,
      inject: [SETTINGS, Resources],
      useFactory: ({ dataDir }: Settings, resources: Resources) =>
        resources.open(
          () => ImportSpool.open(join(dataDir, 'imports')),
          (spool) => spool.close(),
        ),
    },
  ],
  exports: [
    ExportHistory,
    ImportHistory,
    ImportSpool,
    TimeTravel,
    OwnerTimeTravel,
    Timelines,
    AuditTrail,
    Traces,
    TransparencyLog,
    AggregatePlaces,
  ],
})
export class HistoryModule {}
