import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { openSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, killWithTestProcess } from './gateway-process.js';
import { KurrentServer } from './kurrent-server/kurrent-server.js';

/** An event store in processes of its own, which a test may kill and freeze. */
export interface EventStoreServer {
  readonly connectionString: string;
  /** Kills it. What it has committed is there after {@link restart}. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data, and waits until it is ready. */
  restart(): Promise<void>;
  /** Suspends it: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Kills it and deletes its data. */
  stop(): Promise<void>;
}

/**
 * Shell command of a real server (docs/testing.md), or `stand-in`. It runs in the foreground, listens on
 * `$EVENT_STORE_PORT` of 127.0.0.1 without TLS and keeps its data in `$EVENT_STORE_FOLDER`.
 */
const COMMAND = process.env.EVENT_STORE_COMMAND;

/** True if each gateway of `test/e2e` keeps its events in an event store of its own instead of its database. */
export const usesEventStore = COMMAND !== undefined;

/** True if {@link startEventStore} starts a real server, which takes longer to start and knows none of the stand-in's commands. */
export const isRealEventStore = COMMAND !== undefined && COMMAND !== 'stand-in';

/** Starts an empty event store: a real one if EVENT_STORE_COMMAND names it, else the stand-in. */
export const startEventStore = (): Promise<EventStoreServer> =>
  isRealEventStore ? RealServer.start(COMMAND as string) : KurrentServer.start();

/** Longest start of a server, in ms, on a busy machine. */
const START_MS = 120_000;

class RealServer implements EventStoreServer {
  private process!: ChildProcess;

  private constructor(
    private readonly command: string,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(command: string): Promise<RealServer> {
    const folder = await mkdtemp(join(tmpdir(), 'event-store-'));
    const server = new RealServer(command, folder, await freePort());
    await server.launch();
    return server;
  }

  get connectionString(): string {
    return `kurrentdb://127.0.0.1:${this.port}?tls=false`;
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.process, 'exit');
    this.signal('SIGKILL');
    await exited;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
  }

  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async launch(): Promise<void> {
    const logFile = join(this.folder, 'output.txt');
    const output = openSync(logFile, 'a');
    this.process = spawn('/bin/sh', ['-c', this.command], {
      env: { ...process.env, EVENT_STORE_PORT: String(this.port), EVENT_STORE_FOLDER: this.folder },
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    void killWithTestProcess(this.process);
    for (const end = Date.now() + START_MS; !(await this.isLive()); await sleep(100)) {
      if (this.isRunning && Date.now() < end) continue;
      throw new Error(`the event store did not start:\n${(await readFile(logFile, 'utf8')).slice(-4_000)}`);
    }
  }

  private async isLive(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.port}/health/live`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  private signal(name: NodeJS.Signals): void {
    if (this.isRunning) process.kill(-(this.process.pid as number), name);
  }
}
