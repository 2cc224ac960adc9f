import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Keys } from '../config/generated-keys.js';
import { NestLogger } from '../config/logger.js';
import type { Settings } from '../config/settings.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { EventCodec } from '../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../event-store/port.js';
import { Leases } from '../postgres/leases.js';
import { Notifications } from '../postgres/notifications.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { SecretVault } from '../secrets/vault.js';
import { Database } from './database.js';
import { CoreModule } from './modules/core.module.js';
import { KEYS, Resources } from './process-options.js';

/** The parts of a process that its interfaces and sagas build on. */
export interface Infrastructure {
  readonly keys: Keys;
  readonly connectionString: string;
  /** For queries. */
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly aggregates: AggregateStore;
  readonly notifications: Notifications;
  readonly leases: Leases;
  readonly progress: ProjectionProgress;
  readonly vault: SecretVault;
}

/** Returns the infrastructure of a running process. */
export const infrastructureOf = (app: INestApplicationContext): Infrastructure => {
  const { connectionString, pool } = app.get(Database, { strict: false });
  return {
    connectionString,
    pool,
    keys: app.get<Keys>(KEYS, { strict: false }),
    store: app.get<EventStore>(EVENT_STORE, { strict: false }),
    codec: app.get(EventCodec, { strict: false }),
    aggregates: app.get(AggregateStore, { strict: false }),
    notifications: app.get(Notifications, { strict: false }),
    leases: app.get(Leases, { strict: false }),
    progress: app.get(ProjectionProgress, { strict: false }),
    vault: app.get(SecretVault, { strict: false }),
  };
};

@Module({ imports: [CqrsModule.forRoot()] })
class InfrastructureModule {}

/** Starts the infrastructure without interfaces and sagas, for tests and benchmarks. */
export const startInfrastructure = async (
  settings: Settings,
  log: Logger,
): Promise<Infrastructure & { stop(): Promise<void> }> => {
  const resources = new Resources(log);
  try {
    const context = await NestFactory.createApplicationContext(
      { module: InfrastructureModule, imports: [await CoreModule.forRoot({ settings, log }, resources)] },
      { logger: new NestLogger(log), abortOnError: false },
    );
    return { ...infrastructureOf(context), stop: () => context.close() };
  } catch (error) {
    await resources.closeAll();
    throw error;
  }
};
