// More than 20 s: gateway and database are killed three times in a row during rebuilds.
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.js';
import { sampleOf } from '../support/sample.js';
import { expectNothingLost, expectRebuiltEqualsLive, PROJECTIONS } from './audit.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { startLoad } from './load.js';
import { ManagementClient } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const KILLS = LONG ? 50 : 3;
/**
 * Longest time before a kill, in ms. A rebuild takes less, so kills hit its beginning, its exchange and what follows.
 */
const LONGEST_DELAY_MS = 500;

interface Job {
  readonly id: string;
  readonly state: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

describe('a rebuild of a projection', () => {
  const random = new Random();
  e2eTest(
    `ends level, equal and live, though gateway and database are killed ${KILLS} times (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const settings = {
        DATA_DIR: await harness.createDataDir(),
        PORT: String(await freePort()),
        TELEGRAM_API_URL: telegram.url,
      };
      let gateway = await harness.startGateway(settings);
      const { url } = gateway;
      const manage = new ManagementClient(() => url);
      const { channels, endpoints } = await manage.seed(2, [[0, 1]]);
      let isOver = false;
      const load = startLoad({ endpoints, random, urls: () => [url], posts: () => !isOver, longestPauseMs: 200 });
      await until('some posts are accepted', () => load.sent.length > 10);

      const first = random.below(PROJECTIONS.length);
      for (let kill = 0; kill < KILLS; kill++) {
        const name = PROJECTIONS[(first + kill) % PROJECTIONS.length]!;
        const before = await manage.get<{ version: number }>(`/projections/${name}`);
        const job = await manage.post<Job>(`/projections/${name}/rebuild`);
        await sleep(random.below(LONGEST_DELAY_MS));
        await gateway.program.killAll();
        gateway = await harness.startGateway(settings);
        const ended = await until(`the rebuild of ${name} has ended`, async () => {
          const found = await manage.get<Job>(`/jobs/${job.id}`);
          return found.state !== 'running' && found;
        });
        expect(ended).toMatchObject({ state: 'done', result: { promoted: true } });
        expect(ended.result).toMatchObject({ missing: 0, extra: 0, different: 0 });
        expect(await manage.get(`/projections/${name}`)).toMatchObject({
          version: ended.result!.version,
          previous: before.version,
          candidate: null,
          state: 'live',
          error: null,
        });
        const { items } = await until('the promotion is in the trail, once', async () => {
          const path = `/history/events?aggregate=projection&id=${name}&type=ProjectionPromoted`;
          const found = await manage.get<{ items: { data: { jobId: string } }[] }>(path);
          return found.items[0]?.data.jobId === job.id && found;
        });
        expect(items.filter(({ data }) => data.jobId === job.id)).toHaveLength(1);
      }
      isOver = true;
      await load.done;
      await expectNothingLost(manage, telegram, load.sent, channels);
    },
    LONG ? 3_600_000 : undefined,
  );
});

/** Number of channels under load, each with its own endpoint, to which two clients post. */
const LOADED_CHANNELS = 10;
const [POSTS_PER_SECOND, LOAD_MS] = LONG ? [200, 60_000] : [50, 2_000];

describe('a rebuild under load', () => {
  const random = new Random();
  const projections = sampleOf(PROJECTIONS, 1 / 3, random);
  e2eTest(
    `of ${projections.join(', ')} is level, equal and live at ${POSTS_PER_SECOND} posts a second, and nothing is lost (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const gateway = await harness.startGateway({
        ...(await harness.createDatabase()),
        DATA_DIR: await harness.createFolder(),
        TELEGRAM_API_URL: telegram.url,
      });
      const { url } = gateway;
      const manage = createManagementClient(gateway);
      const numbers = Array.from({ length: LOADED_CHANNELS }, (_, n) => [n]);
      const { channels, endpoints } = await manage.seed(LOADED_CHANNELS, numbers);
      let isOver = false;
      const startedAt = performance.now();
      const load = startLoad({
        endpoints,
        random,
        urls: () => [url],
        posts: () => !isOver,
        postsPerSecond: POSTS_PER_SECOND,
      });
      for (let round = 0; round === 0 || performance.now() - startedAt < LOAD_MS; round++)
        for (const name of projections) {
          const { id } = await load.during(manage.post<Job>(`/projections/${name}/rebuild`));
          const rebuilt = until(`the rebuild of ${name} has ended`, async () => {
            const job = await manage.get<Job>(`/jobs/${id}`);
            return job.state !== 'running' && job;
          });
          expect({ name, round, ...(await load.during(rebuilt)) }).toMatchObject({
            name,
            round,
            state: 'done',
            result: { promoted: true, missing: 0, extra: 0, different: 0 },
          });
        }
      isOver = true;
      const rate = load.sent.length / ((performance.now() - startedAt) / 1_000);
      if (LONG) process.stderr.write(`${load.sent.length} posts were accepted, ${Math.round(rate)} a second\n`);
      await load.done;
      const { published } = await expectNothingLost(manage, telegram, load.sent, channels);
      expect(published).toBe(load.sent.length);
      await expectRebuiltEqualsLive(manage);
    },
    LONG ? 900_000 : undefined,
  );
});
