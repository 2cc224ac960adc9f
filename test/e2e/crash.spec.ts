// More than 20 s: gateway and PostgreSQL are killed three times in a row, and start again while posts wait for them.
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, postmasterPid } from '../postgres/spawn-embedded.js';
import { freePort } from '../support/free-port.js';
import { sampleOf } from '../support/sample.js';
import { runCrashScenario } from './crash-scenario.js';
import { e2eTest } from './e2e-harness.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const TIMEOUT_MS = LONG ? 3_600_000 : undefined;
/** Time limit of a call to the event store, in ms. */
const CALL_LIMIT_MS = 10_000;

/**
 * Normal runs kill one of the four parts that can be killed alone. Long runs, and runs on a real event store, kill all.
 */
const choice = new Random();
const PARTS = ['gateway', 'PostgreSQL', 'event store', 'frozen event store'] as const;
const chosen = new Set(process.env.EVENT_STORE_COMMAND ? PARTS : sampleOf(PARTS, 0.25, choice));
const describeIf = (part: (typeof PARTS)[number], title: string, tests: () => void): void => {
  if (chosen.has(part)) describe(`${title} (choice by seed ${choice.seed})`, tests);
};

describe('a crash loses nothing, sends nothing twice and keeps the order (L1, L2, L3, L5)', () => {
  const [kills, posts] = LONG ? [50, 2_000] : [3, 120];
  const random = new Random();
  const title = `gateway and embedded PostgreSQL killed at ${kills} random moments over ${posts} posts`;
  e2eTest(
    `${title} (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const port = await freePort();
      const settings = {
        DATA_DIR: await harness.createDataDir(),
        PORT: String(port),
        TELEGRAM_API_URL: telegram.url,
      };
      let gateway = await harness.startGateway(settings);
      const { url } = gateway;
      const kill = async (): Promise<void> => {
        await gateway.program.killAll();
        gateway = await harness.startGateway(settings);
      };
      await runCrashScenario({ telegram, random, url, posts, kills, kill });
    },
    TIMEOUT_MS,
  );
});

describeIf('gateway', 'a gateway that is killed while its database keeps running', () => {
  const [kills, posts] = LONG ? [50, 1_000] : [2, 80];
  const random = new Random();
  e2eTest(
    `loses nothing, over ${kills} kills and ${posts} posts (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const settings = {
        ...(await harness.createDatabase()),
        DATA_DIR: await harness.createFolder(),
        PORT: String(await freePort()),
        TELEGRAM_API_URL: telegram.url,
      };
      let gateway = await harness.startGateway(settings);
      const { url } = gateway;
      const kill = async (): Promise<void> => {
        await gateway.program.kill();
        gateway = await harness.startGateway(settings);
      };
      await runCrashScenario({ telegram, random, url, posts, kills, kill });
    },
    TIMEOUT_MS,
  );
});

describeIf('PostgreSQL', 'a PostgreSQL that is killed while its gateway keeps running', () => {
  const [kills, posts] = LONG ? [30, 1_000] : [2, 80];
  const random = new Random();
  e2eTest(
    `loses nothing, over ${kills} kills and ${posts} posts (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const dataDir = await harness.createDataDir();
      const { url } = await harness.startGateway({ DATA_DIR: dataDir, TELEGRAM_API_URL: telegram.url });
      const kill = async (): Promise<void> => {
        const killedPid = postmasterPid(dataDir);
        process.kill(killedPid, 'SIGKILL');
        await until('another server has taken over', () => {
          const pid = postmasterPid(dataDir);
          return pid !== killedPid && isAlive(pid);
        });
        await until('the gateway is ready again', async () => (await fetch(`${url}/readyz`)).ok);
      };
      await runCrashScenario({ telegram, random, url, posts, kills, kill });
    },
    TIMEOUT_MS,
  );
});

describeIf('event store', 'an event store that is killed while its gateway keeps running', () => {
  const [kills, posts] = LONG ? [50, 2_000] : [2, 80];
  const random = new Random();
  e2eTest(
    `loses nothing, over ${kills} kills and ${posts} posts (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const server = await harness.startEventStore();
      const { url } = await harness.startGateway({
        ...(await harness.createDatabase()),
        DATA_DIR: await harness.createFolder(),
        EVENT_STORE_URL: server.connectionString,
        TELEGRAM_API_URL: telegram.url,
      });
      const kill = async (): Promise<void> => {
        await server.restart();
        await until('the gateway is ready again', async () => (await fetch(`${url}/readyz`)).ok);
      };
      await runCrashScenario({ telegram, random, url, posts, kills, kill });
    },
    TIMEOUT_MS,
  );
});

describeIf('frozen event store', 'an event store that is frozen for longer than the time limit of a call', () => {
  const [freezes, posts] = LONG ? [10, 600] : [1, 40];
  const random = new Random();
  e2eTest(
    `loses nothing, over ${freezes} freezes and ${posts} posts (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const server = await harness.startEventStore();
      const { url } = await harness.startGateway({
        ...(await harness.createDatabase()),
        DATA_DIR: await harness.createFolder(),
        EVENT_STORE_URL: server.connectionString,
        TELEGRAM_API_URL: telegram.url,
      });
      const kill = async (): Promise<void> => {
        server.freeze();
        await sleep(CALL_LIMIT_MS + random.below(5_000));
        server.thaw();
        await until('the gateway is ready again', async () => (await fetch(`${url}/readyz`)).ok);
      };
      await runCrashScenario({ telegram, random, url, posts, kills: freezes, kill });
    },
    TIMEOUT_MS,
  );
});
