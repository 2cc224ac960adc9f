/**
 * Creates builds of the program (ADR-210). Each build is a separate folder in `.builds` that never changes
 * afterwards, and `dist` is a link to the newest build's `dist/`. Node loads a program from the folder that a link
 * points at, so a running process keeps the files that it started with. A folder also has a `package.json`, which the
 * program reads next to its `dist/`.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestFiles } from './built-console.js';

const BUILDS = '.builds';
/** The link to the newest build; in a copied release, a folder. */
export const CURRENT = 'dist';
/** Written last: without it a build is incomplete. */
const STAMP = '.complete';
/**
 * Folder in which each process that runs the build leaves a file named after its process id (src/app/note-process.ts).
 */
const PROCESSES = 'processes';

const LOCK = `${BUILDS}/lock`;
const LOCK_RETRY_MS = 100;
const HEARTBEAT_MS = 5_000;
/** Age of a lock after which its holder counts as dead, even if another process now has its process id. */
const ABANDONED_MS = 60_000;
/** How long a holder may take to write its process id into the lock. */
const UNNAMED_MS = 2_000;
/** How long a replaced build is kept in any case, because a process may have started from it without being noted. */
const KEPT_MS = 24 * 60 * 60_000;

/** Files besides the sources that change the compiled program. */
const SCRIPTS = ['compile.js', 'make-build.js', 'bundle-program.js', 'builds.js', 'swc-options.js'];
const TOOLS = ['package.json', 'package-lock.json', ...SCRIPTS.map((file) => `scripts/${file}`)];

/** Folders whose sources a build compiles: the program, the stand-ins and the typed client. */
const FOLDERS = ['src', 'stand-ins', 'clients/typescript/src'];

/** Returns the source files, without tests. A release may have none. */
export const listSources = () => (existsSync('src') ? FOLDERS.flatMap(listFiles) : []);

const listFiles = (folder) =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { recursive: true })
        .filter((file) => !/\.spec\.ts$/.test(file))
        .map((file) => join(folder, file))
        .filter((file) => statSync(file).isFile());

/** Returns the digests of the sources and of the files that define how to compile them. */
export const digestProgram = () => ({ sources: digestFiles(listSources()), tools: digestFiles(TOOLS) });

/** Returns the digests that the newest build was made from; null if it is incomplete, or there is none. */
export const readStamp = () => {
  try {
    return JSON.parse(readFileSync(join(CURRENT, STAMP), 'utf8'));
  } catch {
    return null;
  }
};

/** True if `dist` is a link. A program that runs from the link does not notice when the link changes. */
export const isLinked = async () => (await lstat(CURRENT).catch(() => null))?.isSymbolicLink() ?? false;

/**
 * Creates a build and makes it the current one. A failed build changes nothing.
 * @param fill writes the files into a new folder `dist` @param stamp digests of the sources, taken before they were
 * read
 */
export const createBuild = async (fill, stamp) => {
  const id = `${Date.now().toString(36)}-${process.pid}`;
  const folder = join(BUILDS, id, 'dist');
  try {
    await mkdir(folder, { recursive: true });
    await mkdir(join(BUILDS, id, PROCESSES));
    await copyFile('package.json', join(BUILDS, id, 'package.json'));
    await fill(folder);
    await writeFile(join(folder, STAMP), JSON.stringify(stamp));
  } catch (error) {
    await rm(join(BUILDS, id), { recursive: true, force: true });
    throw error;
  }
  await replaceCurrent(id);
  await removeOldBuilds(id);
};

const replaceCurrent = async (id) => {
  const current = await lstat(CURRENT).catch(() => null);
  if (current?.isSymbolicLink()) {
    const now = new Date();
    const former = dirname(await readlink(CURRENT));
    await utimes(former, now, now).catch(() => undefined); // kept for a day from now on
  } else if (current) {
    await mkdir(join(BUILDS, `before-${id}`), { recursive: true });
    await rename(CURRENT, join(BUILDS, `before-${id}`, 'dist'));
  }
  const link = join(BUILDS, `link-${id}`);
  await symlink(`${BUILDS}/${id}/dist`, link, 'junction'); // a kind of link on Windows, which has no rename over a folder
  if (process.platform === 'win32') await rm(CURRENT, { force: true, recursive: true });
  await rename(link, CURRENT);
};

/** Removes builds that were replaced long ago and builds that were never finished, unless a process runs them. */
const removeOldBuilds = async (current) => {
  for (const id of await readdir(BUILDS)) {
    const folder = join(BUILDS, id);
    if (id === current || id === 'dev' || folder === LOCK) continue;
    const { mtimeMs } = await lstat(folder);
    if (Date.now() - mtimeMs < KEPT_MS) continue;
    const processes = await readdir(join(folder, PROCESSES)).catch(() => []);
    if (!processes.some((id) => isAlive(Number(id)))) await rm(folder, { recursive: true, force: true });
  }
};

const isAlive = (processId) => {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // it belongs to another user
  }
};

/**
 * Runs `work` under a lock, which it takes over if its holder was killed. This only saves work: two
 * builds at once would both be complete, because each has its own folder.
 */
export const withBuildLock = async (work) => {
  await mkdir(BUILDS, { recursive: true });
  const token = `${process.pid} ${randomUUID()}`;
  while (!(await createLock(token))) {
    if (await isAbandoned()) await rm(LOCK, { force: true });
    else await sleep(LOCK_RETRY_MS);
  }
  const heartbeat = setInterval(() => void utimes(LOCK, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if ((await readFile(LOCK, 'utf8').catch(() => '')) === token) await rm(LOCK, { force: true });
  }
};

const createLock = async (token) => {
  try {
    await writeFile(LOCK, token, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

const isAbandoned = async () => {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(LOCK, 'utf8'), lstat(LOCK)]);
    const age = Date.now() - mtimeMs;
    if (age > ABANDONED_MS) return true;
    return text === '' ? age > UNNAMED_MS : !isAlive(Number.parseInt(text, 10));
  } catch {
    return false; // it was released in the meantime
  }
};
