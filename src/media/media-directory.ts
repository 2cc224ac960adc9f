import { mkdir, readdir, rm, stat, statfs, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder for the files of one process. */
export interface MediaDirectory {
  readonly path: string;
  /** What files in it may take at most, in bytes. */
  readonly capacityBytes: number;
  /** Removes it with everything in it. */
  readonly close: () => Promise<void>;
}

/** Room for some posts of the largest size (4 GB) at a time. */
const MOST_BYTES = 16 * 1_024 ** 3;
/** Of what is free on the disk; the rest is the database's, and other processes'. */
const SHARE = 0.5;

/** How often a process says that its folder is in use. */
const SIGN_OF_LIFE_MS = 5 * 60_000;
/** A folder without a sign for so long is nobody's. */
const ABANDONED_MS = 4 * SIGN_OF_LIFE_MS;

/**
 * Makes a folder for this process's files below `parent`, which several processes may share, on one machine or on
 * several. What killed processes have left is removed, now and from time to time: what this machine knows to be dead at
 * once, what may be another machine's when there was no sign of life for 20 minutes.
 */
export const openMediaDirectory = async (parent: string): Promise<MediaDirectory> => {
  const path = join(parent, `${hostname()}_${process.pid}`);
  try {
    // A container starts with the same name and the same process id again and again.
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`DATA_DIR must be a folder that can be written, for media on their way: ${String(error)}`);
  }
  await removeAbandoned(parent, path);
  const { bavail, bsize } = await statfs(path);
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now)
      .then(() => removeAbandoned(parent, path))
      .catch(() => undefined); // the next time will do
  }, SIGN_OF_LIFE_MS).unref();
  return {
    path,
    capacityBytes: Math.min(MOST_BYTES, Math.floor(bavail * bsize * SHARE)),
    async close() {
      clearInterval(timer);
      await rm(path, { recursive: true, force: true });
    },
  };
};

const removeAbandoned = async (parent: string, own: string): Promise<void> => {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (path !== own && (await isAbandoned(path, name))) await rm(path, { recursive: true, force: true });
  }
};

/** False for what is not ours. */
const isAbandoned = async (path: string, name: string): Promise<boolean> => {
  const [, machine, pid] = /^(.+)_(\d+)$/.exec(name) ?? [];
  if (machine === undefined) return false;
  if (machine === hostname() && !isRunning(Number(pid))) return true;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > ABANDONED_MS;
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
};
