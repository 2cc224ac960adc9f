import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { KurrentServer } from './kurrent-server/kurrent-server.js';
import { ServerProcess } from './server-process.js';

const run = promisify(execFile);

/** Path of a copy of everything that a server has stored, which is deleted with the server. */
export type Backup = string;

/** An event store in separate processes, which a test may kill and freeze. */
export interface EventStoreServer {
  readonly connectionString: string;
  /** Kills it. What it has committed is still there after {@link restart}. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data, and waits until it is ready. */
  restart(): Promise<void>;
  /** Suspends it: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Copies what is stored, without stopping the server. */
  backUp(): Promise<Backup>;
  /**
   * Replaces the data with a backup's, or with none, and starts on the same port, as if another server answered.
   */
  restore(backup: Backup | null): Promise<void>;
  /** Kills it and deletes its data. */
  stop(): Promise<void>;
}

/**
 * Shell command of a real server (docs/testing.md), or `stand-in`. It runs in the foreground, listens on
 * `$EVENT_STORE_PORT` of 127.0.0.1 without TLS and keeps its data in `$EVENT_STORE_FOLDER`.
 */
const COMMAND = process.env.EVENT_STORE_COMMAND;

/** True if each gateway of `test/e2e` keeps its events in its own event store instead of its database. */
export const usesEventStore = COMMAND !== undefined;

/**
 * True if {@link startEventStore} starts a real server, which takes longer to start and does not support the stand-in's
 * commands.
 */
export const isRealEventStore = COMMAND !== undefined && COMMAND !== 'stand-in';

/** Starts an empty event store: a real one if EVENT_STORE_COMMAND names it, otherwise the stand-in. */
export const startEventStore = (): Promise<EventStoreServer> =>
  isRealEventStore ? RealServer.start(COMMAND as string) : KurrentServer.start();

/** The event store of a gateway. */
export interface ChosenStore {
  /** Settings of the gateway. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Starts the event store of a gateway inside the test process: a separate one if EVENT_STORE_COMMAND names one,
 * otherwise the gateway's database.
 */
export const startChosenStore = async (): Promise<ChosenStore> => {
  if (!usesEventStore) return { settings: {}, stop: async () => undefined };
  const server = await startEventStore();
  return { settings: { EVENT_STORE_URL: server.connectionString }, stop: () => server.stop() };
};

class RealServer implements EventStoreServer {
  private readonly process: ServerProcess;
  private readonly data: string;
  private backups = 0;

  private constructor(
    command: string,
    private readonly folder: string,
    private readonly port: number,
  ) {
    this.data = join(folder, 'data');
    const env = { EVENT_STORE_PORT: String(port), EVENT_STORE_FOLDER: this.data };
    this.process = new ServerProcess(command, env, join(folder, 'output.txt'));
  }

  static async start(command: string): Promise<RealServer> {
    const folder = await mkdtemp(join(tmpdir(), 'event-store-'));
    const server = new RealServer(command, folder, await freePort());
    await mkdir(server.data);
    await server.restart();
    return server;
  }

  get connectionString(): string {
    return `kurrentdb://127.0.0.1:${this.port}?tls=false`;
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  async restart(): Promise<void> {
    await this.kill();
    this.process.launch();
    await this.process.waitUntil(() => this.isLive());
  }

  freeze(): void {
    this.process.signal('SIGSTOP');
  }

  thaw(): void {
    this.process.signal('SIGCONT');
  }

  /** Copies the files of the frozen server, in the state in which a kill would leave them. */
  async backUp(): Promise<Backup> {
    const backup = join(this.folder, `backup-${this.backups++}`);
    this.freeze();
    await run('cp', ['-R', this.data, backup]).finally(() => this.thaw());
    return backup;
  }

  async restore(backup: Backup | null): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true });
    if (backup) await run('cp', ['-R', backup, this.data]);
    else await mkdir(this.data);
    await this.restart();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async isLive(): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${this.port}/health/live`, { signal: AbortSignal.timeout(5_000) })).ok;
  }
}
