import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Rights of a helper process. */
export interface HelperRights {
  /** URLs of the libraries that its program imports; it may read their `node_modules` folder and nothing else. */
  readonly libraries: readonly string[];
  /** Limit of the JavaScript heap. */
  readonly maxHeapMb: number;
  /** Limit of all its data, including native libraries; only the Linux kernel enforces it. */
  readonly maxMemoryMb: number;
}

/** A command with its arguments. */
export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Limits the data segment, unless a lower limit already applies, disables core dumps, and, if the kernel allows this
 * user to, moves the process into an empty network of its own. Each `exec` keeps the process id.
 */
const SHELL = `
ulimit -c 0
ulimit -d "$1" 2>/dev/null
shift
unshare -rn true 2>/dev/null && exec unshare -rn -- "$@"
exec "$@"`;

/**
 * Returns the command of a helper process with as few rights as the platform allows (ADR-93): Node's permission model
 * forbids files, child processes and worker threads to its JavaScript, and, from Node 25 on, the network; on Linux, the
 * kernel limits its memory and, if allowed, takes away its network.
 */
export const helperCommand = (program: string, { libraries, maxHeapMb, maxMemoryMb }: HelperRights): HelperCommand => {
  const node = [
    process.execPath,
    ...permissionFlags(libraries),
    '--no-warnings',
    `--max-old-space-size=${maxHeapMb}`,
    ...['--eval', program],
  ];
  if (process.platform === 'linux' && existsSync('/bin/sh'))
    return { file: '/bin/sh', args: ['-c', SHELL, 'sh', String(maxMemoryMb * 1_024 + reservedCodeKb()), ...node] };
  return { file: node[0]!, args: node.slice(1) };
};

/**
 * Returns the size, in KB, of the writable, executable memory that V8 reserves for compiled code. The kernel counts all of it as data, even
 * while it is unused; Node 24 reserves 512 MB. The helper runs the same Node as this process, so it reserves the same amount.
 */
const reservedCodeKb = (): number => {
  try {
    return sumExecutableData(readFileSync('/proc/self/maps', 'latin1'));
  } catch {
    return 0;
  }
};

/** Sums the sizes, in KB, of the mappings in a text of `/proc/<pid>/maps` that are writable and executable. */
export const sumExecutableData = (maps: string): number =>
  [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp /gm)].reduce(
    (sum, [, from, to]) => sum + (parseInt(to!, 16) - parseInt(from!, 16)) / 1_024,
    0,
  );

/** sharp is an addon; it opens the photos itself, so JavaScript needs no permission to read them. */
const permissionFlags = (libraries: readonly string[]): string[] => {
  const known = process.allowedNodeEnvironmentFlags;
  const flag = ['--permission', '--experimental-permission'].find((name) => known.has(name));
  if (flag === undefined) return [];
  const readable = new Set([...libraries.map(folderOf), LDD]);
  return [flag, '--allow-addons', ...[...readable].map((path) => `--allow-fs-read=${path}`)];
};

/** sharp reads this file to find out which C library the system has. */
const LDD = '/usr/bin/ldd';

/** The outermost `node_modules`: packages import each other across the folders inside it. */
const folderOf = (library: string): string => {
  const path = fileURLToPath(library);
  return `${/^.*?[\\/]node_modules(?=[\\/])/.exec(path)?.[0] ?? dirname(path)}/*`;
};
