import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CHILD_ENVIRONMENT } from '../../config/child-environment.js';
import { EMBEDDED_MESSAGES } from '../messages.js';
import type { Binaries } from './binaries.js';
import { readPostmaster, shutDownServer } from './postmaster.js';
import type { RunAs } from './run-as.js';

/**
 * Starts a program and a guard process, which waits until its pipe from this process closes. When this process closes
 * the pipe or dies in any way, the guard interrupts the program (for PostgreSQL: a fast shutdown). It repeats the
 * interrupt, because a program that has just started may not handle it yet.
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ cat <&3; while kill -INT $program; do sleep 1; done; } >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait $program
status=$?
kill $guard 2>/dev/null
exit $status
`;

/**
 * Starts one of PostgreSQL's programs in its own session, so that a terminal's Ctrl-C, or a signal to this process
 * group, does not stop it too early. It is interrupted when its stdin closes or this process exits. The exit status is
 * the program's, or 128 + n after signal n.
 */
export const spawnSupervised = (runAs: RunAs, program: string, args: readonly string[]): ChildProcess => {
  const [command = '', ...rest] = [...runAs.prefix, '/bin/sh', '-c', SCRIPT, 'sh', program, ...args];
  const child = spawn(command, rest, {
    ...runAs.options,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // the program has already exited
  return child;
};

/** How the server exited. */
export interface ServerExit {
  /** Exit status, or 128 + n after signal n; null if the server could not be started or its shell was killed. */
  readonly status: number | null;
  /** The last lines of its log. */
  readonly log: readonly string[];
}

/** A PostgreSQL server process. */
export interface PostgresServer {
  /** Resolves once the server accepts connections; rejects with {@link ServerDidNotStart} if it exits first. */
  readonly ready: Promise<void>;
  readonly exited: Promise<ServerExit>;
  /** Requests a fast shutdown, and an immediate one if the server has not exited after 5 s. */
  stop(): Promise<void>;
}

/** The server exited before it accepted connections. The message contains the last lines of its log. */
export class ServerDidNotStart extends Error {
  override readonly name = 'DidNotStart';
  constructor(readonly exit: ServerExit) {
    super(EMBEDDED_MESSAGES.didNotStart({ status: String(exit.status), log: exit.log.join(' | ') }));
  }
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB', // fits the index pages that change with a million posts (ADR-236)
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'replica', // allows pg_basebackup of a running server
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  jit: 'off', // statements are short: compiling costs more than it saves
  max_parallel_workers_per_gather: '0', // statements are short, and a container's shared memory may be too small
  random_page_cost: '1.1', // no spinning disks
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '%e ',
  log_min_error_statement: 'panic', // statements may contain data that must not be logged
};

const LOG_LINES_KEPT = 20;
const PROGRESS_MS = 5_000;

/** Starts a server on a data directory that is not in use. The server shuts down if this process exits. */
export const startServer = (options: {
  readonly binaries: Binaries;
  readonly runAs: RunAs;
  readonly data: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly logger: Logger;
}): PostgresServer => {
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
      logServerLine(line, logger);
    });

  let ended = false;
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('error', (error) => resolve({ status: null, log: [error.message] }));
    child.once('exit', (status) => {
      // The last log lines may still be in the pipe. The wait is limited, because a backend that outlives the server
      // can keep the pipe open.
      void Promise.race([once(child, 'close'), sleep(500, undefined, { ref: false })]).then(() =>
        resolve({ status, log }),
      );
    });
  }).then((exit) => {
    ended = true;
    child.stdin?.end();
    return exit;
  });

  const waitUntilReady = async (): Promise<void> => {
    const started = Date.now();
    for (let reportedAt = started; !ended; await sleep(20)) {
      if ((await readPostmaster(data))?.ready) return;
      if (Date.now() - reportedAt < PROGRESS_MS) continue;
      reportedAt = Date.now();
      const seconds = Math.round((reportedAt - started) / 1000);
      logger.info({ seconds, last: log.at(-1) }, 'PostgreSQL is still starting (it may be recovering from a crash)');
    }
    throw new ServerDidNotStart(await exited);
  };
  const ready = waitUntilReady();
  ready.catch(() => undefined); // a caller that stops a starting server does not await this

  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await Promise.race([exited, sleep(5_000, undefined, { ref: false })]);
    const remaining = ended ? null : await readPostmaster(data);
    if (remaining) await shutDownServer(remaining.pid, data, { fastMs: 0, immediateMs: 5_000 }, logger);
    await exited;
  };
  return { ready, exited, stop };
};

/** SQLSTATEs to expect whenever the server starts or stops, or a client loses its connection. */
const EXPECTED_STATES = /^(57P01|57P03|08006)$/;

/**
 * Copies a line of the server log. SQL errors are logged at debug level, because the code that caused them reports
 * them.
 */
const logServerLine = (line: string, logger: Logger): void => {
  const [, state = '', severity = '', message = ''] = /^(\S{5}) (\w+): {2}(.*)$/.exec(line) ?? [];
  const fields = { from: 'postgres', state };
  if (severity === 'PANIC') logger.error(fields, message);
  else if (severity === 'WARNING' || (severity === 'FATAL' && !EXPECTED_STATES.test(state)))
    logger.warn(fields, message);
  else logger.debug({ from: 'postgres' }, line);
};
