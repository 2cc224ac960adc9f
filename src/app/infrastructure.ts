import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { completeKeys, type Keys } from '../config/generated-keys.js';
import type { Settings } from '../config/settings.js';
import { catalogue } from '../domain/catalogue.js';
import { EventCodec } from '../event-store/codec.js';
import type { EventStore } from '../event-store/port.js';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.js';
import { Streams } from '../event-store/aggregate-store.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded.js';
import { Metrics } from '../health/metrics.js';
import { Inspector } from '../media/inspector.js';
import { Leases } from '../postgres/leases.js';
import { migrate } from '../postgres/migrations.js';
import { migrations } from '../postgres/migrations/all.js';
import { Notifications } from '../postgres/notifications.js';
import { createPool } from '../postgres/pool.js';
import { checkSecretsKey } from '../postgres/secrets-key-check.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { SecretVault } from '../secrets/vault.js';
import { reach } from './wait-for-server.js';

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

/** How often events are deleted that retention has cut off. */
const SCAVENGE_MS = 5 * 60_000;

/**
 * Starts database, event store and what stands on them. Servers that are not there yet are waited for, with a line in
 * the log; settings that do not fit them (a wrong password, a foreign SECRETS_KEY, a newer schema) stop the start.
 * @param signal gives it up while a server is waited for @throws Error with a sentence for people
 */
export const startInfrastructure = async (
  settings: Settings,
  log: Logger,
  signal?: AbortSignal,
): Promise<Infrastructure> => {
  const keys = await completeKeys(settings);
  const embedded =
    settings.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: settings.dataDir, logger: log }) : null;
  try {
    return await assemble(settings, keys, embedded, log, signal);
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
  signal?: AbortSignal,
): Promise<Infrastructure> => {
  const connectionString = embedded?.connectionString ?? settings.databaseUrl!;
  const pool = createPool(connectionString, { max: 12, applicationName: 'crosspost queries', logger: log });
  const from = embedded ? null : ({ setting: 'DATABASE_URL', url: connectionString } as const);
  await reach({ what: 'a database', from, log, signal }, async () => {
    await migrate(connectionString, migrations, log);
    await checkSecretsKey(pool, keys.secretsKey);
  });
  const metrics = new Metrics(pool);
  const store = await openStore(settings, connectionString, log, signal);
  metrics.watchHead(store);
  const codec = new EventCodec(catalogue);
  const notifications = new Notifications(connectionString, log);
  await notifications.start();
  const leases = new Leases({ pool, connectionString, leaseMs: settings.leaseMs, notifications, log });
  const inspector = new Inspector({ log });
  return {
    ...{ keys, connectionString, pool, store, codec, notifications, leases, metrics, inspector },
    streams: new Streams(store, codec, metrics.appendTimer()),
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

const openStore = async (
  settings: Settings,
  connectionString: string,
  log: Logger,
  signal?: AbortSignal,
): Promise<EventStore> => {
  const what = 'an event store';
  const url = settings.eventStoreUrl;
  if (url !== null) {
    // Its client is the dearest to load of all libraries, and few need it.
    const { KurrentEventStore } = await import('../event-store/kurrentdb/kurrent-event-store.js');
    const store = new KurrentEventStore({ connectionString: url, log });
    await reach({ what, from: { setting: 'EVENT_STORE_URL', url }, log, signal }, () => store.head());
    return store;
  }
  const store = new PostgresEventStore({ connectionString, conditions: 'ops_changed_endpoints', log });
  await reach({ what, from: null, log, signal }, () => store.start());
  const scavenge = () =>
    void store.scavenge().catch((error: unknown) => log.warn({ error: String(error) }, 'scavenging failed'));
  if (settings.roles.has('worker')) setInterval(scavenge, SCAVENGE_MS).unref();
  return store;
};
