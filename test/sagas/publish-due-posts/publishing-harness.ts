import type { Infrastructure } from '../../../src/app/infrastructure.js';
import type { Overrides } from '../../../src/app/process-options.js';
import type { Running } from '../../../src/app/start.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { publish } from '../../e2e/client.js';
import { ManagementClient, OPERATOR_KEY } from '../../e2e/management-client.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../../platforms/wire/networks.js';
import { TestEnvironment } from '../../support/test-environment.js';
import { TestChannel } from './test-channel.js';

/** A network's stand-in, in this process. */
export type StandIn = Awaited<ReturnType<(typeof NETWORKS)[NetworkName]['start']>>;

/** A clock that runs ahead of the system's by a lead, which tests increase instead of waiting. */
export class MovableClock implements Clock {
  private ahead = 0;

  now(): number {
    return Date.now() + this.ahead;
  }

  forward(ms: number): void {
    this.ahead += ms;
  }
}

/** A worker in this process, with its own connections as a real process has. */
export interface TestWorker {
  readonly infrastructure: Infrastructure;
  stop(): Promise<void>;
}

/**
 * Publishing in one process: the API over HTTP, workers that tests start and stop, a real PostgreSQL, and the stand-ins
 * of the four networks.
 */
export class PublishingHarness {
  readonly manage: ManagementClient;
  private channelCount = 0;

  private constructor(
    private readonly api: Running,
    private readonly environment: TestEnvironment<Readonly<Record<NetworkName, StandIn>>>,
  ) {
    this.manage = new ManagementClient(() => api.settings.baseUrl);
  }

  /** Starts everything except a worker; setting up channels needs one. */
  static async start(more: Readonly<Record<string, string>> = {}): Promise<PublishingHarness> {
    const environment = await TestEnvironment.start({
      startNetworks: async () => {
        const start = async (name: NetworkName) => [name, await NETWORKS[name].start()] as const;
        return Object.fromEntries(await Promise.all(NETWORK_NAMES.map(start))) as Record<NetworkName, StandIn>;
      },
      operatorKey: OPERATOR_KEY,
      // A lease lasts longer than any machine stalls: no worker may lose its lease here.
      env: { LEASE_SECONDS: '60', LOG_LEVEL: 'silent', ...more },
    });
    return new PublishingHarness(await environment.startProcess({ roles: 'api' }), environment);
  }

  get networks(): Readonly<Record<NetworkName, StandIn>> {
    return this.environment.networks;
  }

  get url(): string {
    return this.api.settings.baseUrl;
  }

  get infrastructure(): Infrastructure {
    return this.api.infrastructure;
  }

  /** Starts a worker. @param overrides its differences from a production worker */
  async startWorker(overrides: Overrides = {}): Promise<TestWorker> {
    const worker = await this.environment.startProcess({ roles: 'worker', ...overrides });
    return { infrastructure: worker.infrastructure, stop: () => worker.stop() };
  }

  /** Starts another API process. @returns its address */
  async startApi(overrides: Overrides): Promise<string> {
    return (await this.environment.startProcess({ roles: 'api', ...overrides })).settings.baseUrl;
  }

  /**
   * Creates a channel with its own owner, project and endpoint: one owner's publications share reads, and an error in a
   * shared read fails all of them.
   * @param credentials replace the default ones
   */
  async createChannel(network: NetworkName, credentials: Readonly<Record<string, string>> = {}): Promise<TestChannel> {
    const { id: owner_id } = await this.manage.post<{ id: string }>('/owners', {
      name: 'Publishing',
      plan: 'business',
    });
    const chat = `${network === 'telegram' ? '-100' : network === 'max' ? '-' : ''}${7_000_000 + ++this.channelCount}`;
    const given = {
      ...NETWORKS[network].credentials,
      [network === 'telegram' || network === 'max' ? 'chat_id' : 'group_id']: chat,
      ...credentials,
    };
    const name = `${network} ${this.channelCount}`;
    const channel = await this.manage.post<{ id: string }>('/channels', {
      owner_id,
      platform: network,
      name,
      credentials: given,
    });
    const channel_ids = [channel.id];
    const project = await this.manage.post<{ id: string }>('/projects', { owner_id, name, channel_ids });
    const body = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 };
    const endpoint = await this.manage.post<{ slug: string; token: string }>('/endpoints', body);
    const path = { path: `/v1/webhooks/${endpoint.slug}`, token: endpoint.token, id: '', channels: [] };
    return new TestChannel(network, channel.id, chat, this, given, (payload, headers) =>
      publish(this.url, path, payload, headers),
    );
  }

  /** Reads a stream's events. */
  async readEvents(stream: string): Promise<RecordedEvent[]> {
    return (await this.infrastructure.store.readStream(stream)).map((event) => this.infrastructure.codec.decode(event));
  }

  /** Wakes sleeping workers. */
  async wakeWorkers(): Promise<void> {
    await this.infrastructure.pool.query(`select pg_notify('lease', '')`);
  }

  stop(): Promise<void> {
    return this.environment.stop();
  }
}
