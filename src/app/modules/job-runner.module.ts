import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, Unavailable } from '../../event-store/port.js';
import { AggregatePlaces } from '../../history/time-travel/time-travel.js';
import { EndedLogTable } from '../../history/transparency-log/ended-logs.js';
import { LogTables } from '../../history/transparency-log/log-tables.js';
import { createVerificationHandler } from '../../history/transparency-log/verify-history.js';
import { JobTable } from '../../jobs/job.js';
import { JobRunner } from '../../jobs/job-runner.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { createRebuildHandler } from '../../projections/engine/rebuild/rebuild-job.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { createProjectionVerification } from '../../projections/engine/verification/verify-projection.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { createResealHandler } from '../../secrets/reseal-job.js';
import { Database } from '../database.js';
import { EventStoreModule } from './event-store.module.js';
import { HistoryModule } from './history.module.js';
import { PostgresModule } from './infrastructure.modules.js';
import { ReadModelsModule } from './read-models.module.js';

/** The operator's long-running jobs, stored in the database. */
@Module({
  imports: [PostgresModule],
  providers: [JobTable],
  exports: [JobTable],
})
export class JobsModule {}

/** Runs jobs, in the role `worker`. To add a job type, add its handler to `handlers`. */
@Module({
  imports: [PostgresModule, JobsModule, EventStoreModule, HistoryModule, ReadModelsModule],
  providers: [
    {
      provide: JobRunner,
      inject: [
        JobTable,
        Leases,
        Notifications,
        LOG,
        POOL,
        EVENT_STORE,
        EventCodec,
        AggregatePlaces,
        Database,
        KeyRing,
        PROJECTIONS,
        Rebuilds,
      ],
      useFactory: (
        jobs: JobTable,
        leases: Leases,
        notifications: Notifications,
        log: Log,
        pool: Pool,
        store: EventStore,
        codec: EventCodec,
        places: AggregatePlaces,
        { historyKeys: { sealKey } }: Database,
        ring: KeyRing,
        projections: readonly Projection[],
        rebuilds: Rebuilds,
      ) => {
        const verification = { tables: new LogTables(pool), store, codec, sealKey };
        const replay = { pool, store, codec };
        const handlers = [
          createVerificationHandler(verification, new EndedLogTable(pool), places),
          createProjectionVerification(replay, projections),
          createRebuildHandler(replay, rebuilds, projections),
          createResealHandler(pool, ring),
        ];
        const isOutage = (error: unknown) => error instanceof Unavailable || isUnavailable(error);
        return new JobRunner(jobs, leases, notifications, handlers, isOutage, log);
      },
    },
  ],
  exports: [JobRunner],
})
export class JobRunnerModule {}
