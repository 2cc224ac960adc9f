import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backup, EventStoreServer } from '../event-store-server.js';
import { freePort } from '../free-port.js';
import type { Report, ServerCommand } from './faults.js';
import type { ServerOptions } from './main.js';
import type { SlowConsumerPolicy } from './subscriptions.js';

export interface KurrentServerOptions {
  /** Position of the first event. Default 0. */
  readonly firstPosition?: bigint;
  /** Number of other events after which a system event is written. Default 7. */
  readonly systemEventEvery?: number;
  /** Default `drop`, like 23.10. */
  readonly slowConsumerPolicy?: SlowConsumerPolicy;
}

const LOADER = new URL('../typescript-loader.js', import.meta.url).href;
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Handle of a running stand-in (see main.ts): its address, its process and its faults. */
export class KurrentServer implements EventStoreServer {
  private backups = 0;

  private constructor(
    private readonly options: ServerOptions,
    private readonly folder: string,
    private process: ChildProcess,
  ) {}

  static async start(options: KurrentServerOptions = {}): Promise<KurrentServer> {
    const folder = await mkdtemp(join(tmpdir(), 'kurrent-server-'));
    const serverOptions: ServerOptions = {
      file: join(folder, 'log'),
      port: await freePort(),
      firstPosition: (options.firstPosition ?? 0n).toString(),
      systemEventEvery: options.systemEventEvery ?? 7,
      slowConsumerPolicy: options.slowConsumerPolicy ?? 'drop',
    };
    return new KurrentServer(serverOptions, folder, await startProcess(serverOptions));
  }

  get port(): number {
    return this.options.port;
  }

  get connectionString(): string {
    return `kurrentdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Kills the process. Committed events are available after {@link restart}. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  /** Restarts the process on the same port with the same data. */
  async restart(): Promise<void> {
    await this.kill();
    this.process = await startProcess(this.options);
  }

  /** Kills the process, and leaves the beginning of a line in its file, as a kill in the middle of a write does. */
  async writeUnfinishedAppend(): Promise<void> {
    await this.kill();
    await appendFile(this.options.file, '{"stream":"unfinished","cre');
  }

  async backUp(): Promise<Backup> {
    const backup = join(this.folder, `backup-${this.backups++}`);
    await copyFile(this.options.file, backup);
    return backup;
  }

  async restore(backup: Backup | null): Promise<void> {
    await this.kill();
    if (backup) await copyFile(backup, this.options.file);
    else await rm(this.options.file, { force: true });
    await this.restart();
  }

  /** Waits until the process has exited, for example after `die-after-commits`. */
  async waitForExit(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit');
  }

  /** Suspends the process: connections stay open, but it answers nothing. */
  freeze(): void {
    this.process.kill('SIGSTOP');
  }

  thaw(): void {
    this.process.kill('SIGCONT');
  }

  /** Sends a command and waits until it is applied. */
  async sendCommand(command: ServerCommand): Promise<Report> {
    const reported = once(this.process, 'message');
    this.process.send(command);
    return ((await reported) as [Report])[0];
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts the process, and waits until it listens. */
const startProcess = async (options: ServerOptions): Promise<ChildProcess> => {
  const process = fork(MAIN, [JSON.stringify(options)], {
    execArgv: ['--import', LOADER],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(process, 'message'),
    once(process, 'exit').then(([code]) => Promise.reject(new Error(`the server exited with ${code} at its start`))),
  ]);
  return process;
};
