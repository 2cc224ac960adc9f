import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Another process works on this DATA_DIR. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';
  constructor(dataDir: string, holder: string) {
    super(
      `DATA_DIR ${dataDir} is in use by ${holder === '' ? 'another process' : `process ${holder}`}. Stop it, set DATA_DIR to another folder, or share one database between processes with DATABASE_URL.`,
    );
  }
}

/** A claim on a DATA_DIR. */
export interface DataDirLock {
  /** May be called again. */
  readonly release: () => void;
}

/** Takes the lock on the file that is open as descriptor 3. Status 1: somebody else has it. */
const LOCKERS: readonly (readonly [string, readonly string[]])[] = [
  ['flock', ['-n', '3']],
  ['perl', ['-MFcntl=:flock', '-e', 'open(my $f, "+<&=", 3) or exit 2; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)']],
];

/**
 * Claims an existing folder for this process until `release`, or until the process ends, however it ends: the lock is
 * the kernel's (flock), on an open file that only this process holds. Node has no call for it, so a small program
 * takes it on the descriptor it inherits; the lock stays with the open file when that program has gone.
 * @throws DataDirInUse
 */
export const lockDataDir = (dataDir: string): DataDirLock => {
  const file = join(dataDir, 'lock');
  const fd = openSync(file, 'a+', 0o644);
  try {
    if (!takeLock(fd)) throw new DataDirInUse(dataDir, readFileSync(file, 'utf8').trim());
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

const takeLock = (fd: number): boolean => {
  const failures: string[] = [];
  for (const [program, args] of LOCKERS) {
    const { status, error, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe', fd] });
    if (status === 0) return true;
    if (status === 1) return false;
    failures.push(`${program}: ${error ? error.message : stderr.toString().trim()}`);
  }
  throw new Error(
    `DATA_DIR cannot be locked, which needs the program flock or perl (${failures.join('; ')}). Install one, or set DATABASE_URL.`,
  );
};
