import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** What postmaster.pid says. */
export interface Postmaster {
  readonly pid: number;
  /** True once it takes connections. */
  readonly ready: boolean;
}

/** Above what any Linux or macOS gives to a process: no process has it. */
const NOBODY = 4_194_305;
const STATUS_LINE = 7;

const pidFile = (data: string): string => join(data, 'postmaster.pid');

/** The server that postmaster.pid names, null where the file is absent or being written. It may be long dead. */
export const readPostmaster = async (data: string): Promise<Postmaster | null> => {
  const lines = await readFile(pidFile(data), 'utf8').then(
    (content) => content.split('\n'),
    () => [],
  );
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || pid === NOBODY) return null;
  return { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' };
};

/**
 * Makes the data directory free for a new server: one that a killed process left behind is shut down, and a
 * postmaster.pid whose process is gone, or is another program's by now, stops mattering. The caller holds the lock on
 * DATA_DIR, so nobody else's server can be meant.
 */
export const stopLeftover = async (data: string, logger: Logger): Promise<void> => {
  const left = await readPostmaster(data);
  if (left === null) return;
  if (identify(left.pid, data) === 'ours') {
    logger.warn({ pid: left.pid }, 'a PostgreSQL server was left behind; shutting it down');
    await shutDown(left.pid, data, { fastMs: 30_000, immediateMs: 10_000 }, logger);
  }
  await disown(data);
};

/**
 * A fast shutdown; when that takes too long an immediate one, which costs a recovery at the next start; at last a
 * kill. Resolves when the process is gone.
 */
export const shutDown = async (
  pid: number,
  data: string,
  patience: { readonly fastMs: number; readonly immediateMs: number },
  logger: Logger,
): Promise<void> => {
  const gone = async (ms: number): Promise<boolean> => {
    for (const end = Date.now() + ms; identify(pid, data) !== 'gone or another'; await sleep(20))
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
  if (await gone(patience.fastMs)) return;
  logger.warn({ pid }, 'PostgreSQL does not shut down; an immediate shutdown follows');
  signal('SIGQUIT');
  if (await gone(patience.immediateMs)) return;
  logger.error({ pid }, 'PostgreSQL does not answer to an immediate shutdown; it is killed');
  signal('SIGKILL');
  await gone(Infinity);
};

/**
 * Whether a process is a PostgreSQL server on this data directory; its pid alone may have been given to another.
 * `unclear`: a PostgreSQL server whose folder cannot be seen; it is another user's, or on its way out.
 */
const identify = (pid: number, data: string): 'ours' | 'unclear' | 'gone or another' => {
  try {
    if (process.platform !== 'linux') {
      const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
      return command.includes('postgres') && command.includes(data) ? 'ours' : 'gone or another';
    }
    // A zombie has ended, and only waits for its parent to notice.
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
 * Replaces the pid in a stale postmaster.pid, because a new server would give way to any process that has it. The
 * rest of the file stays: by it the server makes sure that no backend of the old one is still at work.
 */
const disown = async (data: string): Promise<void> => {
  const content = await readFile(pidFile(data), 'utf8').catch(() => null);
  if (content !== null) await writeFile(pidFile(data), content.replace(/^\d+/, String(NOBODY)));
};
