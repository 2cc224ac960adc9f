import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Infrastructure, startInfrastructure } from '../../../src/app/infrastructure.js';
import { type Running, start } from '../../../src/app/start.js';
import { type PlatformUrls, startWorker } from '../../../src/app/worker.js';
import { createLogger } from '../../../src/config/logger.js';
import { loadSettings, type Settings } from '../../../src/config/settings.js';
import { Streams } from '../../../src/event-store/aggregate-store.js';
import type { EventStore } from '../../../src/event-store/port.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { publish } from '../../e2e/client.js';
import { Manage, OPERATOR_KEY } from '../../e2e/manage.js';
import { NETWORK_NAMES, NETWORKS, type NetworkName } from '../../platforms/wire/networks.js';
import { startTestPostgres } from '../../support/postgres.js';
import { Line } from './line.js';

/** A network's stand-in, in this process. */
export type StandIn = Awaited<ReturnType<(typeof NETWORKS)[NetworkName]['start']>>;

/** Time that runs as everybody's does, and is moved on where a test would have to wait. */
export class MovableClock implements Clock {
  private ahead = 0;

  now(): number {
    return Date.now() + this.ahead;
  }

  forward(ms: number): void {
    this.ahead += ms;
  }
}

/** How a worker differs from one that is shipped. */
export interface WorkerChange {
  readonly clock?: Clock;
  readonly callTimeoutMs?: number;
  /** Where networks are, in place of the stand-ins. */
  readonly urls?: Partial<PlatformUrls>;
  /** Stands between the worker's sagas and the event store. */
  readonly store?: (store: EventStore) => EventStore;
}

/** A worker in this process, with connections of its own as a process would have. */
export interface TestWorker {
  readonly on: Infrastructure;
  stop(): Promise<void>;
}

const log = createLogger({ logLevel: 'silent' });

/**
 * All of publishing but processes: the API over HTTP, workers that come and go, a real PostgreSQL, and the four networks'
 * stand-ins.
 */
export class PublishingStage {
  readonly manage: Manage;
  private readonly workers = new Set<TestWorker>();
  private lines = 0;
  private owner: Promise<{ readonly id: string }> | undefined;

  private constructor(
    private readonly api: Running,
    private readonly env: Readonly<Record<string, string>>,
    readonly networks: Readonly<Record<NetworkName, StandIn>>,
    private readonly clear: () => Promise<void>,
  ) {
    this.manage = new Manage(() => api.settings.baseUrl);
  }

  /** Starts everything but a worker: without one nothing can be set up. */
  static async start(more: Readonly<Record<string, string>> = {}): Promise<PublishingStage> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-publishing-'));
    const postgres = await startTestPostgres();
    const started = await Promise.all(NETWORK_NAMES.map(async (name) => [name, await NETWORKS[name].start()] as const));
    const networks = Object.fromEntries(started) as Record<NetworkName, StandIn>;
    const env = {
      PORT: '0',
      DEMO: 'off',
      DATA_DIR: folder,
      DATABASE_URL: postgres.connectionString,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      OPERATOR_KEY,
      LIMITS_PROFILE: fileURLToPath(new URL('../../api/public/unlimited.json', import.meta.url)),
      PACING: 'off',
      // Longer than any machine stalls: no worker is to lose its lease here.
      LEASE_SECONDS: '60',
      ...Object.fromEntries(started.map(([name, { url }]) => [`${name.toUpperCase()}_API_URL`, url])),
      ...more,
    };
    const api = await start(loadSettings({ ...env, ROLES: 'api' }), log);
    return new PublishingStage(api, env, networks, async () => {
      await api.stop();
      await Promise.all(started.map(([, { stop }]) => stop()));
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  get url(): string {
    return this.api.settings.baseUrl;
  }

  get on(): Infrastructure {
    return this.api.infrastructure;
  }

  /** Sets a worker to work. */
  async work({ store, urls, ...options }: WorkerChange = {}): Promise<TestWorker> {
    const settings = loadSettings({ ...this.env, ROLES: 'worker' });
    const on = await startInfrastructure(settings, log);
    const through = store ? { store: store(on.store) } : {};
    const sagas = store ? { ...on, ...through, streams: new Streams(through.store!, on.codec) } : on;
    const all = { ...this.urls, ...urls };
    const end = await startWorker(settings, sagas, all, log, options);
    const worker: TestWorker = {
      on,
      stop: async () => {
        if (!this.workers.delete(worker)) return;
        await end();
        await on.stop();
      },
    };
    this.workers.add(worker);
    return worker;
  }

  /** A channel on a network, with a project and an endpoint of its own. @param credentials in place of the usual */
  async line(network: NetworkName, credentials: Readonly<Record<string, string>> = {}): Promise<Line> {
    this.owner ??= this.manage.post<{ id: string }>('/owners', { name: 'Publishing', plan: 'business' });
    const { id: owner_id } = await this.owner;
    const chat = `${network === 'telegram' ? '-100' : network === 'max' ? '-' : ''}${7_000_000 + ++this.lines}`;
    const given = {
      ...NETWORKS[network].credentials,
      [network === 'telegram' || network === 'max' ? 'chat_id' : 'group_id']: chat,
      ...credentials,
    };
    const name = `${network} ${this.lines}`;
    const channel = await this.manage.post<{ id: string }>('/channels', {
      ...{ owner_id, platform: network, name, credentials: given },
    });
    const channel_ids = [channel.id];
    const project = await this.manage.post<{ id: string }>('/projects', { owner_id, name, channel_ids });
    const draft = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 };
    const endpoint = await this.manage.post<{ slug: string; token: string }>('/endpoints', draft);
    const path = { path: `/v1/webhooks/${endpoint.slug}`, token: endpoint.token, id: '', channels: [] };
    return new Line(network, channel.id, chat, this, given, (payload, headers) =>
      publish(this.url, path, payload, headers),
    );
  }

  /** A stream's events. */
  async events(stream: string): Promise<RecordedEvent[]> {
    return (await this.on.store.readStream(stream)).map((event) => this.on.codec.decode(event));
  }

  /** Wakes workers that sleep until something happens. */
  async wake(): Promise<void> {
    await this.on.pool.query(`select pg_notify('lease', '')`);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.stop()));
    await this.clear();
  }

  private get urls(): PlatformUrls {
    const { apiUrls } = loadSettings({ ...this.env, ROLES: 'worker' }) satisfies Settings;
    return apiUrls as PlatformUrls;
  }
}
