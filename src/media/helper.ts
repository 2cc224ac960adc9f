import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../kernel/log.js';
import { FairSlots } from '../runtime/semaphore.js';
import { HELPER_MESSAGES } from './messages.js';

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

/** Source text of a program that is set up once and then handles requests one at a time. */
export type HelperProgram<Request, Response> = string & { readonly request?: Request; readonly response?: Response };

interface HelperOptions<Request, Response> extends HelperRights {
  readonly program: HelperProgram<Request, Response>;
  /** Time limit for one request, in ms. */
  readonly timeoutMs: number;
}

type HelperReply<Response> =
  | { readonly answer: Response }
  /** The program failed, took too long, or died. `died`: true in the last two cases; the program is restarted. */
  | { readonly failed: string; readonly died: boolean }
  /** Not sent: the caller aborted the request, or the helper is closed. */
  | { readonly withdrawn: true };

type Message<Response> = { readonly ready: true } | { readonly answer: Response } | { readonly error: string };

/** Generous, because the machine may be busy. */
const START_MS = 30_000;
const IDLE_MS = 30_000;

/**
 * Builds the source text of a program.
 * @param set must reference nothing outside its body except types and `parts`, which are JSON values or functions that
 * obey the same rule
 */
export const buildProgram = <Parts extends readonly unknown[], Request, Response>(
  set: (...parts: Parts) => Promise<(request: Request) => Promise<Response>>,
  ...parts: Parts
): HelperProgram<Request, Response> => {
  const written = parts.map((part) => (typeof part === 'function' ? `(${part.toString()})` : JSON.stringify(part)));
  return `(${serveRequests.toString()})((${set.toString()})(${written.join(', ')}))`;
};

/** Runs in the helper process: passes each request to the program and sends back the response. */
const serveRequests = (program: Promise<(request: unknown) => Promise<unknown>>): void => {
  process.on('disconnect', () => process.exit());
  void program.then((answer) => {
    process.on('message', (request) => {
      answer(request).then(
        (value) => process.send?.({ answer: value }),
        (error: unknown) => process.send?.({ error: String(error) }),
      );
    });
    process.send?.({ ready: true });
  });
};

/**
 * Processes untrusted files in a child process, to contain a crash, an endless loop or exhausted memory. The process
 * gets no environment variables, an empty working folder and few rights ({@link helperCommand}, ADR-93). It handles one
 * request at a time, serving owners in turn (D-68), starts at the first request, is stopped when idle, and is killed
 * when a request takes too long.
 */
export class HelperProcess<Request, Response> {
  private readonly turn = new FairSlots(1);
  private running: { readonly child: ChildProcess; readonly ready: Promise<unknown>; leaveFolder(): void } | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: HelperOptions<Request, Response>) {}

  /**
   * Sends a request and waits for the response.
   * @param signal withdraws the request if it aborts before the request is sent
   * @param owner owners take turns, so one with many files delays only its own
   */
  async ask(request: Request, signal?: AbortSignal, owner = ''): Promise<HelperReply<Response>> {
    const release = await this.turn.acquire(owner);
    clearTimeout(this.idle);
    try {
      if (signal?.aborted || this.isClosed) return { withdrawn: true };
      const { child, ready } = (this.running ??= this.start());
      await ready;
      const message = await nextMessage<Response>(child, this.options.timeoutMs, request);
      if ('answer' in message) return message;
      return { failed: 'error' in message ? message.error : 'it sent an unexpected message', died: false };
    } catch (error) {
      this.kill();
      return this.isClosed ? { withdrawn: true } : { failed: (error as Error).message, died: true };
    } finally {
      this.idle = setTimeout(() => this.kill(), IDLE_MS).unref();
      release();
    }
  }

  /** Kills the process and withdraws waiting requests. */
  close(): void {
    this.isClosed = true;
    this.kill();
  }

  private start(): NonNullable<typeof this.running> {
    const { file, args } = helperCommand(this.options.program, this.options);
    const { cwd, leaveFolder } = enterEmptyFolder();
    const child = spawn(file, args, {
      cwd,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {}, // the gateway's environment contains secrets
    });
    // The child must not keep a finished parent process alive; while a request is waiting, its timer does that.
    child.unref();
    child.channel?.unref();
    child.on('error', () => undefined);
    child.on('close', leaveFolder);
    // A child that dies between two requests is replaced.
    child.on('exit', () => void (this.running?.child === child && (this.running = undefined)));
    return { child, ready: nextMessage(child, START_MS), leaveFolder };
  }

  private kill(): void {
    clearTimeout(this.idle);
    this.running?.child.kill('SIGKILL');
    this.running?.leaveFolder(); // now, because the gateway may exit before the child's exit is reported
    this.running = undefined;
  }
}

/** Creates an empty working folder; uses the root if there is no writable folder for temporary files. */
const enterEmptyFolder = (): { readonly cwd: string; readonly leaveFolder: () => void } => {
  try {
    const cwd = mkdtempSync(join(tmpdir(), 'crosspost-helper-'));
    return { cwd, leaveFolder: () => rmSync(cwd, { recursive: true, force: true }) };
  } catch {
    return { cwd: '/', leaveFolder: () => undefined };
  }
};

/** Sends a request, if given, and waits for the next message. Rejects if none arrives. */
const nextMessage = <Response>(child: ChildProcess, timeoutMs: number, request?: unknown): Promise<Message<Response>> =>
  new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (message: unknown): void => {
      done();
      resolve(message as Message<Response>);
    };
    const onError = (error: Error): void => {
      done();
      reject(error);
    };
    const onExit = (code: number | null, signal: string | null): void =>
      onError(new Error(`its process exited (${signal ?? `code ${code}`})`));
    const timer = setTimeout(() => onError(new Error(`it timed out after ${timeoutMs} ms`)), timeoutMs);
    child.on('message', onMessage).on('error', onError).on('exit', onExit);
    if (request !== undefined) child.send(request as object, (error) => error && onError(error));
  });

/** Isolation of helper processes, as shown by /readyz; each value is `ok` or says what is missing. */
export interface HelperReport {
  /** Whether their JavaScript can read nothing but libraries and cannot start processes. */
  readonly files: string;
  /** Whether they are isolated from the network. */
  readonly network: string;
  /** Whether the kernel limits their memory. */
  readonly memory: string;
}

/** The rights that a helper process actually has. */
interface FoundRights {
  readonly permissions: boolean;
  /** Names of network interfaces that are up. */
  readonly interfaces: readonly string[];
  readonly isMemoryLimited: boolean;
}

/** Runs in the helper process. */
const findRights = async (): Promise<() => Promise<FoundRights>> => {
  const os = await import('node:os');
  const attempt = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  return async () => {
    const { userLimits = {} } = attempt(() => process.report.getReport() as never, {}) as {
      userLimits?: Readonly<Record<string, { soft: unknown } | undefined>>;
    };
    const data = userLimits.data_seg_size_bytes ?? userLimits.data_seg_size_kbytes; // name in Node 20
    return {
      permissions: (process as { permission?: object }).permission !== undefined,
      interfaces: attempt(() => Object.keys(os.networkInterfaces()), ['unknown']),
      isMemoryLimited: typeof data?.soft === 'number',
    };
  };
};

/** Checks how well helper processes are isolated on this machine, by starting one (ADR-216). */
export class HelperCheck {
  private readonly helper = new HelperProcess<object, FoundRights>({
    program: buildProgram(findRights),
    libraries: [],
    maxHeapMb: 64,
    maxMemoryMb: 1_024,
    timeoutMs: 30_000,
  });
  private found: HelperReport | null = null;

  constructor(private readonly log: Log) {}

  /** Null until it is known. */
  get report(): HelperReport | null {
    return this.found;
  }

  /** Runs the check once, and logs any missing isolation. Never throws. */
  async run(): Promise<void> {
    const reply = await this.helper.ask({});
    this.helper.close();
    if ('withdrawn' in reply) return;
    this.found = 'answer' in reply ? describeRights(reply.answer) : describeFailure(reply.failed);
    const missing = Object.values(this.found).filter((one) => one !== 'ok');
    if (missing.length > 0) this.log.warn({ missing: [...new Set(missing)] }, HELPER_MESSAGES.lessIsolated);
  }

  close(): void {
    this.helper.close();
  }
}

const describeRights = ({ permissions, interfaces, isMemoryLimited }: FoundRights): HelperReport => ({
  files: permissions ? 'ok' : HELPER_MESSAGES.filesNotIsolated,
  network: interfaces.length === 0 ? 'ok' : HELPER_MESSAGES.networkNotIsolated,
  memory: isMemoryLimited ? 'ok' : HELPER_MESSAGES.memoryNotLimited,
});

const describeFailure = (reason: string): HelperReport => {
  const problem = HELPER_MESSAGES.helperFails({ reason });
  return { files: problem, network: problem, memory: problem };
};
