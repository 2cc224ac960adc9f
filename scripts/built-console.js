/** The stamp of the built console (build-console.js), which is compared with the sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const SOURCES = 'console';
/** Folder of the console in a build. */
export const CONSOLE = 'console';
export const BUILT = `dist/${CONSOLE}`;
/** Written last: without it the console is incomplete. */
const STAMP = '.built';
/** Files besides the sources that change the result. */
const TOOLS = ['scripts/build-console.js', 'scripts/built-console.js'];

/** Returns the digest of the console's own sources; null for a release, which may have none. */
export const digestSources = () => {
  if (!existsSync(SOURCES)) return null;
  const files = readdirSync(SOURCES, { recursive: true })
    .filter((file) => !/(^|\/)node_modules\/|\.spec\.tsx?$/.test(file))
    .map((file) => join(SOURCES, file))
    .filter((file) => statSync(file).isFile());
  return digestFiles([...files, ...TOOLS]);
};

/**
 * Writes the stamp of a build.
 * @param folder folder of the build @param sources digest of the sources before the build @param modules files of all
 * modules in the build
 */
export const stampBuild = (folder, sources, modules) => {
  const files = modules.map((module) => relative(process.cwd(), module));
  const imports = files.filter((file) => !file.startsWith(`${SOURCES}/`) && !packageOf(file)).sort();
  const packages = [...new Set(['node_modules/vite', ...files.flatMap((file) => packageOf(file) ?? [])])];
  const versions = Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
  writeFileSync(
    join(folder, STAMP),
    JSON.stringify({ sources, imports, imported: digestFiles(imports), versions }, null, 2),
  );
};

/**
 * True if there is nothing to build: the built console matches the sources and packages, or there are no sources.
 * Packages that are not installed count as unchanged, because they are only for development.
 */
export const isConsoleCurrent = () => {
  const sources = digestSources();
  if (sources === null) return true;
  const stamp = readStamp();
  if (stamp?.sources !== sources || stamp.imported !== digestFiles(stamp.imports)) return false;
  return Object.entries(stamp.versions).every(([name, version]) => [version, null].includes(versionOf(name)));
};

/** Returns the folder of the package that a module belongs to; null for the project's own modules. */
const packageOf = (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null;

const versionOf = (folder) => {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
};

const readStamp = () => {
  try {
    return JSON.parse(readFileSync(join(BUILT, STAMP), 'utf8'));
  } catch {
    return null; // not built, or not completely
  }
};

/** Returns a digest of the names and contents of files. */
export const digestFiles = (files) => {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) hash.update(`${file}\0`).update(existsSync(file) ? readFileSync(file) : '');
  return hash.digest('hex');
};
