import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Control, Report } from './faults.js';
import type { ServerOptions } from './main.js';
import type { WhenTooSlow } from './subscriptions.js';

export interface KurrentServerOptions {
  /** Where positions begin. Default 0. */
  readonly firstPosition?: bigint;
  /** A system event after every so many others. Default 7. */
  readonly systemEventEvery?: number;
  /** Default `drop`, as 23.10 does. */
  readonly whenTooSlow?: WhenTooSlow;
  /** Default true. */
  readonly batchAppend?: boolean;
}

const LOADER = new URL('../typescript-loader.js', import.meta.url).href;
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** A running stand-in (see main.ts) as a test holds it: its address, its life and its faults. */
export class KurrentServer {
  private constructor(
    private readonly options: ServerOptions,
    private readonly folder: string,
    private process: ChildProcess,
    readonly port: number,
  ) {}

  static async start(options: KurrentServerOptions = {}): Promise<KurrentServer> {
    const folder = await mkdtemp(join(tmpdir(), 'kurrent-server-'));
    const serverOptions: ServerOptions = {
      file: join(folder, 'log'),
      port: 0,
      firstPosition: (options.firstPosition ?? 0n).toString(),
      systemEventEvery: options.systemEventEvery ?? 7,
      whenTooSlow: options.whenTooSlow ?? 'drop',
      batchAppend: options.batchAppend ?? true,
    };
    const { process, port } = await launch(serverOptions);
    return new KurrentServer({ ...serverOptions, port }, folder, process, port);
  }

  get connectionString(): string {
    return `kurrentdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Kills the process outright; what it has committed is there after {@link restart}. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  /** Starts the process again at the same port with the same data. */
  async restart(): Promise<void> {
    await this.kill();
    ({ process: this.process } = await launch(this.options));
  }

  /** Resolves when the process has died, e.g. by `die-after-commits`. */
  async died(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit');
  }

  /** Stops the process in its tracks: connections stay open and nothing answers. */
  freeze(): void {
    this.process.kill('SIGSTOP');
  }

  thaw(): void {
    this.process.kill('SIGCONT');
  }

  /** Gives an order and waits until it is obeyed. */
  async order(control: Control): Promise<Report> {
    const answered = once(this.process, 'message');
    this.process.send(control);
    return ((await answered) as [Report])[0];
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const launch = async (options: ServerOptions): Promise<{ process: ChildProcess; port: number }> => {
  const process = fork(MAIN, [JSON.stringify(options)], {
    execArgv: ['--import', LOADER],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [answer] = (await Promise.race([
    once(process, 'message'),
    once(process, 'exit').then(([code]) => Promise.reject(new Error(`the server exited with ${code} at its start`))),
  ])) as [{ port: number }];
  return { process, port: answer.port };
};
