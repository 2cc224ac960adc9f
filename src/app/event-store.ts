import { join } from 'node:path';
import { maskUrl } from '../config/redact.js';
import type { Settings } from '../config/settings.js';
import { catalogue } from '../domain/catalogue.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { CheckedEventStore } from '../event-store/checked-event-store.js';
import { EventCodec } from '../event-store/codec.js';
import { OpenedEventStore } from '../event-store/opened-event-store.js';
import { type ArchiveFiles, type EventStoreAdapter, type StoreNotes, WrongEventStore } from '../event-store/port.js';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.js';
import { StoreCheck } from '../event-store/store-check.js';
import { SeenNotes, StoreRecords } from '../event-store/store-records.js';
import type { LogIdentity } from '../history/transparency-log/log-tables.js';
import { PublishedCheckpoints } from '../history/transparency-log/published-checkpoint.js';
import { reasonOf } from '../kernel/result.js';
import type { HistoryKeys } from '../secrets/key-ring.js';
import { archiveFilesIn } from '../uploads/archive-files.js';
import { addressFrom, type Database, waitForServer } from './database.js';
import { openFileStore } from './media-files.js';
import type { ProcessOptions, Resources } from './process-options.js';
import { LogRecovery } from './recovery/log-recovery.js';

/**
 * Opens the record of the newest published checkpoint.
 * @param notes notes in the event store; null if the database is the event store
 */
export const openPublishedCheckpoints = (
  { dataDir }: Pick<Settings, 'dataDir'>,
  notes: StoreNotes | null,
  storeId: () => string | null,
): PublishedCheckpoints => new PublishedCheckpoints(notes, join(dataDir, 'history-checkpoints'), storeId);

/** Returns the name and keys of the transparency log. */
export const createLogIdentity = (settings: Settings, { signingKey, sealKey }: HistoryKeys): LogIdentity => ({
  origin: settings.historyOrigin,
  // The base URL may be unknown until the server listens.
  get baseUrl() {
    return settings.baseUrl ?? '';
  },
  key: settings.historyKey ?? signingKey,
  sealKey,
});

/** Interval in ms at which a worker deletes events beyond their streams' retention limits. */
const SCAVENGE_MS = 5 * 60_000;

/** Returns the event store's address in human-readable form, without a password. */
export const addressOf = ({ eventStoreUrl, databaseUrl, dataDir }: ProcessOptions['settings']): string => {
  const url = eventStoreUrl ?? databaseUrl;
  return url === null ? `the embedded PostgreSQL in ${dataDir}` : maskUrl(url);
};

/** Opens the notes about the newest events that processes of this machine have seen. */
export const openSeenNotes = ({ dataDir }: ProcessOptions['settings']): SeenNotes =>
  new SeenNotes(join(dataDir, 'seen-events'));

/** Prepares a recovery of the log in a store. @param storeId returns the store's identity, for the published checkpoint */
export const openRecovery = (
  { settings, log }: ProcessOptions,
  { pool, historyKeys, contentKeys }: Database,
  store: EventStoreAdapter,
  storeId: () => string | null,
): LogRecovery =>
  new LogRecovery({
    pool,
    store,
    log,
    aggregates: new AggregateStore(
      new OpenedEventStore(store, contentKeys, log),
      new EventCodec(catalogue, contentKeys),
    ),
    notes: openSeenNotes(settings),
    identity: createLogIdentity(settings, historyKeys),
    published: openPublishedCheckpoints(settings, store.notes, storeId),
  });

/**
 * Opens the event store: KurrentDB if EVENT_STORE_URL is set, otherwise the database. Waits until the store responds,
 * checks that the database belongs to it, and recovers if events were lost (D-80).
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
  const notes = openSeenNotes(settings);
  const check = new StoreCheck(adapter, new StoreRecords(database.pool), addressOf(settings), (id) => notes.read(id));
  const store = new CheckedEventStore(adapter, check, log);
  await resources.add(() => store.close());
  const from = addressFrom('EVENT_STORE_URL', settings.eventStoreUrl);
  const signal = resources.untilStopped(options.signal);
  const wrong = await waitForServer({ what: 'an event store', from, log, signal }, async () => {
    const verdict = await check.run(null);
    const loss = 'problem' in verdict ? verdict.loss : null;
    if ('problem' in verdict) {
      if (loss === null) return new WrongEventStore(verdict.problem);
      log.warn({}, verdict.problem);
    }
    const { id } = await adapter.readIdentity();
    const noticed = { running: options.noticed ?? null, setting: settings.restoredAt, newStore: null };
    const recovery = openRecovery(options, database, adapter, () => id);
    await recovery.run(id!, { ...noticed, readModelsAhead: loss?.seenBy === 'read_model' });
    return store.start().catch((error: unknown) => {
      if (error instanceof WrongEventStore) return error;
      throw error;
    });
  });
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
  let files: Promise<ArchiveFiles> | null = null; // few processes ever need them
  const store = new PostgresEventStore({
    connectionString,
    readConnections: connections.events,
    log,
    openArchive: () => (files ??= openFileStore(settings, resources).then(archiveFilesIn)),
  });
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
