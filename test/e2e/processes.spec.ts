import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../postgres/spawn-embedded.js';
import { freePort } from '../support/gateway.js';
import { expectNothingLost } from './audit.js';
import { publish, postIdOf, type Sent } from './client.js';
import { startLoad } from './load.js';
import { type Endpoint, Manage } from './manage.js';
import { Random } from './random.js';
import { manageOf, type Network, scene, type Stage } from './stage.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const random = new Random();
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];

/** Settings that let processes share a database and a network; each has a DATA_DIR of its own. */
const crew = async (stage: Stage, more: Readonly<Record<string, string>> = {}) => {
  const telegram = await stage.telegram();
  const database = await stage.database();
  const shared = { ...database, TELEGRAM_API_URL: telegram.url, ...more };
  const start = async (ROLES: string, own: Readonly<Record<string, string>> = {}) =>
    stage.gateway({ ...shared, DATA_DIR: await stage.folder(), ROLES, ...own });
  return { telegram, start, database };
};

/** Posts under a key that is its text. */
const send = async (url: string, endpoint: Endpoint, key: string): Promise<Sent> => {
  const payload = { text: key };
  const answer = await publish(url, endpoint, payload, { 'idempotency-key': key });
  expect(answer.status).toBe(200);
  return { endpoint, key, payload, answer, client: endpoint.id };
};

const called = ({ control }: Network, chatId: string): Promise<boolean> =>
  until(`a call for ${chatId}`, async () => (await control.calls()).items.some(({ channel }) => channel === chatId));

const onWall = ({ control }: Network, chatId: string, text: string): Promise<boolean> =>
  until(`"${text}" is on ${chatId}`, async () =>
    (await control.ledger({ channel: chatId })).some((entry) => entry.text === text),
  );

const stateOf = async (manage: Manage, { answer }: Sent): Promise<string> =>
  (await manage.findPost(postIdOf(answer))).publications[0]!.state;

scene('API and worker are separate processes: one accepts while no other runs, one publishes', async (stage) => {
  const { telegram, start } = await crew(stage);
  const worker = await start('worker');
  const api = await start('api');
  const { endpoints, channels } = await manageOf(api).seed(1, [[0]]);
  const first = await send(api.url, endpoints[0]!, 'with a worker');
  await onWall(telegram, channels[0]!.chatId, 'with a worker');
  expect((await fetch(`${worker.url}${endpoints[0]!.path}`, { method: 'POST' })).status).toBe(404);
  await worker.program.terminate();
  const second = await send(api.url, endpoints[0]!, 'without a worker');
  await start('worker');
  await expectNothingLost(manageOf(api), telegram, [first, second], channels);
});

describe('a worker that is stopped in the middle of a publication, past its lease', () => {
  /** Worker one is frozen with calls under way on both channels; worker two has taken over. */
  const frozen = async (stage: Stage) => {
    const { telegram, start } = await crew(stage, { LEASE_SECONDS: '2' });
    const api = await start('api');
    const one = await start('worker');
    const manage = manageOf(api);
    const { endpoints, channels } = await manage.seed(2, [[0], [1]]);
    const [slow, silent] = channels.map(({ chatId }) => chatId) as [string, string];
    await telegram.control.addFault({ mode: 'delay', channel: slow, delay_ms: 12_000 });
    await telegram.control.addFault({ mode: 'accept_then_hang', channel: silent });
    const held = [await send(api.url, endpoints[0]!, 'slow'), await send(api.url, endpoints[1]!, 'silent')] as const;
    await called(telegram, slow);
    await called(telegram, silent);
    const two = await start('worker');
    one.program.freeze();
    const next = [await send(api.url, endpoints[0]!, 'next'), await send(api.url, endpoints[1]!, 'next')] as const;
    return { telegram, api, one, two, manage, endpoints, held, next, slow, silent };
  };

  scene('its channels go on in another, and nothing is sent twice when it wakes up', async (stage) => {
    const { telegram, api, one, two, manage, endpoints, held, next, slow, silent } = await frozen(stage);
    const [heldSlow, heldSilent] = held;
    await onWall(telegram, slow, 'next');
    await onWall(telegram, silent, 'next');
    expect(await stateOf(manage, heldSlow)).toBe('in_doubt');
    expect(await stateOf(manage, heldSilent)).toBe('in_doubt');

    one.program.thaw();
    // The answer that it still gets is better than a doubt; where none comes, the doubt stays.
    await until('the late answer counts', async () => (await stateOf(manage, heldSlow)) === 'published');
    const late = await Promise.all(endpoints.map((endpoint) => send(api.url, endpoint, 'afterwards')));
    await onWall(telegram, slow, 'afterwards');
    await onWall(telegram, silent, 'afterwards');
    const texts = async (chatId: string) =>
      (await telegram.control.ledger({ channel: chatId })).map(({ text }) => text);
    expect((await texts(slow)).sort()).toEqual(['afterwards', 'next', 'slow']);
    expect(await texts(silent)).toEqual(['silent', 'next', 'afterwards']);
    expect(await stateOf(manage, heldSilent)).toBe('in_doubt');
    for (const sent of [...next, ...late])
      await until(`${sent.key} is published`, async () => (await stateOf(manage, sent)) === 'published');

    // It is a worker like any other again.
    await two.program.kill();
    const last = await send(api.url, endpoints[0]!, 'last');
    await until('the woken worker publishes', async () => (await stateOf(manage, last)) === 'published');
  });
});

const FREEZES = LONG ? 15 : 1;
scene(
  `workers that stand still at ${FREEZES} random moments lose nothing and send nothing twice (seed ${random.seed})`,
  async (stage) => {
    const { telegram, start, database } = await crew(stage, { LEASE_SECONDS: '1' });
    const api = await start('api');
    const workers = [await start('worker'), await start('worker')];
    const manage = manageOf(api);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(15);
    let standing = true;
    const urls = () => [api.url];
    const load = startLoad({ endpoints, random, urls, posts: () => standing, longestPauseMs: 250 });
    for (let n = 0; n < FREEZES; n++) {
      const { program } = workers[random.below(2)]!;
      await load.during(sleep(500 + random.below(500)));
      program.freeze();
      await load.during(sleep(1_200 + random.below(1_500))); // longer than a lease
      program.thaw();
    }
    standing = false;
    await load.done;
    let doubts = 0;
    const doubted = async () => {
      const sql = `select stream from event_store.event where type = 'PublicationInDoubt'`;
      const found = (await query(database.DATABASE_URL, sql)) as { stream: string }[];
      doubts = found.length;
      return new Set(found.map(({ stream }) => stream.replace(/^publication-/, '')));
    };
    await expectNothingLost(manage, telegram, load.sent, channels, { doubted });
    expect(doubts).toBeLessThanOrEqual(FREEZES * channels.length);
  },
  LONG ? 600_000 : undefined,
);

scene(`a worker that is killed is replaced at once, not after LEASE_SECONDS (seed ${random.seed})`, async (stage) => {
  const { telegram, start } = await crew(stage, { LEASE_SECONDS: '3600' });
  const api = await start('api');
  const workers = [await start('worker'), await start('worker')];
  const manage = manageOf(api);
  const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
  await telegram.control.setDelay(10);
  const load = startLoad({ endpoints, random, urls: () => [api.url], posts: 80 });
  await load.during(until('half of it is sent', () => load.sent.length >= 40));
  await workers[0]!.program.kill();
  await load.done;
  // With leases of an hour, only a takeover at once gets this far.
  const { inDoubt } = await expectNothingLost(manage, telegram, load.sent, channels);
  expect(inDoubt).toBeLessThanOrEqual(channels.length);
});

scene(
  `a rolling restart under load loses nothing and leaves nothing in doubt (seed ${random.seed})`,
  async (stage) => {
    const { telegram, start } = await crew(stage, { LEASE_SECONDS: '3600' });
    const ports = [String(await freePort()), String(await freePort())];
    const running = [
      { ROLES: 'api', PORT: ports[0]! },
      { ROLES: 'api', PORT: ports[1]! },
      { ROLES: 'worker', PORT: '0' },
      { ROLES: 'worker', PORT: '0' },
    ];
    const gateways = await Promise.all(running.map(({ ROLES, ...own }) => start(ROLES, own)));
    const urls = gateways.slice(0, 2).map(({ url }) => url);
    const manage = new Manage(() => urls[0]!);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(20);
    let restarting = true;
    const load = startLoad({ endpoints, random, urls: () => urls, posts: () => restarting, longestPauseMs: 600 });
    for (let round = 0; round < (LONG ? 8 : 1); round++) {
      for (const [i, { ROLES, ...own }] of running.entries()) {
        expect(await load.during(gateways[i]!.program.terminate())).toEqual({ code: 0, signal: null });
        gateways[i] = await start(ROLES, own);
      }
    }
    restarting = false;
    await load.done;
    const { inDoubt } = await expectNothingLost(manage, telegram, load.sent, channels);
    expect(inDoubt).toBe(0);
  },
  LONG ? 600_000 : undefined,
);
