import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { completeKeys, type Keys } from '../config/generated-keys.js';
import type { Settings } from '../config/settings.js';
import { catalogue } from '../domain/catalogue.js';
import { EventCodec } from '../event-store/codec.js';
import { type EventStore, Unavailable } from '../event-store/port.js';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.js';
import { Streams } from '../event-store/streams.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded.js';
import { Metrics } from '../health/metrics.js';
import { Inspector } from '../media/inspector.js';
import { Leases } from '../postgres/leases.js';
import { migrate } from '../postgres/migrations.js';
import { migrations } from '../postgres/migrations/all.js';
import { Notifications } from '../postgres/notifications.js';
import { createPool } from '../postgres/pool.js';
import { checkSecretsKey } from '../postgres/secrets-key-check.js';
import { isUnavailable } from '../postgres/unavailable.js';
import { ProjectionProgress } from '../projections/progress.js';
import { SecretVault } from '../secrets/vault.js';

/** Everything that outlives a request and is shared by the roles of one process. */
export interface Infrastructure {
  readonly keys: Keys;
  readonly connectionString: string;
  /** For queries. */
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly streams: Streams;
  readonly notifications: Notifications;
  readonly leases: Leases;
  readonly progress: ProjectionProgress;
  readonly vault: SecretVault;
  readonly metrics: Metrics;
  /** Parses strangers' files, for acceptance and for publication. */
  readonly inspector: Inspector;
  stop(): Promise<void>;
}

const WAIT_MS = 1_000;
/** How often events are deleted that retention has cut off. */
const SCAVENGE_MS = 5 * 60_000;

/**
 * Starts database, event store and what stands on them. Servers that are not there yet are waited for, with a line in
 * the log; settings that do not fit them (a foreign SECRETS_KEY, a newer schema) stop the start.
 */
export const startInfrastructure = async (settings: Settings, log: Logger): Promise<Infrastructure> => {
  const keys = await completeKeys(settings);
  const embedded =
    settings.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: settings.dataDir, logger: log }) : null;
  try {
    return await assemble(settings, keys, embedded, log);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
};

const assemble = async (
  settings: Settings,
  keys: Keys,
  embedded: EmbeddedPostgres | null,
  log: Logger,
): Promise<Infrastructure> => {
  const connectionString = embedded?.connectionString ?? settings.databaseUrl!;
  const pool = createPool(connectionString, { max: 12, applicationName: 'crosspost queries', logger: log });
  await patiently('the database', log, async () => {
    await migrate(connectionString, migrations, log);
    await checkSecretsKey(pool, keys.secretsKey);
  });
  const metrics = new Metrics(pool);
  const store = metrics.timed(await openStore(settings, connectionString, log));
  metrics.watchHead(store);
  const codec = new EventCodec(catalogue);
  const notifications = new Notifications(connectionString, log);
  await notifications.start();
  const leases = new Leases({ pool, connectionString, leaseMs: settings.leaseMs, notifications, log });
  const inspector = new Inspector({ log });
  return {
    ...{ keys, connectionString, pool, store, codec, notifications, leases, metrics, inspector },
    streams: new Streams(store, codec),
    progress: new ProjectionProgress(pool, notifications),
    vault: new SecretVault(pool, keys.secretsKey),
    async stop() {
      await leases.stop();
      inspector.close();
      await Promise.allSettled([notifications.stop(), store.close()]);
      await pool.end();
      await embedded?.stop();
    },
  };
};

const openStore = async (settings: Settings, connectionString: string, log: Logger): Promise<EventStore> => {
  if (settings.eventStoreUrl !== null) {
    // Its client is the dearest to load of all libraries, and few need it.
    const { KurrentEventStore } = await import('../event-store/kurrentdb/kurrent-event-store.js');
    const store = new KurrentEventStore({ connectionString: settings.eventStoreUrl, log });
    await patiently('the event store', log, () => store.head());
    return store;
  }
  const store = new PostgresEventStore({ connectionString, log });
  await patiently('the event store', log, () => store.start());
  const scavenge = () =>
    void store.scavenge().catch((error: unknown) => log.warn({ error: String(error) }, 'scavenging failed'));
  if (settings.roles.has('worker')) setInterval(scavenge, SCAVENGE_MS).unref();
  return store;
};

/** Repeats while a server is away: in a deployment everything starts at the same time. */
const patiently = async (what: string, log: Logger, attempt: () => Promise<unknown>): Promise<void> => {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!(error instanceof Unavailable) && !isUnavailable(error)) throw error;
      log.warn({ reason: String((error as Error).cause ?? error) }, `waiting for ${what}`);
      await sleep(WAIT_MS);
    }
  }
};
