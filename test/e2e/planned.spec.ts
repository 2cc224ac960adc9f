// More than 20 s: planned posts wait for their time while everything is killed, frozen or cut off.
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { expectRebuiltEqualsLive } from './audit.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { startSharedServers } from './gateway-processes.js';
import { ManagementClient } from './management-client.js';
import { runPlannedScenario } from './planned-scenario.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const CHANNELS = [[0, 1]];
const TIMEOUT_MS = LONG ? 1_200_000 : undefined;
const random = new Random();

const KILLS = LONG ? 12 : 2;
const KILLED_POSTS = LONG ? 1_000 : 120;
e2eTest(
  `${KILLED_POSTS} planned posts survive ${KILLS} kills of gateway and database while clients change them (seed ${random.seed})`,
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
    const { endpoints } = await manage.seed(2, CHANNELS);
    const disturb = async (remainingMs: () => number): Promise<void> => {
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(random.below(Math.max(1, remainingMs() / (KILLS - kill))));
        await gateway.program.killAll();
        gateway = await harness.startGateway(settings);
      }
    };
    const scenario = { telegram, manage, endpoint: endpoints[0]!, random, posts: KILLED_POSTS, everyMs: 60 };
    const inDoubt = await runPlannedScenario({ ...scenario, url: () => url, disturb });
    expect(inDoubt).toBeLessThanOrEqual(KILLS * 2);
    await expectRebuiltEqualsLive(manage, ['planned-posts', 'publish-schedule', 'posts']);
  },
  TIMEOUT_MS,
);

const POSTS = LONG ? 600 : 60;
e2eTest(
  `${POSTS} planned posts survive an outage of the database over their due times (seed ${random.seed})`,
  async (harness) => {
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
    const manage = createManagementClient(gateway);
    const { endpoints } = await manage.seed(2, CHANNELS);
    const disturb = async (remainingMs: () => number): Promise<void> => {
      await sleep(remainingMs() / 4);
      await proxy.refuse();
      await sleep(remainingMs() / 2);
      await proxy.accept();
    };
    const scenario = { telegram, manage, endpoint: endpoints[0]!, random, posts: POSTS, everyMs: 100 };
    expect(await runPlannedScenario({ ...scenario, url: () => gateway.url, disturb })).toBe(0);
  },
  TIMEOUT_MS,
);

const FREEZES = LONG ? 10 : 2;
e2eTest(
  `${POSTS} planned posts of two workers, one of which is frozen ${FREEZES} times (seed ${random.seed})`,
  async (harness) => {
    // A worker that the machine holds up for as long loses its leases too, and leaves more posts in doubt.
    const { telegram, start } = await startSharedServers(harness, { LEASE_SECONDS: '10' });
    const [api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')]);
    const manage = createManagementClient(api);
    const { endpoints } = await manage.seed(2, CHANNELS);
    const disturb = async (): Promise<void> => {
      for (let freeze = 0; freeze < FREEZES; freeze++) {
        const { program } = workers[freeze % 2]!;
        program.freeze();
        await sleep(10_200 + random.below(1_500)); // longer than a lease
        program.thaw();
        await sleep(random.below(500));
      }
    };
    const scenario = { telegram, manage, endpoint: endpoints[0]!, random, posts: POSTS, everyMs: 400 };
    const inDoubt = await runPlannedScenario({ ...scenario, url: () => api.url, disturb });
    expect(inDoubt).toBeLessThanOrEqual(FREEZES * 2);
  },
  TIMEOUT_MS,
);

e2eTest(
  `planned-posts and publish-schedule are rebuilt equal while posts are released and changed (seed ${random.seed})`,
  async (harness) => {
    const telegram = await harness.startTelegram();
    const gateway = await harness.startGateway({
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
    });
    const manage = createManagementClient(gateway);
    const { endpoints } = await manage.seed(2, CHANNELS);
    let rebuilt = 0;
    const disturb = async (remainingMs: () => number): Promise<void> => {
      while (remainingMs() > 0)
        for (const name of ['planned-posts', 'publish-schedule']) {
          const { id } = await manage.post<{ id: string }>(`/projections/${name}/rebuild`);
          const job = await until(`the rebuild of ${name} has ended`, async () => {
            const found = await manage.get<{ state: string; result: object }>(`/jobs/${id}`);
            return found.state !== 'running' && found;
          });
          expect(job).toMatchObject({ state: 'done', result: { promoted: true, missing: 0, extra: 0, different: 0 } });
          rebuilt += 1;
        }
    };
    const scenario = { telegram, manage, endpoint: endpoints[0]!, random, posts: POSTS, everyMs: 100 };
    await runPlannedScenario({ ...scenario, url: () => gateway.url, disturb });
    expect(rebuilt).toBeGreaterThan(0);
    await expectRebuiltEqualsLive(manage, ['planned-posts', 'publish-schedule']);
  },
  TIMEOUT_MS,
);
