import { KurrentServer } from '../support/kurrent-server/kurrent-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { publish, postIdOf } from './client.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { manageOf, scene, type Stage } from './e2e-harness.js';
import { until } from './until.js';

const ENDPOINTS = [[0], [0, 1]];
const random = new Random();

/** What a gateway says of itself. */
const health = async (url: string) => {
  const [alive, ready] = await Promise.all([fetch(`${url}/healthz`), fetch(`${url}/readyz`)]);
  const { checks } = (await ready.json()) as { checks: Readonly<Record<string, string>> };
  const broken = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  return { alive: alive.status, ready: ready.status, broken };
};

const WELL = { alive: 200, ready: 200, broken: [] };

/** A gateway whose database is behind a proxy that can be cut. */
const behindProxy = async (stage: Stage) => {
  const telegram = await stage.telegram();
  const database = await stage.database();
  const proxy = await TcpProxy.start(database.DATABASE_URL);
  stage.atTheEnd(() => proxy.stop());
  const gateway = await stage.gateway({
    ...database,
    DATABASE_URL: proxy.through(database.DATABASE_URL),
    DATA_DIR: await stage.folder(),
    TELEGRAM_API_URL: telegram.url,
  });
  return { telegram, proxy, gateway, manage: manageOf(gateway) };
};

describe(`a database that goes away (seed ${random.seed})`, () => {
  scene('is answered with 503 and Retry-After, is named by /readyz, and all goes on when it is back', async (stage) => {
    const { telegram, proxy, gateway, manage } = await behindProxy(stage);
    const { url } = gateway;
    const { endpoints, channels } = await manage.seed(2, ENDPOINTS);
    await telegram.control.setDelay(15);
    const load = startLoad({ endpoints, random, urls: () => [url], posts: 60 });
    await load.during(until('some posts are under way', () => load.sent.length >= 10));
    await proxy.refuse();

    const refused = await publish(url, endpoints[0]!, { text: 'nobody is home' });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.parse(refused.body)).toMatchObject({ ok: false, code: 'unavailable' });
    expect(refused.headers.get('x-request-id')).toMatch(/^req_/);
    const sick = await health(url);
    expect(sick).toMatchObject({ alive: 200, ready: 503 });
    expect(sick.broken).toContain('database');
    expect(sick.broken).toContain('event_store');

    await proxy.accept();
    await until('the gateway is well again', async () => expect(await health(url)).toEqual(WELL) ?? true);
    await load.done;
    await expectNothingLost(manage, telegram, load.sent, channels);
    await expectReplays(url, load.sent);
  });

  scene('while a post is with the network: the outcome is kept until it can be written', async (stage) => {
    const { telegram, proxy, gateway, manage } = await behindProxy(stage);
    const { endpoints, channels } = await manage.seed(1, [[0]]);
    await telegram.control.addFault({ mode: 'delay', delay_ms: 1_500 });
    const answer = await publish(gateway.url, endpoints[0]!, { text: 'on its way' });
    await until('the network has the call', async () => (await telegram.control.calls()).total > 0);
    await proxy.refuse();
    await until('the post is on the wall', async () => (await telegram.control.ledger()).length > 0);
    await until('the service has waited in vain', async () => (await health(gateway.url)).broken.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 7_000)); // longer than a write is repeated at once
    await proxy.accept();
    await until('it is published', async () => {
      const { publications } = await manage.findPost(postIdOf(answer));
      return publications[0]!.state === 'published';
    });
    expect(await telegram.control.ledger({ channel: channels[0]!.chatId })).toHaveLength(1);
  });

  scene('for the shortest moment, again and again, is noticed by nobody but the log', async (stage) => {
    const { telegram, proxy, gateway, manage } = await behindProxy(stage);
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

  scene('is waited for at the start', async (stage) => {
    const telegram = await stage.telegram();
    const database = await stage.database();
    const proxy = await TcpProxy.start(database.DATABASE_URL);
    stage.atTheEnd(() => proxy.stop());
    await proxy.refuse();
    const starting = stage.gateway({
      ...database,
      DATABASE_URL: proxy.through(database.DATABASE_URL),
      DATA_DIR: await stage.folder(),
      TELEGRAM_API_URL: telegram.url,
    });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await proxy.accept();
    const { url } = await starting;
    await until('the gateway is well', async () => expect(await health(url)).toEqual(WELL) ?? true);
  });
});

scene(`events in KurrentDB: posts go all the way, and its death loses nothing (seed ${random.seed})`, async (stage) => {
  const telegram = await stage.telegram();
  const server = await KurrentServer.start();
  stage.atTheEnd(() => server.stop());
  const gateway = await stage.gateway({
    ...(await stage.database()),
    EVENT_STORE_URL: server.connectionString,
    DATA_DIR: await stage.folder(),
    TELEGRAM_API_URL: telegram.url,
  });
  const { url } = gateway;
  const manage = manageOf(gateway);
  const { endpoints, channels } = await manage.seed(2, ENDPOINTS);
  await telegram.control.setDelay(15);
  const load = startLoad({ endpoints, random, urls: () => [url], posts: 60 });
  await until('some posts are on a wall', async () => (await telegram.control.ledger()).length >= 10);

  await server.kill();
  const refused = await publish(url, endpoints[0]!, { text: 'nobody is home' });
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await health(url)).toMatchObject({ alive: 200, ready: 503, broken: ['event_store'] });

  await server.restart();
  await until('the gateway is well again', async () => expect(await health(url)).toEqual(WELL) ?? true);
  await load.done;
  await expectNothingLost(manage, telegram, load.sent, channels);
  await expectReplays(url, load.sent);
});
