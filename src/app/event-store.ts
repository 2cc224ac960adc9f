import type { EventStore } from '../event-store/port.js';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.js';
import type { Database } from './database.js';
import type { ProcessOptions } from './process-options.js';
import type { Resources } from './resources.js';
import { waitForServer } from './wait-for-server.js';

/** Interval at which a worker deletes events that retention has cut off, in ms. */
const SCAVENGE_MS = 5 * 60_000;

/**
 * Opens the event store: KurrentDB where EVENT_STORE_URL names one, else the database. Waits until it answers.
 * @throws Error with a sentence for people if the server rejects the settings
 */
export const openEventStore = async (
  options: ProcessOptions,
  database: Database,
  resources: Resources,
): Promise<EventStore> => {
  const url = options.settings.eventStoreUrl;
  const store =
    url === null ? await openInPostgres(options, database, resources) : await openKurrent(options, url, resources);
  await resources.add(() => store.close());
  return options.overrides?.wrapEventStore?.(store) ?? store;
};

const openKurrent = async (
  { log, signal: given }: ProcessOptions,
  url: string,
  resources: Resources,
): Promise<EventStore> => {
  // Its client takes longer to load than any other library, and few deployments need it.
  const { KurrentEventStore } = await import('../event-store/kurrentdb/kurrent-event-store.js');
  const store = new KurrentEventStore({ connectionString: url, log });
  const signal = resources.untilStopped(given);
  await waitForServer({ what: 'an event store', from: { setting: 'EVENT_STORE_URL', url }, log, signal }, () =>
    store.readHead(),
  );
  return store;
};

const openInPostgres = async (
  { settings, log, signal: given }: ProcessOptions,
  { connectionString, connections }: Database,
  resources: Resources,
): Promise<EventStore> => {
  const store = new PostgresEventStore({ connectionString, readConnections: connections.events, log });
  const signal = resources.untilStopped(given);
  const url = settings.databaseUrl;
  const from = url === null ? null : ({ setting: 'DATABASE_URL', url } as const);
  await waitForServer({ what: 'an event store', from, log, signal }, () => store.start());
  if (settings.roles.has('worker')) {
    const scavenge = () =>
      void store.scavenge().catch((error: unknown) => log.warn({ error: String(error) }, 'scavenging failed'));
    const timer = setInterval(scavenge, SCAVENGE_MS).unref();
    await resources.add(() => clearInterval(timer));
  }
  return store;
};
