import { setTimeout as sleep } from 'node:timers/promises';
import { isRealEventStore } from '../support/event-store-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { RetryingClient, type SentPost } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { countSockets, readMemory, type SocketFigures } from './process-figures.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const OUTAGES = LONG ? 500 : 10;
/** Outages after which the process is warm. */
const WARM_AFTER = LONG ? 50 : 3;
/** In long runs, one outage in this many is longer than the time limit of a call. */
const LONG_OUTAGE_EVERY = 100;
const LONG_OUTAGE_MS = 12_000;
/**
 * Allowed differences in sockets: a pool of PostgreSQL connections grows with its use. Right after an outage there are
 * more, because readers that try again at different moments have separate subscriptions until they have caught up
 * with each other.
 */
const ALLOWED_SOCKETS = { all: 8, toPort: 3 };
/** Growth of memory that garbage collection may cause between the middle and the last third of a long run. */
const ALLOWED_MEMORY = 32 * 1_048_576;

/** State of the process after an outage. */
interface Figures extends SocketFigures {
  readonly memory: number;
}

/** Ways in which a connection is lost. Each returns when the server can be reached again. */
const OUTAGE_KINDS = {
  reset: async (proxy) => proxy.dropConnections(),
  swallowed: async (proxy, ms) => {
    proxy.dropResponses();
    await sleep(ms);
    proxy.restoreResponses();
  },
  refused: async (proxy, ms) => {
    await proxy.refuse();
    await sleep(ms);
    await proxy.accept();
  },
} satisfies Readonly<Record<string, (proxy: TcpProxy, ms: number) => Promise<void>>>;

const KINDS = Object.keys(OUTAGE_KINDS) as (keyof typeof OUTAGE_KINDS)[];

/** Counts the lines of a log that are about outages, and collects its other warnings and errors. */
class OutageLog {
  lost = 0;
  ended = 0;
  /** Lines that say that publishing waits; one covers all channels. */
  waits = 0;
  /** Lines that say that a request was answered with 503. */
  refused = 0;
  readonly unexpected: string[] = [];

  add(line: string): void {
    if (line.includes('"lost the connection to the event store"')) this.lost += 1;
    else if (line.includes('"the event store answers again"')) this.ended += 1;
    else if (line.includes('"publishing waits until the event store is available"')) this.waits += 1;
    else if (line.includes('"failed to answer a request: the database or event store is unavailable"'))
      this.refused += 1;
    else if (/"level":"(?:warn|error|fatal)"/.test(line)) this.unexpected.push(line);
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe('outages of the event store in fast motion', () => {
  const random = new Random();
  e2eTest(
    `leave sockets and memory as they were, each is logged once with its end, and nothing is lost: ${OUTAGES} (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const server = await harness.startEventStore();
      const proxy = await TcpProxy.start(server.connectionString);
      harness.addCleanup(() => proxy.stop());
      const gateway = await harness.startGateway({
        ...(await harness.createDatabase()),
        DATA_DIR: await harness.createFolder(),
        EVENT_STORE_URL: proxy.through(server.connectionString),
        TELEGRAM_API_URL: telegram.url,
      });
      const log = new OutageLog();
      gateway.program.onLogLine((line) => log.add(line));
      const manage = createManagementClient(gateway);
      const { endpoints, channels } = await manage.seed(2, [[0], [0, 1]]);
      const clients = endpoints.map((endpoint, i) => ({
        endpoint,
        client: new RetryingClient(`client ${i}`, () => [gateway.url]),
      }));
      const sent: SentPost[] = [];
      /** Sends a post with each client, at the same time. */
      const sendPosts = async (outage: number): Promise<void> => {
        const send = async ({ endpoint, client }: (typeof clients)[number]): Promise<void> =>
          void sent.push(await client.send(endpoint, `${client.name}, outage ${outage}, ${sent.length}`));
        await Promise.all(clients.map(send));
      };
      await sendPosts(0);

      const figures: Figures[] = [];
      for (let outage = 1; outage <= OUTAGES; outage++) {
        const isLong = LONG && outage % LONG_OUTAGE_EVERY === 0;
        const kind = isLong ? 'swallowed' : KINDS[random.below(KINDS.length)]!;
        const posting = random.below(2) === 0 ? sendPosts(outage) : Promise.resolve();
        await OUTAGE_KINDS[kind](proxy, isLong ? LONG_OUTAGE_MS : random.below(300));
        await posting;
        await until(`outage ${outage} is over`, () => log.lost >= outage && log.ended >= outage);
        await sendPosts(outage);
        expect({ outage, kind, lost: log.lost, ended: log.ended }).toEqual({
          outage,
          kind,
          lost: outage,
          ended: outage,
        });
        const { pid } = gateway.program;
        figures.push({ ...countSockets(pid, proxy.port), memory: readMemory(pid) });
      }

      await expectNothingLost(manage, telegram, sent, channels);
      await expectReplays(gateway.url, sent);
      expect(log).toMatchObject({ lost: OUTAGES, ended: OUTAGES });
      expect(log.unexpected).toEqual([]);
      expect(log.waits).toBeLessThanOrEqual(OUTAGES);
      expect(log.refused).toBeLessThanOrEqual(OUTAGES);
      if (LONG) report(figures);
      const before = figures[WARM_AFTER - 1]!;
      const { pid } = gateway.program;
      await until('the sockets are those of the first outages', () => {
        const { all, toPort } = countSockets(pid, proxy.port);
        return all <= before.all + ALLOWED_SOCKETS.all && toPort <= before.toPort + ALLOWED_SOCKETS.toPort;
      });
      if (LONG) expectFlat(figures.slice(WARM_AFTER - 1));
    },
    LONG ? 3_600_000 : undefined,
  );
});

/** Prints the course of a long run. */
const report = (figures: readonly Figures[]): void => {
  const line = ({ all, toPort, memory }: Figures, n: number): string =>
    `after outage ${n + 1}: ${all} sockets, ${toPort} to the event store, ${Math.round(memory / 1_048_576)} MB`;
  const lines = figures.map(line).filter((_, n) => (n + 1) % WARM_AFTER === 0);
  const server = isRealEventStore ? 'a real server' : 'the stand-in';
  process.stderr.write(`${[`${OUTAGES} outages of ${server}`, ...lines].join('\n')}\n`);
};

/** Checks that the last third of a long run is like the second. In the first, the process still grows. */
const expectFlat = (figures: readonly Figures[]): void => {
  const third = Math.floor(figures.length / 3);
  const medianOf = (key: keyof Figures, part: readonly Figures[]): number => median(part.map((each) => each[key]));
  const [middle, last] = [figures.slice(third, 2 * third), figures.slice(-third)];
  expect(medianOf('all', last)).toBeLessThanOrEqual(medianOf('all', middle) + ALLOWED_SOCKETS.all);
  expect(medianOf('toPort', last)).toBeLessThanOrEqual(medianOf('toPort', middle) + ALLOWED_SOCKETS.toPort);
  expect(medianOf('memory', last)).toBeLessThanOrEqual(medianOf('memory', middle) + ALLOWED_MEMORY);
};
