import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Rights of a helper process. */
export interface HelperRights {
  /** URLs of the libraries to import. JavaScript may read only their `node_modules` folders and {@link LDD}. */
  readonly libraries: readonly string[];
  /** Limit on the JavaScript heap. */
  readonly maxHeapMb: number;
  /** Limit on all its data, including that of native libraries; enforced only by the Linux kernel. */
  readonly maxMemoryMb: number;
}

/**
 * Disables core dumps, limits the data segment (unless a lower limit already applies) and, if the kernel allows it,
 * moves the process into an empty network namespace. Each `exec` keeps the process id.
 */
const SHELL = `
ulimit -c 0
ulimit -d "$1" 2>/dev/null
shift
unshare -rn true 2>/dev/null && exec unshare -rn -- "$@"
exec "$@"`;

/**
 * Returns the command that starts a helper process with as few rights as the platform allows (ADR-93). Node's
 * permission model denies its JavaScript access to other files, child processes, worker threads and, from Node 25 on,
 * the network. On Linux, the kernel limits its memory and, if possible, isolates it from the network.
 */
export const helperCommand = (
  program: string,
  { libraries, maxHeapMb, maxMemoryMb }: HelperRights,
): { readonly file: string; readonly args: readonly string[] } => {
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
 * Returns how much writable, executable memory V8 reserves for compiled code, in KB: 512 MB in Node 24. The kernel
 * counts all of it as data, even if it is unused. The helper's Node reserves as much as this process.
 */
const reservedCodeKb = (): number => {
  try {
    return sumExecutableData(readFileSync('/proc/self/maps', 'latin1'));
  } catch {
    return 0;
  }
};

/** Sums the sizes, in KB, of the writable and executable mappings in the text of `/proc/<pid>/maps`. */
export const sumExecutableData = (maps: string): number =>
  [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp /gm)].reduce(
    (sum, [, from, to]) => sum + (parseInt(to!, 16) - parseInt(from!, 16)) / 1_024,
    0,
  );

/** sharp is a native addon and opens the photos itself, so JavaScript needs no permission to read them. */
const permissionFlags = (libraries: readonly string[]): string[] => {
  const known = process.allowedNodeEnvironmentFlags;
  const flag = ['--permission', '--experimental-permission'].find((name) => known.has(name));
  if (flag === undefined) return [];
  const readable = new Set([...libraries.map(folderOf), LDD]);
  return [flag, '--allow-addons', ...[...readable].map((path) => `--allow-fs-read=${path}`)];
};

/** sharp reads this file to identify the C library. */
const LDD = '/usr/bin/ldd';

/** Returns the outermost `node_modules` folder: packages import each other across the folders inside it. */
const folderOf = (library: string): string => {
  const path = fileURLToPath(library);
  return `${/^.*?[\\/]node_modules(?=[\\/])/.exec(path)?.[0] ?? dirname(path)}/*`;
};
