import { SCHEDULE } from '../../../src/projections/publish-schedule/publish-schedule.tables.js';
import { sleepUnlessAborted } from '../../../src/runtime/sleep.js';
import { Random } from '../../e2e/random.js';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import type { NetworkName } from '../../platforms/wire/networks.js';
import { sampleOf } from '../../support/sample.js';
import { FailureInjector, type Injection, OUTAGES, THROWN } from './injected-failures.js';
import { MovableClock, PublishingHarness } from './publishing-harness.js';
import type { PublicationView, TestChannel } from './test-channel.js';

const LONG = Boolean(process.env['TEST_LONG']);
const TIMEOUT_MS = LONG ? 3_600_000 : 600_000;
/** Calls to or by a publisher. It uses neither a store nor a database, so any error that it throws is a bug. */
const CALLS_OF_PUBLISHERS: ReadonlySet<string> = new Set(['send', 'lookUp', 'media']);
/** Cases that run side by side. */
const BATCH_SIZE = 40;

const clock = new MovableClock();
const injector = new FailureInjector();
let harness: PublishingHarness;
let host: TestHost;
let photo: string;
beforeAll(async () => {
  host = await TestHost.start();
  photo = host.serve('/a.png', png(8, 8));
  harness = await PublishingHarness.start({
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    MEDIA_PROBE: 'off',
    MINUTE_MS: '20',
  });
  await harness.startWorker({ clock, wrapEventStore: injector.wrapStore });
}, TIMEOUT_MS);
afterAll(async () => {
  await harness.stop();
  await host.stop();
  injector.stop();
});

/**
 * A photo in several calls with a pause after it on a network with a look-up, and one call on a network without one.
 */
const PAYLOADS: Readonly<Record<string, () => object>> = {
  vk: () => ({ text: 'first', media: [{ type: 'photo', url: photo }], ad_target_pause_minutes: 1 }),
  telegram: () => ({ text: 'first' }),
};

interface Case {
  readonly network: NetworkName;
  readonly injection: Injection;
}

/** Publishes a post whose call throws and one behind it. @returns both when they are over */
const publishTwo = async (channel: TestChannel): Promise<readonly [PublicationView, PublicationView]> => {
  const first = await channel.publish(PAYLOADS[channel.network]!());
  const second = await channel.publish({ text: 'second' });
  return until(`two posts on ${channel.chat} are over`, async () => {
    const [one, two] = [await channel.readPublication(first), await channel.readPublication(second)];
    for (const { state, waiting_for } of [one, two]) if (state === 'queued') expect(waiting_for).not.toBeNull();
    const isOver = [one, two].every(({ state }) => state !== 'queued' && state !== 'publishing');
    if (!isOver) throw new Error(JSON.stringify([one, two, injector.traceOf(channel.channelId)]));
    return isOver && ([one, two] as const);
  });
};

/**
 * Does work while moving the clock ahead to the next retry. Moves it only while no publication is due or in progress:
 * otherwise the clock would overtake the work on a busy machine, and attempts would come too late.
 */
const withFastClock = async <T>(work: Promise<T>): Promise<T> => {
  const { pool } = harness.infrastructure;
  const ended = new AbortController();
  const moveOn = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await sleepUnlessAborted(100, ended.signal);
      const text = `select from ${SCHEDULE}.channel where next_due <= $1 limit 1`;
      const { rowCount } = await pool.query(text, [clock.now()]);
      if (rowCount === 0) clock.forward(20_000);
      await harness.wakeWorkers();
    }
  };
  const moving = moveOn();
  try {
    return await work;
  } finally {
    ended.abort();
    await moving;
  }
};

/** Returns what is wrong with the result of a case; an empty list if nothing is. */
const judge = async ({ injection }: Case, channel: TestChannel): Promise<string[]> => {
  const [first, second] = await publishTwo(channel);
  const texts = await channel.readTexts();
  const shown = texts.filter((text) => text === 'first').length;
  const allowed: Readonly<Record<string, readonly number[]>> = { published: [1], failed: [0], in_doubt: [0, 1] };
  const problems: string[] = [];
  const called = injector.traceOf(channel.channelId)[injection.n];
  if (!allowed[first.state]?.includes(shown)) problems.push(`${first.state}, and ${shown} messages are shown`);
  if (second.state !== 'published') problems.push(`the second post is ${second.state}`);
  if (texts.filter((text) => text === 'second').length !== 1 || texts.at(-1) !== 'second')
    problems.push(`the wall shows ${texts.join()}`);
  for (const { outcome, error } of first.attempts) {
    if (outcome !== 'published' && !(error?.code && error.message)) problems.push(`${outcome} has no reason`);
    const isOutage = OUTAGES.has(injection.thrown) && !CALLS_OF_PUBLISHERS.has(called!);
    if (isOutage && error?.code === 'internal_error') problems.push('an outage used up an attempt');
  }
  return problems;
};

const random = new Random();

describe(`a call of a publication that throws (seed ${random.seed})`, () => {
  it(
    'ends in a state with a reason, the channel goes on in order, and nothing is published twice',
    async () => {
      const traces = await withFastClock(
        Promise.all(
          (['vk', 'telegram'] as const).map(async (network) => {
            const channel = await harness.createChannel(network);
            injector.plan(channel.channelId, null);
            const id = await channel.publish(PAYLOADS[network]!());
            await channel.waitForState(id, 'published');
            return [network, injector.traceOf(channel.channelId)] as const;
          }),
        ),
      );
      const [vk, telegram] = traces.map(([, trace]) => trace);
      expect(vk).toEqual(
        expect.arrayContaining([
          'readPost',
          'readSecret',
          'reserve',
          'waitForTurn',
          'append',
          'send',
          'media',
          'apply',
        ]),
      );
      expect(telegram).toEqual(expect.arrayContaining(['readStream', 'append', 'send']));
      const kinds = Object.keys(THROWN);
      let turn = 0;
      const all = traces.flatMap(([network, trace]) =>
        trace.flatMap((_, n) =>
          (['before', 'after'] as const).flatMap((when) => {
            const some = LONG ? kinds : [kinds[turn++ % kinds.length]!];
            return some.map((thrown): Case => ({ network, injection: { n, when, thrown } }));
          }),
        ),
      );
      const cases = sampleOf(all, 0.25, random);
      const failures: unknown[] = [];
      for (let from = 0; from < cases.length; from += BATCH_SIZE) {
        const batch = cases.slice(from, from + BATCH_SIZE);
        const channels: TestChannel[] = [];
        for (const { network, injection } of batch) {
          const channel = await harness.createChannel(network);
          injector.plan(channel.channelId, injection);
          channels.push(channel);
        }
        await withFastClock(
          Promise.all(
            batch.map(async (one, i) => {
              const problems = await judge(one, channels[i]!);
              if (problems.length > 0)
                failures.push({ ...one, problems, trace: injector.traceOf(channels[i]!.channelId) });
            }),
          ),
        );
      }
      expect(failures).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
