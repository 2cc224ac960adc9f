import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Overrides } from '../../src/app/process-options.js';
import { type Running, start } from '../../src/app/start.js';
import { createLogger } from '../../src/config/logger.js';
import { PLATFORMS } from '../../src/platforms/catalogue.js';
import { startTestPostgres } from './postgres.js';
import { loadTestSettings } from './settings.js';

/** Limits profile without limits, so that only the behaviour under test can reject a request. */
export const UNLIMITED = fileURLToPath(new URL('./unlimited.json', import.meta.url));

/** Key that encrypts the secrets in every test database. */
export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** A network's stand-in in this process. */
export interface StartedNetwork {
  readonly url: string;
  stop(): Promise<void>;
}

/** A process of the gateway inside this one: its roles, and how it differs from the program that is shipped. */
export interface TestProcess extends Overrides {
  readonly roles?: string;
}

/** Options of a {@link TestEnvironment}. */
export interface TestEnvironmentOptions<Networks extends Readonly<Record<string, StartedNetwork>>> {
  /** Starts the networks' stand-ins; `folder` is deleted at the end. */
  readonly startNetworks: (folder: string) => Promise<Networks>;
  readonly operatorKey: string;
  /** Additional settings, by name, which take precedence. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Everything that a gateway needs, for tests that run it inside this process over real HTTP: its own PostgreSQL
 * database, a DATA_DIR, and stand-ins for networks. Processes started in it share them, as in a deployment.
 */
export class TestEnvironment<Networks extends Readonly<Record<string, StartedNetwork>>> {
  private readonly running = new Set<Running>();

  private constructor(
    readonly networks: Networks,
    private readonly env: Readonly<Record<string, string>>,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async start<Networks extends Readonly<Record<string, StartedNetwork>>>({
    startNetworks,
    operatorKey,
    env,
  }: TestEnvironmentOptions<Networks>): Promise<TestEnvironment<Networks>> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-test-'));
    const postgres = await startTestPostgres({ migrated: true });
    const networks = await startNetworks(folder);
    // A channel's test calls its network, so a network without a stand-in must not be called on the Internet.
    const closed = PLATFORMS.all.map(({ baseUrl }) => [baseUrl.setting, 'http://127.0.0.1:9']);
    const urls = Object.entries(networks).map(([name, { url }]) => [`${name.toUpperCase()}_API_URL`, url]);
    const settings = {
      PORT: '0',
      DEMO: 'off',
      DATA_DIR: folder,
      // Environments on one database share its store, see withFileStore.
      ...(env?.DATABASE_URL === undefined && { MEDIA_STORE: join(folder, 'uploads') }),
      DATABASE_URL: postgres.connectionString,
      SECRETS_KEY,
      OPERATOR_KEY: operatorKey,
      LIMITS_PROFILE: UNLIMITED,
      PACING: 'off',
      LOG_LEVEL: 'error',
      ...(Object.fromEntries([...closed, ...urls]) as Record<string, string>),
      ...env,
    };
    return new TestEnvironment(networks, settings, async () => {
      await Promise.all(Object.values(networks).map((network) => network.stop()));
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** Starts a process; it is stopped with the environment at the latest. */
  async startProcess({ roles, ...overrides }: TestProcess = {}): Promise<Running> {
    const settings = loadTestSettings({ ...this.env, ...(roles !== undefined && { ROLES: roles }) });
    // On a busy machine a helper process may take longer to start than a file may take in production.
    const process = await start(settings, createLogger(settings), undefined, {
      inspectionTimeoutMs: 60_000,
      ...overrides,
    });
    this.running.add(process);
    const stop = async (): Promise<void> => {
      this.running.delete(process);
      await process.stop();
    };
    return { ...process, stop };
  }

  /** Stops the processes, the last started first, then everything that they use. */
  async stop(): Promise<void> {
    for (const process of [...this.running].reverse()) await process.stop();
    await this.cleanUp();
  }
}
