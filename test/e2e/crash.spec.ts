import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, postmasterPid } from '../postgres/spawn-embedded.js';
import { freePort } from '../support/gateway.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { startLoad } from './load.js';
import { Manage } from './manage.js';
import { Random } from './random.js';
import { type Network, scene, type Stage } from './e2e-harness.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const TIMEOUT_MS = LONG ? 3_600_000 : 240_000;
const CHANNELS = 5;
/** Which channels each endpoint posts to: some stand alone, some are shared. */
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];
/** A network that takes its time, so that a blow meets calls under way. */
const NETWORK_DELAY_MS = 50;

interface Ordeal {
  readonly stage: Stage;
  readonly telegram: Network;
  readonly random: Random;
  readonly url: string;
  readonly posts: number;
  readonly blows: number;
  /** One blow; resolves when what was hit is being started again. */
  readonly strike: () => Promise<unknown>;
}

/** Posts through several endpoints, strikes at random moments from the first post to the last publication, and audits. */
const endure = async ({ telegram, random, url, posts, blows, strike }: Ordeal): Promise<void> => {
  const manage = new Manage(() => url);
  const { channels, endpoints } = await manage.seed(CHANNELS, ENDPOINTS);
  await telegram.control.setDelay(NETWORK_DELAY_MS);

  const load = startLoad({ endpoints, random, urls: () => [url], posts });
  const publications = (posts / ENDPOINTS.length) * ENDPOINTS.flat().length;
  const progress = async (): Promise<number> => {
    const { total: calls } = await telegram.control.calls({ after: Number.MAX_SAFE_INTEGER });
    return (load.sent.length + calls) / (posts + publications);
  };
  for (const moment of random.moments(blows, 0.95)) {
    await load.during(until(`${Math.round(moment * 100)} % are done`, async () => (await progress()) >= moment));
    // Half of the blows meet a call that the network has and has not answered.
    if (random.below(2) === 0) await sleep(random.below(100));
    else await until('a call is under way', () => isCalled(telegram));
    await strike();
  }
  await load.done;

  const { published, inDoubt } = await expectNothingLost(manage, telegram, load.sent, channels);
  expect(published + inDoubt).toBe(publications);
  // One call at a time and channel: a blow leaves no more than that in doubt.
  expect(inDoubt).toBeLessThanOrEqual(blows * CHANNELS);
  await expectReplays(url, load.sent);
};

const isCalled = async ({ control }: Network): Promise<boolean> => {
  const { total } = await control.calls({ after: Number.MAX_SAFE_INTEGER });
  const { items } = await control.calls({ after: total - 1 });
  return items.at(-1)?.status === null;
};

describe('a crash loses nothing, sends nothing twice and keeps the order (L1, L2, L3, L5)', () => {
  const [blows, posts] = LONG ? [50, 2_000] : [6, 240];
  const random = new Random();
  const title = `gateway and embedded PostgreSQL killed at ${blows} random moments over ${posts} posts`;
  scene(
    `${title} (seed ${random.seed})`,
    async (stage) => {
      const telegram = await stage.telegram();
      const port = await freePort();
      const settings = {
        DATA_DIR: await stage.dataDir(),
        PORT: String(port),
        TELEGRAM_API_URL: telegram.url,
      };
      let gateway = await stage.gateway(settings);
      const { url } = gateway;
      const strike = async (): Promise<void> => {
        await gateway.program.killAll();
        gateway = await stage.gateway(settings);
      };
      await endure({ stage, telegram, random, url, posts, blows, strike });
    },
    TIMEOUT_MS,
  );
});

describe('a gateway killed while its database lives on', () => {
  const [blows, posts] = LONG ? [30, 1_000] : [4, 120];
  const random = new Random();
  scene(
    `loses nothing, over ${blows} kills and ${posts} posts (seed ${random.seed})`,
    async (stage) => {
      const telegram = await stage.telegram();
      const settings = {
        ...(await stage.database()),
        DATA_DIR: await stage.folder(),
        PORT: String(await freePort()),
        TELEGRAM_API_URL: telegram.url,
      };
      let gateway = await stage.gateway(settings);
      const { url } = gateway;
      const strike = async (): Promise<void> => {
        await gateway.program.kill();
        gateway = await stage.gateway(settings);
      };
      await endure({ stage, telegram, random, url, posts, blows, strike });
    },
    TIMEOUT_MS,
  );
});

describe('a PostgreSQL killed under a gateway that lives on', () => {
  const [blows, posts] = LONG ? [30, 1_000] : [4, 120];
  const random = new Random();
  scene(
    `loses nothing, over ${blows} kills and ${posts} posts (seed ${random.seed})`,
    async (stage) => {
      const telegram = await stage.telegram();
      const dataDir = await stage.dataDir();
      const { url } = await stage.gateway({ DATA_DIR: dataDir, TELEGRAM_API_URL: telegram.url });
      const strike = async (): Promise<void> => {
        const victim = postmasterPid(dataDir);
        process.kill(victim, 'SIGKILL');
        await until('another server has taken over', () => {
          const pid = postmasterPid(dataDir);
          return pid !== victim && isAlive(pid);
        });
        await until('the gateway is ready again', async () => (await fetch(`${url}/readyz`)).ok);
      };
      await endure({ stage, telegram, random, url, posts, blows, strike });
    },
    TIMEOUT_MS,
  );
});
