import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KurrentEventStore } from '../../src/event-store/kurrentdb/kurrent-event-store.js';
import type { EventStore } from '../../src/event-store/port.js';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { STAND_INS } from '../../stand-ins/catalogue.js';
import {
  type EventStoreServer,
  isRealEventStore,
  startEventStore,
  usesEventStore,
} from '../support/event-store-server.js';
import { type Gateway, Program, startGateway } from '../support/gateway-process.js';
import { newDataDir, startTestPostgres } from '../support/postgres.js';
import { StandInControl } from '../support/stand-in-control.js';
import { ManagementClient, OPERATOR_KEY } from './management-client.js';

/** Key for the secrets of a database that several processes of a test share. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** A network's stand-in. It runs in the test's process, because starting another would take longer than using it. */
export interface Network {
  readonly url: string;
  readonly control: StandInControl;
}

/**
 * Starts the processes of one test and stops them when the test ends, whatever its result. If the test fails, the
 * harness prints the ends of their logs.
 */
export class E2eHarness {
  private readonly programs: Program[] = [];
  private readonly cleanups: (() => Promise<unknown>)[] = [];
  /** Event stores, by the database or DATA_DIR of the gateways whose events they keep. */
  private readonly eventStores = new Map<string, Promise<EventStoreServer>>();

  /** Creates a DATA_DIR with an empty database, which is faster than letting the gateway create one. */
  async createDataDir(): Promise<string> {
    const folder = await newDataDir();
    this.addCleanup(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** Creates an empty folder that every user may read. */
  async createFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-e2e-'));
    await chmod(folder, 0o755);
    this.addCleanup(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /**
   * Creates a database that is independent of any gateway. Returns the settings for gateways that share it.
   * @param migrated false for an empty database; by default it has all tables, which saves each test some time
   */
  async createDatabase({ migrated = true } = {}): Promise<{
    readonly DATABASE_URL: string;
    readonly SECRETS_KEY: string;
  }> {
    const { connectionString, stop } = await startTestPostgres({ migrated });
    this.addCleanup(stop);
    return { DATABASE_URL: connectionString, SECRETS_KEY };
  }

  /** Starts the stand-in of Telegram. */
  startTelegram(): Promise<Network> {
    return this.startNetwork('telegram');
  }

  /** Starts the stand-in of a network. */
  async startNetwork(name: 'telegram' | 'vk' | 'max' | 'ok'): Promise<Network> {
    const folder = await this.createFolder();
    const { start } = STAND_INS.find(({ platform }) => platform === name)!;
    const standIn = await start({ port: 0, ledgerFile: join(folder, `${name}.jsonl`) });
    this.addCleanup(() => standIn.stop());
    return { url: standIn.url, control: new StandInControl(standIn.url) };
  }

  /** Starts an event store for this test alone: the stand-in, or a real one (EVENT_STORE_COMMAND). */
  async startEventStore(): Promise<EventStoreServer> {
    const server = await startEventStore();
    this.addCleanup(() => server.stop());
    return server;
  }

  /**
   * Starts a gateway without limits and pacing; `settings` take precedence. With EVENT_STORE_COMMAND its events are in
   * an event store, which it shares with the test's other gateways on the same database.
   */
  async startGateway(settings: Readonly<Record<string, string>>): Promise<Gateway> {
    const gateway = await startGateway(await this.environmentOf(settings));
    this.programs.push(gateway.program);
    return gateway;
  }

  /** Starts a gateway in the same way, without waiting until it is ready. */
  async spawnGateway(settings: Readonly<Record<string, string>>): Promise<Program> {
    const program = Program.spawn('gateway', ['main.js'], await this.environmentOf(settings));
    this.programs.push(program);
    return program;
  }

  private async environmentOf(settings: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    return {
      PORT: '0',
      DEMO: 'off',
      OPERATOR_KEY,
      PACING: 'off',
      // Longer than any stall of the machine. A test in which a lease must expire shortens it.
      LEASE_SECONDS: '60',
      LIMITS_PROFILE: fileURLToPath(new URL('../support/unlimited.json', import.meta.url)),
      ...(await this.eventStoreOf(settings)),
      ...settings,
    };
  }

  /** Starts a gateway without settings: with stand-ins of all networks and the demo. */
  async startDemo(dataDir: string): Promise<Gateway> {
    const settings = { PORT: '0', DATA_DIR: dataDir };
    const gateway = await startGateway({ ...settings, ...(await this.eventStoreOf(settings)) });
    this.programs.push(gateway.program);
    return gateway;
  }

  /** Opens another connection to the event store of the gateways that have these settings. */
  async openEventStore(settings: Readonly<Record<string, string>>): Promise<EventStore> {
    const { EVENT_STORE_URL } = { ...(await this.eventStoreOf(settings)), ...settings };
    const store = EVENT_STORE_URL
      ? new KurrentEventStore({ connectionString: EVENT_STORE_URL })
      : new PostgresEventStore({ connectionString: settings.DATABASE_URL! });
    this.addCleanup(() => store.close());
    return store;
  }

  /** Registers a clean-up for the end of the test. Processes are killed first; the last clean-up runs first. */
  addCleanup(cleanup: () => Promise<unknown>): void {
    this.cleanups.push(cleanup);
  }

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.killAll()));
    for (const cleanup of this.cleanups.reverse()) await cleanup();
  }

  /**
   * Returns the setting for the event store that belongs to the database in these settings; empty if they name an event
   * store themselves, or without EVENT_STORE_COMMAND.
   */
  private async eventStoreOf({
    DATABASE_URL,
    DATA_DIR,
    EVENT_STORE_URL,
  }: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    if (!usesEventStore || EVENT_STORE_URL !== undefined) return {};
    // A test may reach one database directly and through a proxy: its name is the same.
    const key = DATABASE_URL === undefined ? DATA_DIR! : new URL(DATABASE_URL).pathname;
    const starting = this.eventStores.get(key) ?? this.startEventStore();
    this.eventStores.set(key, starting);
    return { EVENT_STORE_URL: (await starting).connectionString };
  }

  /** Returns the ends of all logs. */
  readLogs(): string {
    return this.programs.map(({ name, pid, log }) => `--- ${name} (${pid})\n${log}\n`).join('');
  }
}

/** Returns a client of a gateway's management API. */
export const createManagementClient = ({ url }: Gateway): ManagementClient => new ManagementClient(() => url);

/** Far above the duration of a test on an idle machine, because the machine may be busy. */
const TIMEOUT_MS = 600_000;

const runWithHarness = async (run: (harness: E2eHarness) => Promise<void>): Promise<void> => {
  const harness = new E2eHarness();
  try {
    await printLogsOnFailure(harness, () => run(harness));
  } finally {
    await harness.stop();
  }
};

/** A real event store takes seconds of CPU time to start, and each database has its own. */
const scale = (timeoutMs: number): number => (isRealEventStore ? 4 * timeoutMs : timeoutMs);

/** Defines a test with its own harness. */
export const e2eTest = (title: string, run: (harness: E2eHarness) => Promise<void>, timeoutMs = TIMEOUT_MS): void =>
  it(title, () => runWithHarness(run), scale(timeoutMs));

/** Defines a test with its own harness that runs concurrently with others of its file, because it mostly waits. */
export const concurrentE2eTest = (
  title: string,
  run: (harness: E2eHarness) => Promise<void>,
  timeoutMs = TIMEOUT_MS,
): void => it.concurrent(title, () => runWithHarness(run), scale(timeoutMs));

/**
 * Sets up a harness once for the tests of the `describe` that calls this. Returns the function that defines such a
 * test.
 */
export const shareHarness = <Context>(setUp: (harness: E2eHarness) => Promise<Context>) => {
  const harness = new E2eHarness();
  let context: Context;
  beforeAll(() => printLogsOnFailure(harness, async () => void (context = await setUp(harness))), scale(TIMEOUT_MS));
  afterAll(() => harness.stop());
  return (title: string, run: (context: Context) => Promise<void>, timeoutMs = TIMEOUT_MS): void =>
    it(title, () => printLogsOnFailure(harness, () => run(context)), scale(timeoutMs));
};

/** Prints the logs of the processes if the work fails. */
const printLogsOnFailure = async (harness: E2eHarness, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    process.stderr.write(harness.readLogs());
    throw error;
  }
};
