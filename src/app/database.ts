import type { Pool } from 'pg';
import type { Settings } from '../config/settings.js';
import { startEmbeddedPostgres } from '../postgres/embedded.js';
import { migrate } from '../postgres/migrations.js';
import { migrations } from '../postgres/migrations/all.js';
import { createPool } from '../postgres/pool.js';
import { checkServer } from '../postgres/server-check.js';
import { claimDatabase } from '../secrets/database-keys.js';
import type { HistoryKeys, KeyRing } from '../secrets/key-ring.js';
import { type Connections, divideConnections } from './connections.js';
import type { ProcessOptions } from './process-options.js';
import type { Resources } from './resources.js';
import { addressFrom, waitForServer } from './wait-for-server.js';

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
