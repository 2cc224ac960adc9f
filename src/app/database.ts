import type { Pool } from 'pg';
import type { Keys } from '../config/generated-keys.js';
import { startEmbeddedPostgres } from '../postgres/embedded.js';
import { migrate } from '../postgres/migrations.js';
import { migrations } from '../postgres/migrations/all.js';
import { createPool } from '../postgres/pool.js';
import { checkSecretsKey } from '../postgres/secrets-key-check.js';
import type { ProcessOptions } from './process-options.js';
import type { Resources } from './resources.js';
import { waitForServer } from './wait-for-server.js';

/** The database of a process, with all migrations applied. */
export class Database {
  constructor(
    readonly connectionString: string,
    /** For queries. */
    readonly pool: Pool,
  ) {}
}

/**
 * Opens the database: the one that DATABASE_URL names, or an embedded PostgreSQL below DATA_DIR, which this process then
 * owns alone. Waits, with a line in the log, until the server answers.
 * @throws Error with a sentence for people if the settings do not fit the server: a wrong password, a foreign
 * SECRETS_KEY, a newer schema
 */
export const openDatabase = async (
  { settings, log, signal }: ProcessOptions,
  { secretsKey }: Keys,
  resources: Resources,
): Promise<Database> => {
  let connectionString = settings.databaseUrl;
  if (connectionString === null) {
    const embedded = await resources.open(
      () => startEmbeddedPostgres({ dataDir: settings.dataDir, logger: log }),
      (opened) => opened.stop(),
    );
    ({ connectionString } = embedded);
  }
  const pool = createPool(connectionString, { max: 12, applicationName: 'crosspost queries', logger: log });
  await resources.add(() => pool.end());
  const url = settings.databaseUrl;
  const from = url === null ? null : ({ setting: 'DATABASE_URL', url } as const);
  const database = connectionString;
  await waitForServer({ what: 'a database', from, log, signal: resources.untilStopped(signal) }, async () => {
    await migrate(database, migrations, log);
    await checkSecretsKey(pool, secretsKey);
  });
  return new Database(connectionString, pool);
};
