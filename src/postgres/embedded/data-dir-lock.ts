import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL_ENVIRONMENT } from '../../config/child-environment.js';
import { EMBEDDED_MESSAGES } from '../messages.js';

/** Another process uses this DATA_DIR. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';
  constructor(dataDir: string, holder: string) {
    super(
      EMBEDDED_MESSAGES.folderInUse({
        folder: dataDir,
        holder: holder === '' ? EMBEDDED_MESSAGES.otherProcess : EMBEDDED_MESSAGES.process({ pid: holder }),
      }),
    );
  }
}

/** An exclusive lock on a DATA_DIR. */
export interface DataDirLock {
  /** Further calls have no effect. */
  readonly release: () => void;
}

/** Programs that lock the file open as descriptor 3. Exit status 1 means that another process holds the lock. */
const LOCK_PROGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['flock', ['-n', '3']],
  ['perl', ['-MFcntl=:flock', '-e', 'open(my $f, "+<&=", 3) or exit 2; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)']],
];

/**
 * Locks an existing folder for this process until `release`, or until the process exits for any reason. It is a kernel
 * lock (flock) on a file that only this process keeps open. Node has no flock function, so a small program locks the
 * descriptor that it inherits; the lock stays with the open file after that program exits.
 * @throws DataDirInUse if another process holds the lock
 */
export const lockDataDir = (dataDir: string): DataDirLock => {
  const file = join(dataDir, 'lock');
  const fd = openSync(file, 'a+', 0o644);
  try {
    if (!acquireLock(fd)) throw new DataDirInUse(dataDir, readFileSync(file, 'utf8').trim());
    ftruncateSync(fd);
    writeSync(fd, `${process.pid}\n`);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let held = true;
  return {
    release: () => {
      if (held) closeSync(fd);
      held = false;
    },
  };
};

const acquireLock = (fd: number): boolean => {
  const failures: string[] = [];
  for (const [program, args] of LOCK_PROGRAMS) {
    const { status, error, stderr } = spawnSync(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', fd],
      env: TOOL_ENVIRONMENT,
    });
    if (status === 0) return true;
    if (status === 1) return false;
    failures.push(`${program}: ${error ? error.message : stderr.toString().trim()}`);
  }
  throw new Error(EMBEDDED_MESSAGES.noLock({ failures: failures.join('; ') }));
};
