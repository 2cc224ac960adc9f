import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findBinaries } from './embedded/binaries.js';
import { clusterOwner, openCluster } from './embedded/cluster.js';
import { type DataDirLock, lockDataDir } from './embedded/data-dir-lock.js';
import { stopLeftover } from './embedded/postmaster.js';
import { OURSELVES, type RunAs, runAs, unprivilegedAccount } from './embedded/run-as.js';
import { DidNotStart, type Server, type ServerExit, startServer } from './embedded/server.js';

/** The PostgreSQL that runs beside this process. */
export interface EmbeddedPostgres {
  /** Stays the same while the server is restarted. */
  readonly connectionString: string;
  readonly port: number;
  /** Shuts the server down and lets go of DATA_DIR. May be called again. */
  readonly stop: () => Promise<void>;
  /** Told each time the server ends although nobody stopped it; it is started again by itself. */
  readonly onExit: (listener: (exit: ServerExit) => void) => void;
}

/** How it is started. */
export interface EmbeddedPostgresOptions {
  /** Absolute; created where it is not there. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Server settings that differ from the usual ones; `fsync: 'off'` is for tests alone. */
  readonly settings?: Readonly<Record<string, string>>;
}

const LONGEST_PAUSE_MS = 10_000;

/**
 * Starts the PostgreSQL that comes with the program, on 127.0.0.1, with its data in DATA_DIR (management-api.md:
 * DATABASE_URL). Waits until it takes connections, also through a recovery. A server that dies is started again on the
 * same port; one that outlived its process is shut down first.
 * @throws DataDirInUse another process works on this DATA_DIR.
 * @throws Error with a sentence for people where it cannot be.
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const { dataDir, logger, settings = {} } = options;
  const lock = await claim(dataDir);
  try {
    const binaries = findBinaries();
    const as = await chooseUser(dataDir, binaries.postgres, logger);
    const cluster = await openCluster(dataDir, binaries, as, { sync: settings.fsync !== 'off', logger });
    const launch = async (port: number): Promise<Server> => {
      await stopLeftover(cluster.data, logger);
      return startServer({ binaries, runAs: as, data: cluster.data, port, settings, logger });
    };
    const { server, port } = await firstStart(launch);
    const leave = async (): Promise<void> => {
      await stopLeftover(cluster.data, logger); // one whose guard was killed
      lock.release();
    };
    logger.info({ port }, 'PostgreSQL is ready');
    return {
      connectionString: `postgresql://postgres:${cluster.password}@127.0.0.1:${port}/postgres`,
      port,
      ...keepRunning(server, () => launch(port), leave, logger),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};

/** The folder is passable for others, because PostgreSQL may have to run as one of them; its own data are not. */
const claim = async (dataDir: string): Promise<DataDirLock> => {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o755 });
    return lockDataDir(dataDir);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Error(`DATA_DIR ${dataDir} cannot be used (${code}): it must be a folder that this user may write to.`, {
      cause: error,
    });
  }
};

/** PostgreSQL refuses to run as root; under any other user it runs as that user, and must own its data. */
const chooseUser = async (dataDir: string, program: string, logger: Logger): Promise<RunAs> => {
  const owner = await clusterOwner(dataDir);
  const uid = process.getuid?.();
  if (uid === 0) return runAs(owner && owner.uid !== 0 ? owner : unprivilegedAccount(), program, dataDir, logger);
  if (owner && owner.uid !== uid)
    throw new Error(
      `The database in ${dataDir} belongs to user ${owner.uid}, not to this one (${uid}). Start as the user who made it (root, if it was made by root), or give it away with "chown -R".`,
    );
  return OURSELVES;
};

/** A port may be taken between choosing and using it; backends of a killed server take a moment to go. */
const firstStart = async (launch: (port: number) => Promise<Server>): Promise<{ server: Server; port: number }> => {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = await launch(port);
    try {
      await server.ready;
      return { server, port };
    } catch (error) {
      const passing = error instanceof DidNotStart && /Address already in use|still in use/.test(error.message);
      if (!passing || attempt >= 40) throw error;
      await sleep(250);
    }
  }
};

/**
 * Below the range that systems give to outgoing connections: the server must get the same port again after a crash,
 * when any of these may have come and gone.
 */
const freePort = async (): Promise<number> => {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
  return free ? port : freePort();
};

/** Starts the server again whenever it ends, until it is told to stop. */
const keepRunning = (
  first: Server,
  launch: () => Promise<Server>,
  leave: () => Promise<void>,
  logger: Logger,
): Pick<EmbeddedPostgres, 'stop' | 'onExit'> => {
  const listeners: ((exit: ServerExit) => void)[] = [];
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;
  let current = first;

  const restart = async (): Promise<void> => {
    for (let pause = 0; !stopped(); pause = Math.min(Math.max(pause * 2, 100), LONGEST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
      try {
        current = await launch();
        if (stopped()) await current.stop();
        else await current.ready;
        return;
      } catch (error) {
        if (!stopped()) logger.error({ reason: (error as Error).message }, 'PostgreSQL cannot be started again yet');
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!stopped()) {
      const exit = await current.exited;
      if (stopped()) return;
      logger.error({ ...exit }, 'PostgreSQL has ended unexpectedly; it is started again');
      for (const listener of listeners) listener(exit);
      await restart();
      if (!stopped()) logger.info('PostgreSQL is ready again');
    }
  };
  const watching = watch();

  const stop = async (): Promise<void> => {
    stopping.abort();
    await current.stop();
    await watching;
    await leave();
  };
  let stoppedOnce: Promise<void> | undefined;
  return { stop: () => (stoppedOnce ??= stop()), onExit: (listener) => void listeners.push(listener) };
};
