import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Backoff } from '../runtime/backoff.js';
import { findBinaries } from './embedded/binaries.js';
import { type DataDirLock, findClusterOwner, lockDataDir, openCluster } from './embedded/cluster.js';
import { stopLeftoverServer } from './embedded/postmaster.js';
import { chooseRunAs, CURRENT_USER, findUnprivilegedAccount, type RunAs } from './embedded/run-as.js';
import { type PostgresServer, ServerDidNotStart, type ServerExit, startServer } from './embedded/server.js';
import { EMBEDDED_MESSAGES } from './messages.js';

/** The PostgreSQL server that this process runs. */
export interface EmbeddedPostgres {
  /** Stays the same when the server restarts. */
  readonly connectionString: string;
  readonly port: number;
  /** Shuts the server down and releases DATA_DIR. Further calls have no effect. */
  readonly stop: () => Promise<void>;
  /** Calls a listener each time the server exits unexpectedly. The server is then restarted automatically. */
  readonly onExit: (listener: (exit: ServerExit) => void) => void;
}

/** Options for {@link startEmbeddedPostgres}. */
export interface EmbeddedPostgresOptions {
  /** Absolute path; created if it does not exist. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Server settings that override the defaults; `fsync: 'off'` is for tests only. */
  readonly settings?: Readonly<Record<string, string>>;
}

const RESTART_DELAY = { firstMs: 100, longestMs: 10_000 };

/**
 * Starts the bundled PostgreSQL on 127.0.0.1, with its data in DATA_DIR (management-api.md: DATABASE_URL). Waits until
 * it accepts connections, even if it has to recover first. A server that dies is restarted on the same port; a server
 * left over from an earlier process is shut down first.
 * @throws DataDirInUse if another process uses this DATA_DIR
 * @throws Error with a human-readable message if the server cannot be started
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const { dataDir, logger, settings = {} } = options;
  const lock = await claimDataDir(dataDir);
  try {
    const binaries = findBinaries();
    const as = await chooseUser(dataDir, binaries.postgres, logger);
    const cluster = await openCluster(dataDir, binaries, as, { sync: settings.fsync !== 'off', logger });
    const launch = async (port: number): Promise<PostgresServer> => {
      await stopLeftoverServer(cluster.data, logger);
      return startServer({ binaries, runAs: as, data: cluster.data, port, settings, logger });
    };
    const { server, port } = await firstStart(launch);
    const release = async (): Promise<void> => {
      await stopLeftoverServer(cluster.data, logger); // a server whose guard process was killed
      lock.release();
    };
    logger.info({ port }, 'PostgreSQL is ready');
    return {
      connectionString: `postgresql://postgres:${cluster.password}@127.0.0.1:${port}/postgres`,
      port,
      ...keepRunning(server, () => launch(port), release, logger),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};

/**
 * Creates and locks DATA_DIR. Other users may traverse it, because PostgreSQL may run as another user. The data stays
 * private.
 */
const claimDataDir = async (dataDir: string): Promise<DataDirLock> => {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o755 });
    return lockDataDir(dataDir);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Error(EMBEDDED_MESSAGES.unusableFolder({ folder: dataDir, code }), { cause: error });
  }
};

/** Chooses PostgreSQL's user: the current user, who must own its data, or another user if this process runs as root. */
const chooseUser = async (dataDir: string, program: string, logger: Logger): Promise<RunAs> => {
  const owner = await findClusterOwner(dataDir);
  const uid = process.getuid?.();
  if (uid === 0)
    return chooseRunAs(owner && owner.uid !== 0 ? owner : findUnprivilegedAccount(), program, dataDir, logger);
  if (owner && owner.uid !== uid)
    throw new Error(EMBEDDED_MESSAGES.otherOwner({ folder: dataDir, owner: owner.uid, user: String(uid) }));
  return CURRENT_USER;
};

/**
 * Starts the server on a free port. Retries if another program takes the port, or if backends of a killed server are
 * still running.
 */
const firstStart = async (
  launch: (port: number) => Promise<PostgresServer>,
): Promise<{ server: PostgresServer; port: number }> => {
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    const server = await launch(port);
    try {
      await server.ready;
      return { server, port };
    } catch (error) {
      const isTemporary =
        error instanceof ServerDidNotStart && /Address already in use|still in use/.test(error.message);
      if (!isTemporary || attempt >= 40) throw error;
      await sleep(250);
    }
  }
};

/** Finds a free port below the range for outgoing connections, which could take the port while the server restarts. */
const findFreePort = async (): Promise<number> => {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
  return free ? port : findFreePort();
};

/** Restarts the server whenever it exits, until `stop` is called. */
const keepRunning = (
  first: PostgresServer,
  launch: () => Promise<PostgresServer>,
  release: () => Promise<void>,
  logger: Logger,
): Pick<EmbeddedPostgres, 'stop' | 'onExit'> => {
  const listeners: ((exit: ServerExit) => void)[] = [];
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let current = first;

  const restart = async (): Promise<void> => {
    const backoff = new Backoff(RESTART_DELAY);
    while (!isStopping()) {
      try {
        current = await launch();
        if (isStopping()) await current.stop();
        else await current.ready;
        return;
      } catch (error) {
        if (!isStopping())
          logger.error({ reason: (error as Error).message }, 'failed to restart PostgreSQL; trying again');
        await backoff.wait(stopping.signal);
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!isStopping()) {
      const exit = await current.exited;
      if (isStopping()) return;
      logger.error({ ...exit }, 'PostgreSQL exited unexpectedly; restarting it');
      for (const listener of listeners) listener(exit);
      await restart();
      if (!isStopping()) logger.info('PostgreSQL is ready again');
    }
  };
  const watching = watch();

  const stop = async (): Promise<void> => {
    stopping.abort();
    await current.stop();
    await watching;
    await release();
  };
  let stoppedOnce: Promise<void> | undefined;
  return { stop: () => (stoppedOnce ??= stop()), onExit: (listener) => void listeners.push(listener) };
};
