import type { Pool } from 'pg';
import type { Settings } from '../config/settings.js';
import { startEmbeddedPostgres } from '../postgres/embedded.js';
import { migrate } from '../postgres/migrations.js';
import { migrations } from '../postgres/migrations/all.js';
import { createPool } from '../postgres/pool.js';
import { checkServer } from '../postgres/server-check.js';
import { claimDatabase } from '../secrets/database-keys.js';
import type { HistoryKeys, KeyRing } from '../secrets/key-ring.js';
import type { ProcessOptions } from './process-options.js';
import type { Resources } from './resources.js';
import { addressFrom, waitForServer } from './wait-for-server.js';

/** How many PostgreSQL connections each part of a process may hold. */
export interface Connections {
  /** Total, including connections not listed here (DATABASE_POOL). */
  readonly total: number;
  /** Pool for queries; at least 1. */
  readonly queries: number;
  /** Pool for reading events; 0 if KurrentDB stores them. */
  readonly events: number;
  /** Pool for the projections; 0 if the process runs none or they share the query pool. */
  readonly projections: number;
  /** Pool for readiness and metrics; 0 if they share the query pool. */
  readonly health: number;
}

const MOST_QUERIES = 12;
/** The event store reads only a few batches at a time, whatever the load. */
const MOST_EVENTS = 4;
/** Fewer than the number of projections, because each holds a connection only during a transaction. */
const MOST_PROJECTIONS = 4;
/** One for /readyz and one for /metrics: health checks and requests never wait for each other. */
const MOST_HEALTH = 2;
/** Minimum size of the query pool if health checks have their own pool; otherwise they share the query pool. */
const FEWEST_QUERIES = 2;

/**
 * Divides DATABASE_POOL among the parts of a process (ADR-94). First sets aside the connections that hold a session:
 * one listens for notifications, and a worker has one for its presence. If PostgreSQL stores the events, one appends
 * them, and a worker has one more to follow the log. Divides the rest in the default proportions. If PostgreSQL stores
 * the events, a worker with six connections uses a single connection for queries and projections.
 */
export const divideConnections = ({
  databasePool,
  roles,
  eventStoreUrl,
}: Pick<Settings, 'databasePool' | 'roles' | 'eventStoreUrl'>): Connections => {
  const isWorker = roles.has('worker');
  const hasEvents = eventStoreUrl === null;
  const sessions = 1 + (isWorker ? 1 : 0) + (hasEvents ? 1 : 0) + (hasEvents && isWorker ? 1 : 0);
  const most = { events: hasEvents ? MOST_EVENTS : 0, projections: isWorker ? MOST_PROJECTIONS : 0 };
  const shared = MOST_QUERIES + most.events + most.projections + MOST_HEALTH;
  const total = databasePool ?? sessions + shared;
  const rest = total - sessions;
  const partOf = (size: number): number => Math.min(size, Math.floor((rest * size) / shared));
  const events = hasEvents ? Math.max(1, partOf(most.events)) : 0;
  const projections = rest - events >= 2 && isWorker ? Math.max(1, partOf(most.projections)) : 0;
  const left = rest - events - projections;
  const health = left > FEWEST_QUERIES ? Math.max(1, partOf(MOST_HEALTH)) : 0;
  return { total, queries: left - health, events, projections, health };
};

/** The database of a process, with all migrations applied. */
export class Database {
  constructor(
    readonly connectionString: string,
    /** For queries. */
    readonly pool: Pool,
    readonly connections: Connections,
    readonly historyKeys: HistoryKeys,
  ) {}
}

/** Returns how long a projection's transaction may be idle before the server ends it to release its locks, in ms. */
export const longestIdleTransaction = ({ leaseMs }: Pick<Settings, 'leaseMs'>): number => Math.max(2_000, leaseMs / 2);

/**
 * Opens the database at DATABASE_URL, or an embedded PostgreSQL below DATA_DIR that no other process may use. Waits
 * until the server responds, and logs that it is waiting.
 * @throws Error with a human-readable message if the database cannot be used with these settings (D-54): a wrong
 * password, a pooler in transaction mode, missing rights, too few connections, another database's SECRETS_KEY, a newer
 * schema
 */
export const openDatabase = async (
  { settings, log, signal }: ProcessOptions,
  ring: KeyRing,
  resources: Resources,
): Promise<Database> => {
  const openEmbedded = () =>
    resources.open(
      () => startEmbeddedPostgres({ dataDir: settings.dataDir, logger: log }),
      (opened) => opened.stop(),
    );
  const connectionString = settings.databaseUrl ?? (await openEmbedded()).connectionString;
  const connections = divideConnections(settings);
  const pool = createPool(connectionString, {
    max: connections.queries,
    applicationName: 'crosspost queries',
    logger: log,
    ...(connections.projections === 0 && { idleInTransactionMs: longestIdleTransaction(settings) }),
  });
  await resources.add(() => pool.end());
  const from = addressFrom('DATABASE_URL', settings.databaseUrl);
  const requirements = { connections: connections.total, isChosen: settings.databasePool !== null, log };
  const historyKeys = await waitForServer(
    { what: 'a database', from, log, signal: resources.untilStopped(signal) },
    async () => {
      await checkServer(connectionString, requirements);
      await migrate(connectionString, migrations, log);
      return claimDatabase(pool, ring);
    },
  );
  return new Database(connectionString, pool, connections, historyKeys);
};
