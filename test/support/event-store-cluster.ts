import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { Agent, request } from 'undici';
import { until } from '../e2e/until.js';
import { type Certificates, makeCertificates } from './certificates.js';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

const SIZE = 3;
/** Pause before a node that ended on its own is started again, in ms. */
const RESTART_MS = 500;
/** Password of a new server's administrator. */
const ADMIN = { name: 'admin', password: 'changeit' };
const HOST = '127.0.0.1';

/**
 * Shell command of one node of a cluster (docs/testing.md), without options: it receives them as the server's own environment
 * variables, and runs in the foreground.
 */
const COMMAND = process.env.EVENT_STORE_NODE_COMMAND;

/** True if {@link EventStoreCluster} can be started. */
export const hasEventStoreCluster = COMMAND !== undefined;

/** A user of the event store. */
export interface StoreUser {
  readonly name: string;
  readonly password: string;
}

interface Member {
  readonly state: string;
  readonly isAlive: boolean;
  readonly httpEndPointPort: number;
}

/** A node, which is started again when it ends on its own, as a supervisor would. */
class ClusterNode {
  private isWanted = true;

  constructor(
    readonly port: number,
    private readonly process: ServerProcess,
  ) {}

  launch(): void {
    this.isWanted = true;
    void this.process.launch().ended.then(async () => {
      await sleep(RESTART_MS);
      if (this.isWanted && !this.process.isRunning) this.launch();
    });
  }

  /** Kills it. It stays down until {@link launch}. */
  async kill(): Promise<void> {
    this.isWanted = false;
    await this.process.kill();
  }

  freeze(): void {
    this.process.signal('SIGSTOP');
  }

  thaw(): void {
    this.process.signal('SIGCONT');
  }
}

/** A cluster of three nodes of a real event store, with TLS, its own certificates, and users with passwords. */
export class EventStoreCluster {
  private constructor(
    private readonly folder: string,
    private readonly certificates: Certificates,
    private readonly agent: Agent,
    readonly nodes: readonly ClusterNode[],
  ) {}

  /** Starts an empty cluster, and waits until it has a leader and two followers. */
  static async start(): Promise<EventStoreCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'event-store-cluster-'));
    const certificates = await makeCertificates(folder, 'eventstoredb-node');
    const ports = await freePorts(2 * SIZE);
    const httpPorts = ports.slice(0, SIZE);
    const nodes = httpPorts.map((port, n) => {
      const env = settingsOf(join(folder, `node-${n}`), certificates, port, ports[SIZE + n]!, httpPorts);
      return new ClusterNode(port, new ServerProcess(COMMAND as string, env, join(folder, `node-${n}.txt`)));
    });
    const agent = new Agent({ connect: { ca: await readFile(certificates.authority) } });
    const cluster = new EventStoreCluster(folder, certificates, agent, nodes);
    for (const node of nodes) node.launch();
    try {
      await cluster.waitUntilComplete();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The certificate of the authority that signed the nodes' certificates. */
  get authority(): string {
    return this.certificates.authority;
  }

  /** Returns the connection string that names all nodes. */
  connectionString({ name, password }: StoreUser, scheme = 'kurrentdb'): string {
    const nodes = this.nodes.map(({ port }) => `${HOST}:${port}`).join(',');
    return `${scheme}://${name}:${password}@${nodes}?tls=true&tlsCaFile=${this.authority}`;
  }

  /** Returns the connection string for finding the nodes: a DNS name, and the port of one node. */
  discoveryString({ name, password }: StoreUser, scheme = 'kurrentdb'): string {
    const [first] = this.nodes as [ClusterNode];
    return `${scheme}+discover://${name}:${password}@localhost:${first.port}?tlsCaFile=${this.authority}`;
  }

  /** Creates a user without groups. */
  async createUser({ name, password }: StoreUser): Promise<void> {
    await until(`the user ${name} exists`, async () => {
      const { port } = await this.findLeader();
      const body = JSON.stringify({ loginName: name, fullName: name, password, groups: [] });
      const { statusCode } = await this.call(port, '/users/', { method: 'POST', body });
      return statusCode === 201 || statusCode === 409;
    });
  }

  /** Allows users to read `$all`, which the default rules reserve for administrators. */
  async allowToReadAll(users: readonly StoreUser[]): Promise<void> {
    const admins = ['$admins'];
    const acl = {
      readRoles: [...admins, ...users.map(({ name }) => name)],
      writeRoles: admins,
      deleteRoles: admins,
      metaReadRoles: admins,
      metaWriteRoles: admins,
    };
    const client = KurrentDBClient.connectionString(this.connectionString(ADMIN));
    await client.setStreamMetadata('$all', { acl });
    await client.dispose();
  }

  /** Returns the current leader. @throws Error if there is none */
  async findLeader(): Promise<ClusterNode> {
    return this.findNode('Leader');
  }

  /** Returns a current follower. @throws Error if there is none */
  async findFollower(): Promise<ClusterNode> {
    return this.findNode('Follower');
  }

  /** Waits until there is a leader and all others follow it, as every node sees it. */
  async waitUntilComplete(): Promise<void> {
    await until('the cluster is complete', async () => {
      const views = await Promise.all(this.nodes.map(({ port }) => this.readMembers(port)));
      return views.every((members) => {
        const states = members.filter(({ isAlive }) => isAlive).map(({ state }) => state);
        return states.toSorted().join() === ['Follower', 'Follower', 'Leader'].join();
      });
    });
  }

  /** Kills all nodes and deletes their data. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.agent.destroy();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async findNode(wanted: string): Promise<ClusterNode> {
    for (const { port } of this.nodes) {
      const members = await this.readMembers(port).catch(() => []);
      const found = members.find(({ state, isAlive }) => isAlive && state === wanted);
      if (found) return this.nodes.find((node) => node.port === found.httpEndPointPort)!;
    }
    throw new Error(`no node is ${wanted}`);
  }

  private async readMembers(port: number): Promise<readonly Member[]> {
    const { body } = await this.call(port, '/gossip');
    return ((await body.json()) as { readonly members: readonly Member[] }).members;
  }

  /** Calls a node as the administrator. */
  private call(port: number, path: string, options: { readonly method?: 'POST'; readonly body?: string } = {}) {
    const authorization = `Basic ${Buffer.from(`${ADMIN.name}:${ADMIN.password}`).toString('base64')}`;
    return request(`https://${HOST}:${port}${path}`, {
      dispatcher: this.agent,
      headers: { authorization, accept: 'application/json', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(2_000),
      ...options,
    });
  }
}

/** Returns the settings of one node, as the server's environment variables. */
const settingsOf = (
  folder: string,
  { certificate, key, authorityFolder }: Certificates,
  port: number,
  replicationPort: number,
  httpPorts: readonly number[],
): Readonly<Record<string, string>> => ({
  EVENTSTORE_CLUSTER_SIZE: String(SIZE),
  EVENTSTORE_DISCOVER_VIA_DNS: 'false',
  EVENTSTORE_GOSSIP_SEED: httpPorts
    .filter((other) => other !== port)
    .map((other) => `${HOST}:${other}`)
    .join(','),
  EVENTSTORE_NODE_IP: HOST,
  EVENTSTORE_NODE_PORT: String(port),
  EVENTSTORE_REPLICATION_IP: HOST,
  EVENTSTORE_REPLICATION_PORT: String(replicationPort),
  EVENTSTORE_CERTIFICATE_FILE: certificate,
  EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE: key,
  EVENTSTORE_TRUSTED_ROOT_CERTIFICATES_PATH: authorityFolder,
  EVENTSTORE_RUN_PROJECTIONS: 'None',
  EVENTSTORE_DB: join(folder, 'db'),
  EVENTSTORE_LOG: join(folder, 'log'),
});

/** Returns different free ports. */
const freePorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
};
