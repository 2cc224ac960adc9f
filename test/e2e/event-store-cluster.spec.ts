import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreCluster, hasEventStoreCluster, type StoreUser } from '../support/event-store-cluster.js';
import { expectNothingLost } from './audit.js';
import { runCrashScenario } from './crash-scenario.js';
import { createManagementClient, type E2eHarness, shareHarness } from './e2e-harness.js';
import { sendPost } from './gateway-processes.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const [KILLS, POSTS, FREEZE_MS] = LONG ? [10, 1_000, 25_000] : [2, 120, 5_000];
const TIMEOUT_MS = 900_000;
/** Several times the keep-alive's interval and time limit, 20 s together. */
const FROZEN_LIMIT_MS = 60_000;

/** The gateway's user, with the rights that docs/deployment.md lists. */
const CROSSPOST: StoreUser = { name: 'crosspost', password: 'post-2_the.cluster~' };
/** A user who may not read `$all`. */
const STRANGER: StoreUser = { name: 'stranger', password: 'reads-nothing' };

interface Context {
  readonly harness: E2eHarness;
  readonly cluster: EventStoreCluster;
}

/**
 * Starts a gateway with its own database and network. Its read models also contain what earlier gateways have stored.
 */
const startGateway = async ({ harness }: Context, EVENT_STORE_URL: string) => {
  const telegram = await harness.startTelegram();
  const gateway = await harness.startGateway({
    ...(await harness.createDatabase()),
    DATA_DIR: await harness.createFolder(),
    TELEGRAM_API_URL: telegram.url,
    EVENT_STORE_URL,
  });
  return { telegram, gateway };
};

/**
 * Only real servers run as a cluster with TLS. Without EVENT_STORE_NODE_COMMAND (docs/testing.md), skips these tests.
 */
const describeCluster = hasEventStoreCluster ? describe : describe.skip;

describeCluster('a cluster of three with TLS', () => {
  const random = new Random();
  const test = shareHarness<Context>(async (harness) => {
    const cluster = await EventStoreCluster.start();
    harness.addCleanup(() => cluster.stop());
    await cluster.createUser(CROSSPOST);
    await cluster.createUser(STRANGER);
    await cluster.allowToReadAll([CROSSPOST]);
    return { harness, cluster };
  });

  test('refuses a user without rights, or with another password, in a sentence', async (context) => {
    const { cluster } = context;
    for (const user of [STRANGER, { ...CROSSPOST, password: 'another' }]) {
      const failure = await startGateway(context, cluster.connectionString(user)).then(
        () => 'none: it started',
        (error: Error) => error.message,
      );
      expect(failure).toMatch(/the event store refuses the user of EVENT_STORE_URL\. Correct its name and password/);
      expect(failure).not.toContain(user.password);
    }
  });

  test('is found by esdb:// and by a DNS name, and a post is published through either', async (context) => {
    const { cluster } = context;
    for (const url of [cluster.connectionString(CROSSPOST, 'esdb'), cluster.discoveryString(CROSSPOST)]) {
      const { gateway, telegram } = await startGateway(context, url);
      const manage = createManagementClient(gateway);
      const { endpoints, channels } = await manage.seed(1, [[0]]);
      const sent = [await sendPost(gateway.url, endpoints[0]!, `through ${url.split(':')[0]}`)];
      await expectNothingLost(manage, telegram, sent, channels);
      await gateway.program.killAll();
    }
  });

  test(
    `loses nothing, over ${KILLS} kills of its leader and a frozen follower, and ${POSTS} posts (seed ${random.seed})`,
    async (context) => {
      const { cluster } = context;
      const { gateway, telegram } = await startGateway(context, cluster.connectionString(CROSSPOST));
      const { url } = gateway;
      const isReady = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
      const killLeader = async (): Promise<void> => {
        const leader = await until('there is a leader', () => cluster.findLeader());
        await leader.kill();
        await sleep(random.below(1_000));
        leader.launch();
        await cluster.waitUntilComplete();
        await until('the gateway is ready again', isReady);
      };
      const freezeFollower = async (): Promise<void> => {
        const follower = await until('there is a follower', () => cluster.findFollower());
        follower.freeze();
        try {
          await sleep(FREEZE_MS);
          // Two of three are enough. A gateway that reads from this follower notices by keep-alive that it must switch to another.
          await until('the gateway is ready, although a follower is frozen', isReady, FROZEN_LIMIT_MS);
        } finally {
          follower.thaw();
        }
        await cluster.waitUntilComplete();
      };
      // The freeze is one of the moments, in the middle.
      let moment = 0;
      const kill = (): Promise<void> => (moment++ === Math.floor(KILLS / 2) ? freezeFollower() : killLeader());
      try {
        await runCrashScenario({ telegram, random, url, posts: POSTS, kills: KILLS + 1, kill, verify: true });
      } finally {
        // If it ran during a repetition, it would claim posts whose channels' secrets are in another database.
        await gateway.program.killAll();
      }
    },
    TIMEOUT_MS,
  );
});
