import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Binaries } from './binaries.js';
import { readPostmaster, shutDown } from './postmaster.js';
import type { RunAs } from './run-as.js';
import { spawnSupervised } from './supervised.js';

/** How the server ended. */
export interface ServerExit {
  /** Exit status; 128 + n after signal n. */
  readonly status: number | null;
  /** The last lines of its log. */
  readonly log: readonly string[];
}

/** A PostgreSQL server process. */
export interface Server {
  /** Resolves once it takes connections; rejects with {@link DidNotStart} when it ends before. */
  readonly ready: Promise<void>;
  readonly exited: Promise<ServerExit>;
  /** Shuts it down: fast, and after 5 s at once. */
  stop(): Promise<void>;
}

/** The server ended before it took connections; the message has its last words. */
export class DidNotStart extends Error {
  override readonly name = 'DidNotStart';
  constructor(readonly exit: ServerExit) {
    super(`PostgreSQL did not start (status ${exit.status}): ${exit.log.join(' | ')}`);
  }
}

/** Settings of the server, beside those that are given. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'replica', // a running server can still be copied by pg_basebackup
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  jit: 'off', // short statements only: compiling costs more than it saves
  max_parallel_workers_per_gather: '0', // likewise; and a container's shared memory may be too small for it
  random_page_cost: '1.1', // no spinning disks
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '%e ',
  log_min_error_statement: 'panic', // a statement may carry what must not be logged
};

const LOG_LINES_KEPT = 20;
const PROGRESS_MS = 5_000;

/**
 * Starts a server on a data directory that nobody uses (see postmaster.ts: stopLeftover). It shuts itself down when
 * this process dies.
 */
export const startServer = (options: {
  readonly binaries: Binaries;
  readonly runAs: RunAs;
  readonly data: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly logger: Logger;
}): Server => {
  const { data, port, logger } = options;
  const settings = Object.entries({ ...SETTINGS, ...options.settings, port: String(port) });
  const child = spawnSupervised(options.runAs, options.binaries.postgres, [
    '-D',
    data,
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);

  const log: string[] = [];
  if (child.stderr)
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (log.length > LOG_LINES_KEPT) log.shift();
      pass(line, logger);
    });

  let ended = false;
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('error', (error) => resolve({ status: null, log: [error.message] }));
    child.once('exit', (status) => {
      // Its last words may still be in the pipe, which a backend that outlives it can keep open.
      void Promise.race([once(child, 'close'), sleep(500, undefined, { ref: false })]).then(() =>
        resolve({ status, log }),
      );
    });
  }).then((exit) => {
    ended = true;
    child.stdin?.end();
    return exit;
  });

  const untilReady = async (): Promise<void> => {
    const started = Date.now();
    for (let told = started; !ended; await sleep(20)) {
      if ((await readPostmaster(data))?.ready) return;
      if (Date.now() - told < PROGRESS_MS) continue;
      told = Date.now();
      const seconds = Math.round((told - started) / 1000);
      logger.info({ seconds, last: log.at(-1) }, 'PostgreSQL is still starting (it may be recovering from a crash)');
    }
    throw new DidNotStart(await exited);
  };
  const ready = untilReady();
  ready.catch(() => undefined); // whoever stops a server that starts does not wait for it

  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await Promise.race([exited, sleep(5_000, undefined, { ref: false })]);
    const left = ended ? null : await readPostmaster(data);
    if (left) await shutDown(left.pid, data, { fastMs: 0, immediateMs: 5_000 }, logger);
    await exited;
  };
  return { ready, exited, stop };
};

/** The server is starting, stopping, or its client has gone: what every outage brings with it. */
const ORDINARY = /^(57P01|57P03|08006)$/;

/** Passes a line of the server's log on. What a statement did wrong is its sender's to report. */
const pass = (line: string, logger: Logger): void => {
  const [, state = '', severity = '', message = ''] = /^(\S{5}) (\w+): {2}(.*)$/.exec(line) ?? [];
  const fields = { from: 'postgres', state };
  if (severity === 'PANIC') logger.error(fields, message);
  else if (severity === 'WARNING' || (severity === 'FATAL' && !ORDINARY.test(state))) logger.warn(fields, message);
  else logger.debug({ from: 'postgres' }, line);
};
