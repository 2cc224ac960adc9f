import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { completeKeys, type Keys } from '../../config/generated-keys.js';
import { LIMITS_PROFILE, SETTINGS } from '../../config/tokens.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { Metrics } from '../../health/metrics.js';
import { CLOCK, type Clock, MINUTE_MS, SHARED_CLOCK, systemClock } from '../../kernel/clock.js';
import { LOG } from '../../kernel/log.js';
import { HelperCheck } from '../../media/helper.js';
import { Inspector } from '../../media/inspector.js';
import { ADDRESS_POLICY, createAddressPolicy } from '../../outbound-http/address-policy.js';
import { CallTurns } from '../../postgres/call-turns.js';
import { DatabaseClock } from '../../postgres/database-clock.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { PROJECTIONS } from '../../projections/engine/projection.js';
import { SetAsidePosts } from '../../sagas/release-planned-posts/release-planned-posts.js';
import { KeyRing, lockKeyStatement } from '../../secrets/key-ring.js';
import { KeyStatus } from '../../secrets/key-status.js';
import { SecretVault } from '../../secrets/vault.js';
import { Database, openDatabase } from '../database.js';
import { KEYS, PROCESS_OPTIONS, type ProcessOptions, processSettings } from '../process-options.js';
import { projectionsOf } from '../projections.js';
import { Resources } from '../resources.js';

/** Settings, keys, log, clock and resources, for every module. */
@Global()
@Module({})
export class CoreModule {
  static forRoot(options: ProcessOptions, resources: Resources): DynamicModule {
    return {
      module: CoreModule,
      providers: [
        { provide: PROCESS_OPTIONS, useValue: options },
        { provide: Resources, useValue: resources },
        SetAsidePosts,
        { provide: LOG, useValue: options.log },
        { provide: CLOCK, useValue: options.overrides?.clock ?? systemClock },
        { provide: KEYS, useFactory: () => completeKeys(options.settings) },
        {
          provide: KeyRing,
          inject: [KEYS],
          useFactory: ({ secretsKey }: Keys) => new KeyRing(secretsKey, options.settings.secretsKeysPrevious),
        },
        { provide: SETTINGS, inject: [KEYS], useFactory: (keys: Keys) => processSettings(options.settings, keys) },
        { provide: MINUTE_MS, useValue: options.settings.minuteMs },
        { provide: ADDRESS_POLICY, useValue: createAddressPolicy(options.settings.allowPrivateAddresses) },
        { provide: LIMITS_PROFILE, useValue: options.settings.limitsProfile },
        { provide: PROJECTIONS, useValue: projectionsOf(options.settings) },
      ],
      exports: [
        PROCESS_OPTIONS,
        Resources,
        SetAsidePosts,
        LOG,
        CLOCK,
        KEYS,
        KeyRing,
        SETTINGS,
        MINUTE_MS,
        LIMITS_PROFILE,
        ADDRESS_POLICY,
        PROJECTIONS,
      ],
    };
  }
}

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

/** Metrics of the process. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}

/** Encrypted secrets, and the notes about pending erasures. */
@Module({
  imports: [PostgresModule],
  providers: [ErasureNotes, SecretVault, KeyStatus],
  exports: [KeyStatus, SecretVault, ErasureNotes],
})
export class SecretsModule {}

/** Inspects media files in helper processes, before their posts are accepted and before they are published. */
@Module({
  providers: [
    {
      provide: Inspector,
      inject: [PROCESS_OPTIONS, Resources],
      useFactory: async ({ log, overrides }: ProcessOptions, resources: Resources) => {
        const timeoutMs = overrides?.inspectionTimeoutMs;
        const inspector = new Inspector({ log, ...(timeoutMs !== undefined && { timeoutMs }) });
        await resources.add(() => inspector.close());
        return inspector;
      },
    },
    {
      provide: HelperCheck,
      inject: [PROCESS_OPTIONS, Resources],
      useFactory: async ({ log }: ProcessOptions, resources: Resources) => {
        const check = new HelperCheck(log);
        await resources.add(async () => check.close());
        return check;
      },
    },
  ],
  exports: [Inspector, HelperCheck],
})
export class MediaModule {}
