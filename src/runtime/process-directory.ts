import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder for the files of one process. */
export interface ProcessDirectory {
  readonly path: string;
  /** Removes the folder and its files. */
  readonly close: () => Promise<void>;
}

/** How often a process marks its folder as in use, in ms. */
const HEARTBEAT_MS = 5 * 60_000;
/** How old a folder's last mark must be, in ms, before the folder counts as abandoned. */
const ABANDONED_MS = 4 * HEARTBEAT_MS;

/** Host name, process id and a random id. Folders created by older versions have no random id. */
const FOLDER_NAME = /^(.+?)_(\d+)(?:_[\da-f-]{36})?$/;
/** Paths of the folders that this process uses. A process may run several gateways. */
const openPaths = new Set<string>();

/**
 * Creates a folder for this process's files under `parent`, which processes on one or more machines may share. Folders
 * of killed processes are removed now and periodically: on this machine as soon as the process is gone, on other
 * machines after 20 minutes without a mark.
 */
export const openProcessDirectory = async (parent: string): Promise<ProcessDirectory> => {
  await removeAbandoned(parent);
  const path = await createDirectory(parent);
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now)
      .then(() => removeAbandoned(parent))
      .catch(() => undefined); // retried at the next interval
  }, HEARTBEAT_MS).unref();
  return {
    path,
    async close() {
      clearInterval(timer);
      await rm(path, { recursive: true, force: true });
      openPaths.delete(path);
    },
  };
};

const createDirectory = async (parent: string): Promise<string> => {
  const path = join(parent, `${hostname()}_${process.pid}_${randomUUID()}`);
  openPaths.add(path);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    openPaths.delete(path);
    throw error;
  }
  return path;
};

/** Removes the folders of processes that were killed; does nothing if `parent` does not exist. */
export const removeAbandoned = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name);
    if (!openPaths.has(path) && (await isAbandoned(path, name))) await rm(path, { recursive: true, force: true });
  }
};

/** Returns true for an abandoned folder, false for anything else. */
const isAbandoned = async (path: string, name: string): Promise<boolean> => {
  const [, machine, pid] = FOLDER_NAME.exec(name) ?? [];
  if (machine === undefined) return false;
  // A container often restarts with the same host name and process id.
  if (machine === hostname() && (Number(pid) === process.pid || !isRunning(Number(pid)))) return true;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > ABANDONED_MS;
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process belongs to another user
  }
};
