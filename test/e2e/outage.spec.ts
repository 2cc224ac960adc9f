// More than 20 s: the database is away longer than the gateway retries a write, and posts arrive before, during and after.
import { usesEventStore } from '../support/event-store-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { postIdOf, publish } from './client.js';
import { concurrentE2eTest, createManagementClient, type E2eHarness } from './e2e-harness.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { until } from './until.js';

const ENDPOINTS = [[0], [0, 1]];
const random = new Random();

/** Reads a gateway's liveness and readiness. */
const readHealth = async (url: string) => {
  const [alive, ready] = await Promise.all([fetch(`${url}/healthz`), fetch(`${url}/readyz`)]);
  const { checks } = (await ready.json()) as { checks: Readonly<Record<string, string>> };
  const broken = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  return { alive: alive.status, ready: ready.status, broken };
};

const HEALTHY = { alive: 200, ready: 200, broken: [] };

/** Starts a gateway with a proxy between it and its database. */
const startBehindProxy = async (harness: E2eHarness) => {
  const telegram = await harness.startTelegram();
  const database = await harness.createDatabase();
  const proxy = await TcpProxy.start(database.DATABASE_URL);
  harness.addCleanup(() => proxy.stop());
  const gateway = await harness.startGateway({
    ...database,
    DATABASE_URL: proxy.through(database.DATABASE_URL),
    DATA_DIR: await harness.createFolder(),
    TELEGRAM_API_URL: telegram.url,
  });
  return { telegram, proxy, gateway, manage: createManagementClient(gateway) };
};

describe(`an outage of the database (seed ${random.seed})`, () => {
  concurrentE2eTest(
    'causes 503 with Retry-After, is reported by /readyz, and all posts are published when it ends',
    async (harness) => {
      const { telegram, proxy, gateway, manage } = await startBehindProxy(harness);
      const { url } = gateway;
      const { endpoints, channels } = await manage.seed(2, ENDPOINTS);
      await telegram.control.setDelay(15);
      const load = startLoad({ endpoints, random, urls: () => [url], posts: 60 });
      await load.during(until('some posts are under way', () => load.sent.length >= 10));
      await proxy.refuse();

      const rejected = await publish(url, endpoints[0]!, { text: 'unavailable' });
      expect(rejected.status).toBe(503);
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.parse(rejected.body)).toMatchObject({ ok: false, code: 'unavailable' });
      expect(rejected.headers.get('x-request-id')).toMatch(/^req_/);
      const unhealthy = await readHealth(url);
      expect(unhealthy).toMatchObject({ alive: 200, ready: 503 });
      expect(unhealthy.broken).toContain('database');
      if (!usesEventStore) expect(unhealthy.broken).toContain('event_store');

      await proxy.accept();
      await until('the gateway is healthy again', async () => expect(await readHealth(url)).toEqual(HEALTHY) ?? true);
      await load.done;
      await expectNothingLost(manage, telegram, load.sent, channels);
      await expectReplays(url, load.sent);
    },
  );

  concurrentE2eTest(
    'during a call to a network does not lose the outcome: the gateway keeps it until it can write it',
    async (harness) => {
      const { telegram, proxy, gateway, manage } = await startBehindProxy(harness);
      const { endpoints, channels } = await manage.seed(1, [[0]]);
      await telegram.control.addFault({ mode: 'delay', delay_ms: 1_500 });
      const answer = await publish(gateway.url, endpoints[0]!, { text: 'on its way' });
      await until(
        'the network has the call',
        async () => (await telegram.control.listCalls({ method: 'sendMessage' })).items.length > 0,
      );
      await proxy.refuse();
      await until('the post is on the wall', async () => (await telegram.control.readLedger()).length > 0);
      await until('the gateway reports the database', async () => (await readHealth(gateway.url)).broken.length > 0);
      await new Promise((resolve) => setTimeout(resolve, 7_000)); // longer than the gateway retries a write without a wait
      await proxy.accept();
      await until('it is published', async () => {
        const { publications } = await manage.findPost(postIdOf(answer));
        return publications[0]!.state === 'published';
      });
      expect(await telegram.control.readLedger({ channel: channels[0]!.chatId })).toHaveLength(1);
    },
  );

  concurrentE2eTest('of a moment, repeated, is not noticed by any client', async (harness) => {
    const { telegram, proxy, gateway, manage } = await startBehindProxy(harness);
    const { endpoints, channels } = await manage.seed(2, ENDPOINTS);
    await telegram.control.setDelay(5);
    const load = startLoad({ endpoints, random, urls: () => [gateway.url], posts: 80 });
    for (let n = 1; n <= 6; n++) {
      await load.during(until('a few more are sent', () => load.sent.length >= n * 10));
      proxy.dropConnections();
    }
    await load.done;
    await expectNothingLost(manage, telegram, load.sent, channels);
  });

  concurrentE2eTest('delays the startup until it ends', async (harness) => {
    const telegram = await harness.startTelegram();
    const database = await harness.createDatabase();
    const proxy = await TcpProxy.start(database.DATABASE_URL);
    harness.addCleanup(() => proxy.stop());
    await proxy.refuse();
    const starting = harness.startGateway({
      ...database,
      DATABASE_URL: proxy.through(database.DATABASE_URL),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
    });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await proxy.accept();
    const { url } = await starting;
    await until('the gateway is healthy', async () => expect(await readHealth(url)).toEqual(HEALTHY) ?? true);
  });
});

concurrentE2eTest(
  `posts are published with events in KurrentDB, and a crash of KurrentDB loses nothing (seed ${random.seed})`,
  async (harness) => {
    const telegram = await harness.startTelegram();
    const server = await harness.startEventStore();
    const gateway = await harness.startGateway({
      ...(await harness.createDatabase()),
      EVENT_STORE_URL: server.connectionString,
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
    });
    const { url } = gateway;
    const manage = createManagementClient(gateway);
    const { endpoints, channels } = await manage.seed(2, ENDPOINTS);
    await telegram.control.setDelay(15);
    const load = startLoad({ endpoints, random, urls: () => [url], posts: 60 });
    await until('some posts are on a wall', async () => (await telegram.control.readLedger()).length >= 10);

    await server.kill();
    const rejected = await publish(url, endpoints[0]!, { text: 'unavailable' });
    expect(rejected.status).toBe(503);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    // A database that takes seconds to answer counts as broken.
    await until('the gateway reports the event store alone', async () => {
      expect(await readHealth(url)).toMatchObject({ alive: 200, ready: 503, broken: ['event_store'] });
      return true;
    });

    await server.restart();
    await until('the gateway is healthy again', async () => expect(await readHealth(url)).toEqual(HEALTHY) ?? true);
    await load.done;
    await expectNothingLost(manage, telegram, load.sent, channels);
    await expectReplays(url, load.sent);
  },
);
