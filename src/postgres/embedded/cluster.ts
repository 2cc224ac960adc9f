import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import { TOOL_ENVIRONMENT } from '../../config/child-environment.js';
import { EMBEDDED_MESSAGES } from '../messages.js';
import type { Binaries } from './binaries.js';
import type { Account, RunAs } from './run-as.js';
import { spawnSupervised } from './server.js';

/** A fully initialised database cluster on disk, and its password. */
interface Cluster {
  /** PostgreSQL's data directory. */
  readonly data: string;
  readonly password: string;
}

const VERSION = '18';
const FOLDER = 'postgres';
const UNFINISHED = /^postgres\.new-/;

/** Returns the owner of the cluster in DATA_DIR; null if there is none yet. */
export const findClusterOwner = async (dataDir: string): Promise<Account | null> => {
  const data = join(dataDir, FOLDER, 'data');
  return existsSync(data) ? stat(data) : null;
};

/**
 * Opens the cluster in DATA_DIR (`postgres/data`, with its password next to it), or creates it. A new cluster has a
 * temporary name until it is complete, so that an interrupted start leaves no incomplete cluster behind. The caller
 * holds the lock on DATA_DIR.
 * @throws Error with a human-readable message if the cluster has another major version, or initdb or chown fails
 */
export const openCluster = async (
  dataDir: string,
  binaries: Binaries,
  runAs: RunAs,
  options: { readonly sync: boolean; readonly logger: Logger },
): Promise<Cluster> => {
  const folder = join(dataDir, FOLDER);
  await removeUnfinished(dataDir);
  if (!existsSync(folder)) await createCluster(dataDir, folder, binaries, runAs, options);
  const data = join(folder, 'data');
  if (runAs.account && (await stat(data)).uid !== runAs.account.uid) changeOwnerRecursively(runAs.account, folder);
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (version !== VERSION)
    throw new Error(EMBEDDED_MESSAGES.otherVersion({ folder: data, found: version, version: VERSION }));
  return { data, password: (await readFile(join(folder, 'password'), 'utf8')).trim() };
};

const createCluster = async (
  dataDir: string,
  folder: string,
  binaries: Binaries,
  runAs: RunAs,
  { sync, logger }: { readonly sync: boolean; readonly logger: Logger },
): Promise<void> => {
  logger.info({ folder }, 'creating a database cluster');
  const unfinished = join(dataDir, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = join(unfinished, 'password');
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
    const { account } = runAs;
    if (account) for (const file of [unfinished, passwordFile]) await chown(file, account.uid, account.gid);
    await initdb(binaries, runAs, [
      `--pgdata=${join(unfinished, 'data')}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      // Sorts by code point on every machine, library and release, so that indexes stay valid when the data is moved.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      ...(sync ? [] : ['--no-sync']),
    ]);
    await syncFolder(unfinished);
    await rename(unfinished, folder);
    await syncFolder(dataDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    throw error;
  }
};

const initdb = async (binaries: Binaries, runAs: RunAs, args: readonly string[]): Promise<void> => {
  const child = spawnSupervised(runAs, binaries.initdb, args);
  const stderr = child.stderr ? text(child.stderr) : '';
  const [status] = (await once(child, 'close')) as [number | null];
  child.stdin?.end();
  if (status !== 0)
    throw new Error(EMBEDDED_MESSAGES.createFailed({ status: String(status), stderr: (await stderr).trim() }));
};

const removeUnfinished = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    // The initdb of a killed process may still be writing; the next start removes its leftovers.
    if (UNFINISHED.test(name))
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
};

/** Makes an account the owner of a folder and its contents: data that root copied or restored belongs to root. */
const changeOwnerRecursively = ({ uid, gid }: Account, folder: string): void => {
  const { status, stderr } = spawnSync('chown', ['-R', `${uid}:${gid}`, folder], { env: TOOL_ENVIRONMENT });
  if (status !== 0) throw new Error(EMBEDDED_MESSAGES.chownFailed({ folder, stderr: String(stderr).trim() }));
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

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
