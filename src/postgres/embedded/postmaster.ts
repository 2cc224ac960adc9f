import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { TOOL_ENVIRONMENT } from '../../config/child-environment.js';

/** The contents of postmaster.pid. */
interface Postmaster {
  readonly pid: number;
  /** True once the server accepts connections. */
  readonly ready: boolean;
}

/** A pid above the limits of Linux and macOS, which no process can have. */
const UNUSED_PID = 4_194_305;
const STATUS_LINE = 7;

const pidFile = (data: string): string => join(data, 'postmaster.pid');

/** Reads postmaster.pid; returns null if the file is absent, incomplete or invalidated. Its server may be dead. */
export const readPostmaster = async (data: string): Promise<Postmaster | null> => {
  const lines = await readFile(pidFile(data), 'utf8').then(
    (content) => content.split('\n'),
    () => [],
  );
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || pid === UNUSED_PID) return null;
  return { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' };
};

/**
 * Frees the data directory for a new server: shuts down a server that a killed process left behind, and invalidates a
 * postmaster.pid whose process has exited or whose pid now belongs to another program. The caller holds the lock on
 * DATA_DIR, so the server cannot belong to another running gateway.
 */
export const stopLeftoverServer = async (data: string, logger: Logger): Promise<void> => {
  const leftover = await readPostmaster(data);
  if (leftover === null) return;
  if (identifyProcess(leftover.pid, data) === 'ours') {
    logger.warn({ pid: leftover.pid }, 'found a PostgreSQL server left by an earlier process; shutting it down');
    await shutDownServer(leftover.pid, data, { fastMs: 30_000, immediateMs: 10_000 }, logger);
  }
  await invalidatePidFile(data);
};

/**
 * Shuts a server down: first requests a fast shutdown; if that takes too long, an immediate shutdown, after which the
 * next start needs a recovery; as a last resort, kills the server. Resolves once the process has exited.
 */
export const shutDownServer = async (
  pid: number,
  data: string,
  timeouts: { readonly fastMs: number; readonly immediateMs: number },
  logger: Logger,
): Promise<void> => {
  const gone = async (ms: number): Promise<boolean> => {
    for (const end = Date.now() + ms; identifyProcess(pid, data) !== 'gone or another'; await sleep(20))
      if (Date.now() > end) return false;
    return true;
  };
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  signal('SIGINT');
  if (await gone(timeouts.fastMs)) return;
  logger.warn({ pid }, 'PostgreSQL did not shut down in time; requesting an immediate shutdown');
  signal('SIGQUIT');
  if (await gone(timeouts.immediateMs)) return;
  logger.error({ pid }, 'PostgreSQL did not shut down immediately; killing it');
  signal('SIGKILL');
  await gone(Infinity);
};

/**
 * Reports whether a process is a PostgreSQL server on this data directory: its pid may have been reused by another
 * program. `unclear`: a PostgreSQL server whose folder cannot be read, because it belongs to another user or is
 * exiting.
 */
const identifyProcess = (pid: number, data: string): 'ours' | 'unclear' | 'gone or another' => {
  try {
    if (process.platform !== 'linux') {
      const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
        encoding: 'utf8',
        env: TOOL_ENVIRONMENT,
      });
      return command.includes('postgres') && command.includes(data) ? 'ours' : 'gone or another';
    }
    // A zombie has exited and is waiting for its parent to read its status.
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    if (!/^Name:\s+postgres$/m.test(status) || /^State:\s+[ZX]/m.test(status)) return 'gone or another';
  } catch {
    return 'gone or another';
  }
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data) ? 'ours' : 'gone or another';
  } catch {
    return 'unclear';
  }
};

/**
 * Replaces the pid in a stale postmaster.pid, because a new server refuses to start while any process has that pid. The
 * rest of the file is kept: the server uses it to check that no backend of the old server is still running.
 */
const invalidatePidFile = async (data: string): Promise<void> => {
  const content = await readFile(pidFile(data), 'utf8').catch(() => null);
  if (content !== null) await writeFile(pidFile(data), content.replace(/^\d+/, String(UNUSED_PID)));
};
