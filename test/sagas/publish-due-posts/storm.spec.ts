import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../e2e/random.js';
import { NETWORK_NAMES, type NetworkName } from '../../platforms/wire/networks.js';
import { type GivenFault, VISIBLE } from './fault-table.js';
import type { Line } from './line.js';
import { PublishingStage } from './publishing-harness.js';

const LONG = Boolean(process.env['TEST_LONG']);
const CHANNELS_EACH = 3;
const POSTS_EACH = LONG ? 40 : 6;
const STORM_MS = LONG ? 60_000 : 2_000;
const TIMEOUT_MS = LONG ? 600_000 : 180_000;

const random = new Random();
/** Which network it strikes: by chance, each of them in the long run. */
const STRUCK = LONG ? NETWORK_NAMES : [NETWORK_NAMES[random.below(NETWORK_NAMES.length)]!];

/** What a network in trouble says; most calls get through. */
const SQUALLS: readonly (GivenFault | null)[] = [
  ...[null, null, null],
  { mode: 'answer', status: 429, headers: { 'retry-after': '1' } },
  { mode: 'answer', status: 500 },
  { mode: 'answer', status: 503 },
  { mode: 'answer', status: 502, body: '<html></html>' },
  { mode: 'accept_then_answer', status: 504, body: '' },
  { mode: 'drop_before_accepting' },
];

let stage: PublishingStage;
beforeAll(async () => void (stage = await PublishingStage.start()));
afterAll(() => stage.stop());

/** Lets a network answer with one trouble or another until the time is over. */
const storm = async (network: NetworkName): Promise<void> => {
  const { control } = stage.networks[network];
  for (const end = Date.now() + STORM_MS; Date.now() < end; await sleep(50 + random.below(100))) {
    await control.clearFaults();
    const squall = SQUALLS[random.below(SQUALLS.length)]!;
    if (squall) await control.addFault({ ...squall, method: VISIBLE[network], times: null });
  }
  await control.clearFaults();
};

/** Sends a channel's posts one after the other, at its own pace; answers the publications. */
const sendAll = async (line: Line): Promise<readonly string[]> => {
  const sent: string[] = [];
  for (let n = 1; n <= POSTS_EACH; n++) {
    sent.push(await line.send({ text: `post ${n}` }));
    await sleep(random.below(STORM_MS / POSTS_EACH));
  }
  return sent;
};

describe(`a storm on one network (seed ${random.seed})`, () => {
  it.each(STRUCK)(
    '%s: everything comes to an end, in order on every channel, and the others notice nothing',
    async (struck) => {
      const worker = await stage.work();
      const wanted = NETWORK_NAMES.flatMap((network) => Array.from({ length: CHANNELS_EACH }, () => network));
      const lines = await Promise.all(wanted.map((network) => stage.line(network)));
      const [publications] = await Promise.all([Promise.all(lines.map(sendAll)), storm(struck)]);
      for (const [i, line] of lines.entries()) {
        // Elsewhere: every post, once. Where it struck: what could not be found out may be missing, or there.
        const isStruck = line.network === struck;
        const texts = await expectOver(
          line,
          publications[i]!,
          isStruck ? ['published', 'in_doubt', 'failed'] : ['published'],
        );
        const wall = await line.texts();
        if (!isStruck) expect(wall).toEqual(texts.map(({ text }) => text));
        const surely = texts.filter(({ state }) => state === 'published').map(({ text }) => text);
        expect(wall.filter((text) => surely.includes(text))).toEqual(surely);
        expect(wall).toEqual(texts.map(({ text }) => text).filter((text) => wall.includes(text)));
      }
      await worker.stop();
    },
    TIMEOUT_MS,
  );
});

/** Waits until a channel's publications are over, one way or another of these. */
const expectOver = async (line: Line, ids: readonly string[], states: readonly string[]) => {
  const over: { readonly text: string; readonly state: string }[] = [];
  for (const [i, id] of ids.entries()) {
    over.push({ text: `post ${i + 1}`, state: (await line.inState(id, ...states)).state });
  }
  return over;
};
