import { maskUrl } from '../config/mask.js';
import { CheckedEventStore } from '../event-store/checked-event-store.js';
import { type EventStoreAdapter, WrongEventStore } from '../event-store/port.js';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.js';
import { StoreCheck } from '../event-store/store-check.js';
import { StoreRecords } from '../event-store/store-records.js';
import { reasonOf } from '../kernel/reason.js';
import type { Database } from './database.js';
import type { ProcessOptions } from './process-options.js';
import type { Resources } from './resources.js';
import { addressFrom, waitForServer } from './wait-for-server.js';

/** Interval in ms at which a worker deletes events beyond their streams' retention limits. */
const SCAVENGE_MS = 5 * 60_000;

/** Returns the event store's address in human-readable form, without a password. */
export const addressOf = ({ eventStoreUrl, databaseUrl, dataDir }: ProcessOptions['settings']): string => {
  const url = eventStoreUrl ?? databaseUrl;
  return url === null ? `the embedded PostgreSQL in ${dataDir}` : maskUrl(url);
};

/**
 * Opens the event store: KurrentDB if EVENT_STORE_URL is set, otherwise the database. Waits until the store responds,
 * and checks that the database belongs to it.
 * @throws Error with a human-readable message if the server rejects the settings, or if the database belongs to a
 * different event store
 */
export const openEventStore = async (
  options: ProcessOptions,
  database: Database,
  resources: Resources,
): Promise<CheckedEventStore> => {
  const { log, settings } = options;
  const adapter = await openAdapter(options, database, resources);
  const check = new StoreCheck(adapter, new StoreRecords(database.pool), addressOf(settings));
  const store = new CheckedEventStore(adapter, check, log);
  await resources.add(() => store.close());
  const from = addressFrom('EVENT_STORE_URL', settings.eventStoreUrl);
  const signal = resources.untilStopped(options.signal);
  const wrong = await waitForServer({ what: 'an event store', from, log, signal }, () =>
    store.start().catch((error: unknown) => {
      if (error instanceof WrongEventStore) return error;
      throw error;
    }),
  );
  if (wrong) throw wrong;
  return store;
};

/** Opens the event store without checking that the database belongs to it. The caller must close it. */
export const openAdapter = (
  options: ProcessOptions,
  database: Database,
  resources: Resources,
): Promise<EventStoreAdapter> => {
  const url = options.settings.eventStoreUrl;
  return url === null ? openInPostgres(options, database, resources) : openKurrent(options, url, resources);
};

const openKurrent = async (
  { log, signal: given }: ProcessOptions,
  url: string,
  resources: Resources,
): Promise<EventStoreAdapter> => {
  // KurrentDB's client takes longer to load than any other library, and few deployments need it.
  const { KurrentEventStore } = await import('../event-store/kurrentdb/kurrent-event-store.js');
  const store = new KurrentEventStore({ connectionString: url, log });
  const signal = resources.untilStopped(given);
  const from = addressFrom('EVENT_STORE_URL', url);
  await waitForServer({ what: 'an event store', from, log, signal }, () => store.readHead());
  return store;
};

const openInPostgres = async (
  { settings, log, signal: given }: ProcessOptions,
  { connectionString, connections }: Database,
  resources: Resources,
): Promise<EventStoreAdapter> => {
  const store = new PostgresEventStore({ connectionString, readConnections: connections.events, log });
  const signal = resources.untilStopped(given);
  const from = addressFrom('DATABASE_URL', settings.databaseUrl);
  await waitForServer({ what: 'an event store', from, log, signal }, () => store.start());
  if (settings.roles.has('worker')) {
    const scavenge = () =>
      void store.scavenge().catch((error: unknown) => log.warn({ reason: reasonOf(error) }, 'scavenging failed'));
    const timer = setInterval(scavenge, SCAVENGE_MS).unref();
    await resources.add(() => clearInterval(timer));
  }
  return store;
};
