import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withFileStore } from './settings.js';

const compiled = (file: string): string => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

/** Exit of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * The flags of `npm start`, except the larger maximum of V8's young generation, which increases throughput but costs
 * some 40 MB (ADR-226).
 */
const NODE_FLAGS = ['--enable-source-maps', '--min-semi-space-size=4'];

/** Number of lines of a process's log that are kept. */
const KEPT_LINES = 400;

/**
 * A compiled program of the project in a separate process and process group. It is killed when the test process ends.
 */
export class Program {
  readonly exited: Promise<Exit>;
  /** Resolves when it has exited and all of its output has been read. */
  readonly closed: Promise<unknown>;
  private readonly logLines: string[] = [];
  private readonly logListeners: ((line: string) => void)[] = [];
  private readonly child: ChildProcess;
  private printed = '';

  private constructor(
    readonly name: string,
    script: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
  ) {
    this.child = spawn(process.execPath, [...NODE_FLAGS, compiled(script), ...args], {
      env: withFileStore({ PATH: process.env.PATH, ...env }),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.on('data', (text: Buffer) => (this.printed += text.toString()));
    createInterface({ input: this.child.stderr! }).on('line', (line) => {
      this.logLines.push(line);
      if (this.logLines.length > KEPT_LINES) this.logLines.shift();
      for (const listener of this.logListeners) listener(line);
    });
    this.exited = killWithTestProcess(this.child);
    this.closed = once(this.child, 'close');
  }

  /**
   * Starts a program and waits until `ready` returns a result for its output.
   * @throws Error with its log if it ends first
   */
  static async start<T>(
    name: string,
    [script, ...args]: readonly [string, ...string[]],
    env: NodeJS.ProcessEnv,
    ready: (printed: string) => T | null,
  ): Promise<{ program: Program; found: T }> {
    const program = Program.spawn(name, [script, ...args], env);
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = ready(program.printed);
        if (found !== null) resolve({ program, found });
      };
      program.child.stdout!.on('data', look);
      // Its last lines may arrive after its exit.
      void Promise.all([program.exited, program.closed]).then(([exit]) =>
        reject(new Error(`${name} ended before it was ready: ${JSON.stringify(exit)}\n${program.log}`)),
      );
    });
  }

  /** Starts a program without waiting for it. */
  static spawn(name: string, [script, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv): Program {
    return new Program(name, script, args, env);
  }

  /** Calls back with each line of its log from now on; of a long run, {@link log} holds only the end. */
  onLogLine(listener: (line: string) => void): void {
    this.logListeners.push(listener);
  }

  /** Closes the pipe of its output, like a reader that ends. */
  closeOutput(): void {
    this.child.stdout!.destroy();
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Output so far. */
  get output(): string {
    return this.printed;
  }

  /** The end of its log. */
  get log(): string {
    return this.logLines.join('\n');
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Kills only the process, not the processes that it has started. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /**
   * Kills the process and all processes that it has started, such as an embedded PostgreSQL with its backends, at once.
   */
  async killAll(): Promise<void> {
    if (this.isRunning) kill([this.pid, ...descendantsOf(this.pid)]);
    await this.exited;
  }

  /** Sends SIGTERM and waits for the exit. */
  async terminate(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exited;
  }

  /** Sends SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  private signal(name: NodeJS.Signals): void {
    if (this.isRunning) process.kill(this.pid, name);
  }
}

/**
 * Ensures that the process group of a detached child is killed when the test process ends, however that happens: a
 * guard waits for the end of a pipe from the test process. Resolves when the child has exited.
 */
export const killWithTestProcess = (child: ChildProcess): Promise<Exit> => {
  const guard = spawn('/bin/sh', ['-c', 'cat; kill -s KILL -- -$0', String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return once(child, 'exit').then(([code, signal]) => {
    guard.kill('SIGKILL');
    return { code, signal };
  });
};

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  readonly program: Program;
}

/** Starts the program with only these settings, and waits until it prints its address. */
export const startGateway = async (env: Readonly<Record<string, string>>): Promise<Gateway> => {
  const name = `gateway ${env.ROLES ?? 'all'}`;
  const { program, found } = await Program.start(name, ['main.js'], env, addressIn);
  return { url: found, program };
};

const addressIn = (printed: string): string | null => /^\s*Crosspost\s+(http:\/\/\S+)/m.exec(printed)?.[1] ?? null;

/** Starts a network's stand-in and returns its base URL. `ledgerFile` keeps what it accepted, even across restarts. */
export const startStandIn = async (
  network: string,
  ledgerFile: string,
): Promise<{ readonly url: string; readonly program: Program }> => {
  const command = [`stand-ins/${network}/main.js`, '--ledger', ledgerFile] as const;
  const { program, found } = await Program.start(network, command, {}, (printed) =>
    printed.includes('\n') ? (JSON.parse(printed) as { url: string }).url : null,
  );
  return { url: found, program };
};

const descendantsOf = (pid: number): number[] => {
  const all = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const found = [pid];
  for (const parent of found) for (const [child, itsParent] of all) if (itsParent === parent) found.push(child);
  return found.slice(1);
};

const kill = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended in the meantime
    }
  }
};
