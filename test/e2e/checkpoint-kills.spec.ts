import { setTimeout as sleep } from 'node:timers/promises';
import { leafHash, openNote, rootOf, splitBundle } from '../history/offline-verifier.js';
import { freePort } from '../support/free-port.js';
import { expectNothingLost } from './audit.js';
import { e2eTest } from './e2e-harness.js';
import { startLoad } from './load.js';
import { ManagementClient, OPERATOR_KEY } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const KILLS = LONG ? 100 : 3;
/** Under load the log signs several checkpoints in this time, in ms. */
const LONGEST_DELAY_MS = 1_000;
const BUNDLE = 256;

/** Reads bytes of the transparency log. @throws Error without an answer */
const readLog = async (url: string, path: string): Promise<Buffer> => {
  const answer = await fetch(`${url}/manage/v1/history/log/${path}`, {
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
};

/** Keeps reading checkpoints without a pause, as a witness would, even while the gateway is down. */
const watchCheckpoints = (url: string) => {
  const seen: string[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const checkpoint = await readLog(url, 'checkpoint').then(String, () => null);
      if (checkpoint === null) await sleep(5);
      else if (checkpoint !== seen.at(-1)) seen.push(checkpoint);
    }
  })();
  return {
    seen,
    stop: async () => {
      isOver = true;
      await watching;
    },
  };
};

const readLeaves = async (url: string, size: number): Promise<Buffer[]> => {
  const leaves: Buffer[] = [];
  for (let n = 0; n * BUNDLE < size; n++) {
    const width = Math.min(BUNDLE, size - n * BUNDLE);
    const name = `${n >= 1_000 ? `x${String(Math.floor(n / 1_000)).padStart(3, '0')}/` : ''}${String(n % 1_000).padStart(3, '0')}`;
    const bundle = await readLog(url, `tile/entries/${name}${width < BUNDLE ? `.p/${width}` : ''}`);
    leaves.push(...splitBundle(bundle).map(leafHash));
  }
  return leaves;
};

describe('the transparency log', () => {
  const random = new Random();
  e2eTest(
    `never takes back a checkpoint, though gateway and database are killed ${KILLS} times (seed ${random.seed})`,
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
      const { vkey } = JSON.parse(String(await readLog(url, 'key'))) as { vkey: string };
      const sizeOf = (checkpoint: string | undefined): number => (checkpoint ? openNote(checkpoint, vkey).size : 0);
      let isOver = false;
      const load = startLoad({ endpoints, random, urls: () => [url], posts: () => !isOver, longestPauseMs: 50 });
      const { seen, stop } = watchCheckpoints(url);

      for (let kill = 0; kill < KILLS; kill++) {
        const before = sizeOf(seen.at(-1));
        await until('the log grows', () => sizeOf(seen.at(-1)) > before);
        await sleep(random.below(LONGEST_DELAY_MS)); // the moment of the kill
        await gateway.program.killAll();
        gateway = await harness.startGateway(settings);
      }
      isOver = true;
      await load.done;
      await expectNothingLost(manage, telegram, load.sent, channels);
      await stop();

      const checkpoints = seen.map((checkpoint) => openNote(checkpoint, vkey));
      const sizes = checkpoints.map(({ size }) => size);
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
      const leaves = await readLeaves(url, sizes.at(-1)!);
      expect(leaves).toHaveLength(sizes.at(-1)!);
      for (const { size, root } of checkpoints)
        expect({ size, root: root.toString('hex') }).toEqual({
          size,
          root: rootOf(leaves.slice(0, size)).toString('hex'),
        });
    },
    LONG ? 3_600_000 : undefined,
  );
});
