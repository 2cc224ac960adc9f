import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { expectNothingLost } from './audit.js';
import { createManagementClient, type E2eHarness, e2eTest, type Network } from './e2e-harness.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const [WORKERS, APIS, POSTS] = LONG ? [10, 4, 2_400] : [4, 2, 160];
const CHANNELS = 20;
/** Minimum number of connections that a process works with. */
const DATABASE_POOL = 6;
const MAX_CONNECTIONS = 100;
const random = new Random();

/** Each endpoint posts to three channels, and shares each of them with others. */
const ENDPOINTS = Array.from({ length: CHANNELS }, (_, i) => [i, (i + 1) % CHANNELS, (i + 7) % CHANNELS]);

/** Starts a PostgreSQL with its usual connection limit instead of the embedded server's. */
const startServer = async (harness: E2eHarness): Promise<string> => {
  const server = await startEmbeddedPostgres({
    dataDir: await harness.createDataDir(),
    logger: createLogger({ logLevel: 'error' }),
    settings: { max_connections: String(MAX_CONNECTIONS), fsync: 'off', io_method: 'sync' },
  });
  harness.addCleanup(() => server.stop());
  return server.connectionString;
};

/** Watches the gateway's connections. Returns a function that stops this and returns the largest number seen. */
const watchConnections = async (connectionString: string): Promise<() => Promise<number>> => {
  const client = new Client({ connectionString });
  client.on('error', () => undefined); // a failed test stops the server first
  await client.connect();
  const stopping = new AbortController();
  let most = 0;
  const watch = async (): Promise<void> => {
    for (; !stopping.signal.aborted; await sleep(50)) {
      const text = `select count(*)::int as open from pg_stat_activity where datname = current_database() and (application_name like 'crosspost%' or application_name = 'migrations')`;
      const { rows } = await client.query<{ open: number }>(text);
      most = Math.max(most, rows[0]!.open);
    }
    await client.end();
  };
  const watching = watch();
  return async () => {
    stopping.abort();
    await watching;
    return most;
  };
};

const countPublished = async ({ control }: Network): Promise<number> => (await control.readLedger({})).length;

/**
 * Starts workers for a number of waiting publications. Returns the publications per second from the moment when all of
 * these workers are ready, because on few processors their start takes longer than much of the work. Also returns the
 * workers.
 */
const measureRate = async <T>(telegram: Network, waiting: number, start: () => Promise<T>) => {
  const end = (await countPublished(telegram)) + waiting;
  const workers = await start();
  const [left, readyAt] = [end - (await countPublished(telegram)), performance.now()];
  await until('all are published', async () => (await countPublished(telegram)) === end);
  return { workers, rate: (1_000 * left) / (performance.now() - readyAt), left };
};

e2eTest(
  `${WORKERS} workers and ${APIS} API processes with ${DATABASE_POOL} connections each publish every post once and in order (seed ${random.seed})`,
  async (harness) => {
    const telegram = await harness.startTelegram();
    const DATABASE_URL = await startServer(harness);
    const stopWatching = await watchConnections(DATABASE_URL);
    const shared = {
      DATABASE_URL,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_POOL: String(DATABASE_POOL),
      TELEGRAM_API_URL: telegram.url,
      LEASE_SECONDS: '3600',
    };
    const start = async (ROLES: string) =>
      harness.startGateway({ ...shared, DATA_DIR: await harness.createFolder(), ROLES });
    const startMany = (ROLES: string, count: number) => Promise.all(Array.from({ length: count }, () => start(ROLES)));

    const [single, ...apis] = await Promise.all([start('worker'), ...Array.from({ length: APIS }, () => start('api'))]);
    const manage = createManagementClient(apis[0]!);
    const { channels, endpoints } = await manage.seed(CHANNELS, ENDPOINTS);
    let request = 0;
    const urls = (): string[] => {
      const first = request++ % APIS; // each request goes to the next API process
      return [...apis.slice(first), ...apis.slice(0, first)].map(({ url }) => url);
    };
    const load = (prefix: string, posts: number) => startLoad({ endpoints, random, urls, posts, prefix });
    const sent = [];

    if (LONG) {
      // The same number of waiting posts for one worker and for all of them.
      await single.program.terminate();
      const measured: string[] = [];
      const rates: number[] = [];
      for (const count of [1, WORKERS]) {
        const waiting = load(`for ${count}: `, POSTS / 2);
        await waiting.done;
        sent.push(...waiting.sent);
        const start = () => startMany('worker', count);
        const { workers, rate, left } = await measureRate(telegram, waiting.sent.length * 3, start);
        rates.push(rate);
        measured.push(`${rate.toFixed(0)} publications a second over the last ${left}`);
        await Promise.all(workers.map(({ program }) => program.terminate()));
      }
      const ratio = rates[1]! / rates[0]!;
      process.stdout.write(
        `${WORKERS} workers publish ${ratio.toFixed(2)} times as fast as one (${measured.join('; ')})\n`,
      );
    }
    await startMany('worker', LONG ? WORKERS : WORKERS - 1);
    const running = load('', POSTS);
    await running.done;
    sent.push(...running.sent);
    const { published, inDoubt } = await expectNothingLost(manage, telegram, sent, channels);
    expect({ published, inDoubt }).toEqual({ published: sent.length * 3, inDoubt: 0 });
    const most = await stopWatching();
    expect(most).toBeLessThanOrEqual((WORKERS + APIS) * DATABASE_POOL);
    expect(most).toBeGreaterThan(WORKERS + APIS);
  },
  LONG ? 1_200_000 : undefined,
);
