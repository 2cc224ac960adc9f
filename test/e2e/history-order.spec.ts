// More than 20 s: whole exports during the load on two processes that are killed and started again, on two stores.
import { setTimeout as sleep } from 'node:timers/promises';
import { BEGINNING, type EventStore } from '../../src/event-store/port.js';
import { splitBundle } from '../history/offline-verifier.js';
import type { Gateway } from '../support/gateway-process.js';
import { KurrentServer } from '../support/kurrent-server/kurrent-server.js';
import { publish } from './client.js';
import { concurrentE2eTest, type E2eHarness } from './e2e-harness.js';
import { startLoad } from './load.js';
import { ManagementClient, OPERATOR_KEY } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
/** Number of whole exports during live traffic and kills, on each store. */
const EXPORTS = LONG ? 1_000 : 6;
/** Number of kills during the exports. */
const KILLS = LONG ? 100 : 2;
const PROCESSES = LONG ? 3 : 2;
/** Number of exports at the same time; the gateway serves two at a time. */
const EXPORTERS = 2;
/** Longest pause of the load. With many exports, the history must not grow so fast that each takes seconds. */
const LONGEST_PAUSE_MS = LONG ? 12_000 : 40;
const BUNDLE = 256;
/** Streams whose events the gateway deletes itself. */
const DELETED_LATER = /^(requestLog|translation|payload)-/;

interface Line {
  readonly id?: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly index: number;
  readonly hash: string;
  readonly last?: true;
}

const call = async ({ url }: Gateway, path: string): Promise<Buffer> => {
  const answer = await fetch(`${url}/manage/v1/history/${path}`, {
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
};

const readExport = async (gateway: Gateway): Promise<readonly Line[]> =>
  String(await call(gateway, 'export'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/**
 * Expects that an export is whole up to its last line, and that only events that the gateway deletes itself are
 * missing.
 */
const expectWhole = (lines: readonly Line[]): void => {
  expect(lines.at(-1)).toMatchObject({ last: true });
  expect(lines.findIndex(({ index }, i) => index !== i)).toBe(-1);
  expect(lines.filter(({ id, stream }) => id === undefined && !DELETED_LATER.test(stream))).toEqual([]);
  const positions = lines.filter(({ id }) => id !== undefined).map(({ position }) => BigInt(position));
  expect(positions.findIndex((position, i) => i > 0 && position <= positions[i - 1]!)).toBe(-1);
};

/** Reads the entries of the transparency log. */
const readEntries = async (gateway: Gateway, size: number): Promise<readonly string[]> => {
  const entries: string[] = [];
  for (let n = 0; n * BUNDLE < size; n++) {
    const width = Math.min(BUNDLE, size - n * BUNDLE);
    const name = `${n >= 1_000 ? `x${String(Math.floor(n / 1_000)).padStart(3, '0')}/` : ''}${String(n % 1_000).padStart(3, '0')}`;
    const bundle = await call(gateway, `log/tile/entries/${name}${width < BUNDLE ? `.p/${width}` : ''}`);
    entries.push(...splitBundle(bundle).map(String));
  }
  return entries;
};

/** Lists the places of all events in the order of the store. */
const readStore = async (store: EventStore): Promise<readonly string[]> => {
  const places: string[] = [];
  for (let after = BEGINNING; ;) {
    const page = await store.readAll({ after, limit: 500 });
    places.push(...page.map(({ stream, revision, id }) => `${stream} ${revision} ${id}`));
    if (page.length < 500) return places;
    after = page.at(-1)!.position;
  }
};

const runVerification = async (manage: ManagementClient) => {
  const { id } = await manage.post<{ id: string }>('/history/verify');
  return until('the verification has ended', async () => {
    const job = await manage.get<{ readonly state: string; readonly result: { broken: object[]; events: number } }>(
      `/jobs/${id}`,
    );
    return job.state !== 'running' && job;
  });
};

/**
 * Exports during the load on several processes, which are killed at random moments; then compares store, log, export
 * and verify.
 */
const compareOrders = async (harness: E2eHarness, more: Readonly<Record<string, string>>): Promise<void> => {
  const random = new Random();
  const telegram = await harness.startTelegram();
  const settings = {
    ...(await harness.createDatabase()),
    TELEGRAM_API_URL: telegram.url,
    LEASE_SECONDS: '5',
    ...more,
  };
  const start = async (): Promise<Gateway> =>
    harness.startGateway({ ...settings, DATA_DIR: await harness.createFolder() });
  const gateways: Gateway[] = [];
  for (let n = 0; n < PROCESSES; n++) gateways.push(await start());
  const manage = new ManagementClient(() => gateways[0]!.url);
  const { endpoints, channels } = await manage.seed(3, [[0], [0, 1], [1, 2]]);
  let isOver = false;
  const urls = (): readonly string[] => gateways.map(({ url }) => url);
  const load = startLoad({ endpoints, random, urls, posts: () => !isOver, longestPauseMs: LONGEST_PAUSE_MS });

  // Besides posts, changes channels and sends requests that are refused.
  const beRestless = async (): Promise<void> => {
    while (!isOver) {
      const { id } = channels[random.below(channels.length)]!;
      await manage.patch(`/channels/${id}`, { name: `Name ${random.below(1_000)}` }).catch(() => undefined);
      await publish(gateways[1]!.url, endpoints[0]!, { text: 7 }).catch(() => undefined);
      await sleep(random.below(LONG ? 3_000 : 100)); // the load is meant to be uneven
    }
  };
  const restless = beRestless();

  let kills = 0;
  let whole = 0;
  const kill = async (): Promise<void> => {
    while (kills < KILLS && !isOver) {
      const made = whole;
      await until('an export was made', () => whole > made || whole >= EXPORTS || isOver);
      await sleep(random.below(500)); // the moment of the kill
      const n = random.below(PROCESSES);
      await gateways[n]!.program.killAll();
      gateways[n] = await start();
      kills++;
    }
  };
  const exportInTurn = async (): Promise<void> => {
    while (whole < EXPORTS) {
      // A killed process breaks off its export, and a log whose writer was killed lags behind for a while.
      const lines = await readExport(gateways[random.below(PROCESSES)]!).catch(() => null);
      if (lines === null) {
        await sleep(20);
        continue;
      }
      expectWhole(lines);
      whole++;
    }
  };
  const killing = kill();
  try {
    await Promise.all(Array.from({ length: EXPORTERS }, exportInTurn));
    await killing;
  } finally {
    isOver = true;
    await killing;
  }
  await load.done;
  await restless;

  // At rest means that no event was written while everything was read, with all publications settled.
  const store = await harness.openEventStore(settings);
  const { lines, stored, entries } = await until('the gateway is at rest', async () => {
    const before = await store.readHead();
    const receipts = await Promise.all(channels.map(({ id }) => manage.listReceipts(id)));
    if (receipts.flat().some(({ state }) => state === 'queued' || state === 'publishing')) return false;
    await sleep(2_000); // the request log and leases write a little later
    const read = await readExport(gateways[0]!);
    const compared = {
      lines: read,
      stored: await readStore(store),
      entries: await readEntries(gateways[0]!, read.length),
    };
    return (await store.readHead()) === before && compared;
  });
  expectWhole(lines);
  const events = lines.filter(({ id }) => id !== undefined);
  const shown = events.map(({ stream, revision, id }) => `${stream} ${revision} ${id}`);
  // A store may keep events for a while that their streams no longer show.
  const removed = lines.filter(({ id }) => id === undefined).map(({ stream, revision }) => `${stream} ${revision}`);
  const isRemoved = new Set(removed);
  expect(shown).toEqual(stored.filter((place) => !isRemoved.has(place.slice(0, place.lastIndexOf(' ')))));
  expect(entries).toEqual(lines.map(({ stream, revision, hash }) => `${stream}\n${revision}\n${hash}\n`));
  const { state, result } = await runVerification(manage);
  expect({ state, broken: result.broken }).toEqual({ state: 'done', broken: [] });
};

const LIMIT_MS = LONG ? 4 * 3_600_000 : 600_000;

describe('store, transparency log, export and verification agree in order', () => {
  concurrentE2eTest('on PostgreSQL', (harness) => compareOrders(harness, {}), LIMIT_MS);

  concurrentE2eTest(
    'on KurrentDB',
    async (harness) => {
      const server = await KurrentServer.start();
      harness.addCleanup(() => server.stop());
      await compareOrders(harness, { EVENT_STORE_URL: server.connectionString });
    },
    LIMIT_MS,
  );
});
