import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { type Clock, SHARED_CLOCK } from '../../kernel/clock.js';
import { CallTurns } from '../../postgres/call-turns.js';
import { DatabaseClock } from '../../postgres/database-clock.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { lockKeyStatement } from '../../secrets/known-keys.js';
import { Database, openDatabase } from '../database.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';

/** The database: pool, notifications and leases. */
@Module({
  providers: [
    { provide: Database, inject: [PROCESS_OPTIONS, KeyRing, Resources], useFactory: openDatabase },
    { provide: POOL, inject: [Database], useFactory: ({ pool }: Database): Pool => pool },
    CallTurns,
    {
      provide: SHARED_CLOCK,
      inject: [PROCESS_OPTIONS, Database, Resources],
      useFactory: async (
        { log, overrides }: ProcessOptions,
        { pool }: Database,
        resources: Resources,
      ): Promise<Clock> => {
        if (overrides?.clock) return overrides.clock;
        const clock = new DatabaseClock(pool, log);
        await clock.start();
        await resources.add(() => clock.stop());
        return clock;
      },
    },
    {
      provide: Notifications,
      inject: [PROCESS_OPTIONS, Database, KeyRing, Resources],
      useFactory: async (
        { log }: ProcessOptions,
        { connectionString }: Database,
        { keys }: KeyRing,
        resources: Resources,
      ) => {
        const notifications = new Notifications(connectionString, log, keys.map(lockKeyStatement).join('; '));
        await resources.add(() => notifications.stop()); // also cancels a start that is waiting for the server
        await notifications.start();
        return notifications;
      },
    },
    {
      provide: Leases,
      inject: [PROCESS_OPTIONS, Database, Notifications, Resources],
      useFactory: async (
        { settings: { leaseMs }, log }: ProcessOptions,
        { pool, connectionString }: Database,
        notifications: Notifications,
        resources: Resources,
      ) => {
        const leases = new Leases({ pool, connectionString, leaseMs, notifications, log });
        await resources.add(() => leases.stop());
        return leases;
      },
    },
  ],
  exports: [Database, POOL, CallTurns, SHARED_CLOCK, Notifications, Leases],
})
export class PostgresModule {}
