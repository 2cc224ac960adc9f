import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../e2e/random.js';
import { NETWORK_NAMES, type NetworkName } from '../../platforms/wire/networks.js';
import { type CallFault, VISIBLE_CALL } from './fault-table.js';
import { PublishingHarness } from './publishing-harness.js';
import type { TestChannel } from './test-channel.js';

const LONG = Boolean(process.env['TEST_LONG']);
const CHANNELS_EACH = 3;
const POSTS_EACH = LONG ? 40 : 6;
const STORM_MS = LONG ? 60_000 : 2_000;
const TIMEOUT_MS = 600_000;

const random = new Random();
/** Network with faults: a random one, or each in the long run. */
const FAULTY_NETWORKS = LONG ? NETWORK_NAMES : [NETWORK_NAMES[random.below(NETWORK_NAMES.length)]!];

/** Faults of an unstable network; null if calls succeed, as most do. */
const FAULTS: readonly (CallFault | null)[] = [
  ...[null, null, null],
  { mode: 'answer', status: 429, headers: { 'retry-after': '1' } },
  { mode: 'answer', status: 500 },
  { mode: 'answer', status: 503 },
  { mode: 'answer', status: 502, body: '<html></html>' },
  { mode: 'accept_then_answer', status: 504, body: '' },
  { mode: 'drop_before_accepting' },
];

let harness: PublishingHarness;
beforeAll(async () => void (harness = await PublishingHarness.start()));
afterAll(() => harness.stop());

/** Makes a network answer with random faults until the time is up. */
const injectFaults = async (network: NetworkName): Promise<void> => {
  const { control } = harness.networks[network];
  for (const end = Date.now() + STORM_MS; Date.now() < end; await sleep(50 + random.below(100))) {
    await control.clearFaults();
    const fault = FAULTS[random.below(FAULTS.length)]!;
    if (fault) await control.addFault({ ...fault, method: VISIBLE_CALL[network], times: null });
  }
  await control.clearFaults();
};

/** Publishes a channel's posts one after the other with random pauses. @returns the publications */
const publishAll = async (channel: TestChannel): Promise<readonly string[]> => {
  const sent: string[] = [];
  for (let n = 1; n <= POSTS_EACH; n++) {
    sent.push(await channel.publish({ text: `post ${n}` }));
    await sleep(random.below(STORM_MS / POSTS_EACH));
  }
  return sent;
};

describe(`a network with random faults (seed ${random.seed})`, () => {
  it.each(FAULTY_NETWORKS)(
    '%s: every post ends, in order on every channel, and the other networks are not affected',
    async (faulty) => {
      const worker = await harness.startWorker();
      const wanted = NETWORK_NAMES.flatMap((network) => Array.from({ length: CHANNELS_EACH }, () => network));
      const channels = await Promise.all(wanted.map((network) => harness.createChannel(network)));
      const [publications] = await Promise.all([Promise.all(channels.map(publishAll)), injectFaults(faulty)]);
      for (const [i, channel] of channels.entries()) {
        // Other networks: every post once. The faulty one: a post in doubt may be there or not.
        const isFaulty = channel.network === faulty;
        const texts = await waitForStates(
          channel,
          publications[i]!,
          isFaulty ? ['published', 'in_doubt', 'failed'] : ['published'],
        );
        const wall = await channel.readTexts();
        if (!isFaulty) expect(wall).toEqual(texts.map(({ text }) => text));
        const confirmed = texts.filter(({ state }) => state === 'published').map(({ text }) => text);
        expect(wall.filter((text) => confirmed.includes(text))).toEqual(confirmed);
        expect(wall).toEqual(texts.map(({ text }) => text).filter((text) => wall.includes(text)));
      }
      await worker.stop();
    },
    TIMEOUT_MS,
  );
});

/** Waits until each of a channel's publications has one of these states. */
const waitForStates = async (channel: TestChannel, ids: readonly string[], states: readonly string[]) => {
  const over: { readonly text: string; readonly state: string }[] = [];
  for (const [i, id] of ids.entries()) {
    over.push({ text: `post ${i + 1}`, state: (await channel.waitForState(id, ...states)).state });
  }
  return over;
};
