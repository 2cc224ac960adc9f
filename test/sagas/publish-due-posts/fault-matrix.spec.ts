// More than 20 s: every kind of fault in the calls of two networks, with the waits that they ask for.
import type {
  PublicationError,
  PublicationFailed,
  PublicationPostponed,
} from '../../../src/domain/publication/publication.events.js';
import { type Clock, systemClock } from '../../../src/kernel/clock.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { Random } from '../../e2e/random.js';
import { NETWORK_NAMES } from '../../platforms/wire/networks.js';
import { sampleOf } from '../../support/sample.js';
import { type FaultRow, REFUSALS, VISIBLE_CALL, WRONG_ANSWERS } from './fault-table.js';
import { MovableClock, PublishingHarness, type TestWorker } from './publishing-harness.js';
import type { TestChannel } from './test-channel.js';
import { UNREACHABLE, UNRESPONSIVE } from './unreliable-servers.js';

let harness: PublishingHarness;
beforeAll(async () => void (harness = await PublishingHarness.start()));
afterAll(() => harness.stop());

const D_35_CATEGORIES = /^(?:payload|media|credentials|channel|rate_limit|platform|network|internal)$/;
/** Backoff before the second attempt, in ms; jittered by a fifth. */
const BACKOFF_MS = 2_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const random = new Random();
/** Share of the refusals and of the wrong answers that a normal run tests. */
const SHARE = 0.3;
/** Cases that run side by side wait for each other on a busy machine. */
const AT_ONCE_TIMEOUT_MS = 600_000;

/** Two posts on a channel; the first one hits a fault. */
interface Pair {
  readonly channel: TestChannel;
  readonly first: string;
  readonly second: string;
}

const publishTwo = async (channel: TestChannel): Promise<Pair> => ({
  channel,
  first: await channel.publish({ text: 'first' }),
  second: await channel.publish({ text: 'second' }),
});

/** Checks the wait after the first attempt. @returns the wait in ms */
const expectWait = async (
  { channel, first }: Pair,
  ends: FaultRow['expectedEnd'] & { as: 'retry' },
): Promise<number> => {
  const [started] = await harness.readEvents(`publication-${first}`);
  const { type, data } = await channel.waitForOutcome(first);
  const { rule, at, retryAt } = data as { rule: string; at: number; retryAt: number };
  expect({ type, rule }).toEqual({ type: 'PublicationPostponed', rule: ends.rule });
  const wait = retryAt - at;
  if (ends.afterMs === 'backoff') expect(Math.abs(wait - BACKOFF_MS)).toBeLessThanOrEqual(BACKOFF_MS / 5);
  // No wait lasts beyond a day after the first attempt (D-20).
  else expect(wait).toBe(Math.min(ends.afterMs, (started!.data as { at: number }).at + DAY_MS - at));
  await channel.waitUntil(first, 'waits until that time', ({ waiting_for }) => {
    return waiting_for?.rule === ends.rule && waiting_for.until === new Date(retryAt).toISOString();
  });
  return wait;
};

/** Publishes two posts, the first with the fault. @returns the wait in ms, and a function that checks what follows */
const startCase = async (row: FaultRow) => {
  const { network, fault, error, expectedEnd: ends } = row;
  const channel = await harness.createChannel(network);
  await channel.control.addFault({ ...fault, method: VISIBLE_CALL[network], channel: channel.chat });
  const pair = await publishTwo(channel);
  const { first, second } = pair;
  if (ends.as === 'doubt') return { wait: 0, finish: () => expectDoubt(pair, row) };

  const { data } = (await channel.waitForOutcome(first)) as { data: object };
  const recorded = (data as { readonly error: PublicationError }).error;
  expect(recorded).toMatchObject({ message: expect.any(String), ...error });
  expect(recorded.category).toMatch(D_35_CATEGORIES);
  if (ends.as === 'failed') {
    await channel.waitForState(second, 'published');
    expect((await channel.waitForState(first, 'failed')).attempts).toMatchObject([{ outcome: 'failed', error }]);
    expect(await channel.readTexts()).toEqual(['second']);
    return { wait: 0, finish: async () => undefined };
  }
  let wait = 0;
  if (ends.as === 'retry') wait = await expectWait(pair, ends);
  if (ends.as === 'attention') {
    await channel.waitUntil(first, 'waits for a person', ({ waiting_for }) => waiting_for?.rule === 'needs_attention');
  }
  // Order: a waiting publication holds back the later ones (D-20).
  if (ends.as !== 'moved') expect(await channel.readTexts()).toEqual([]);
  return {
    wait,
    finish: async (): Promise<void> => {
      if (ends.as === 'attention') await channel.replaceCredentials();
      await channel.waitForState(second, 'published');
      expect((await channel.waitForState(first, 'published')).attempts).toHaveLength(2);
      expect(await channel.readTexts(ends.as === 'moved' ? ends.to : channel.chat)).toEqual(['first', 'second']);
    },
  };
};

/** Networks with a look-up (networks.md §4). */
const WITH_LOOK_UP: ReadonlySet<string> = new Set(['vk', 'max']);

/** Checks an unconfirmed send: looked up where possible, otherwise in doubt, and never sent again blindly (D-25). */
const expectDoubt = async ({ channel, first, second }: Pair, { fault, error }: FaultRow): Promise<void> => {
  const isThere = fault.mode.startsWith('accept');
  if (WITH_LOOK_UP.has(channel.network)) {
    const { attempts } = await channel.waitForState(first, 'published');
    await channel.waitForState(second, 'published');
    expect(await channel.readTexts()).toEqual(['first', 'second']);
    const found = { outcome: 'published', error: null };
    return expect(attempts).toMatchObject(isThere ? [found] : [{ outcome: 'postponed', error }, found]);
  }
  await channel.waitForState(second, 'published');
  expect((await channel.waitForState(first, 'in_doubt')).attempts).toMatchObject([{ outcome: 'in_doubt', error }]);
  expect(await channel.readTexts()).toEqual(isThere ? ['first', 'second'] : ['second']);
};

/**
 * A clock that can be stopped, so that no wait ends before a test advances it, however slow the machine is. While it is
 * stopped it is an hour ahead, because the API shows a wait only until it ends by the system's clock.
 */
class StoppableClock extends MovableClock {
  private stoppedAt: number | null = null;

  override now(): number {
    return this.stoppedAt ?? super.now();
  }

  override forward(ms: number): void {
    super.forward(ms);
    if (this.stoppedAt !== null) this.stoppedAt += ms;
  }

  stop(): void {
    this.stoppedAt = this.now() + HOUR_MS;
  }

  /** Goes on from where it stands. */
  start(): void {
    if (this.stoppedAt === null) return;
    super.forward(this.stoppedAt - super.now());
    this.stoppedAt = null;
  }
}

/** Runs a worker during the tests of a `describe`. */
const useWorker = (): StoppableClock => {
  const clock = new StoppableClock();
  let worker: TestWorker;
  beforeAll(async () => void (worker = await harness.startWorker({ clock })));
  afterAll(() => worker.stop());
  return clock;
};

describe(`a fault of the call that readers see (seed ${random.seed})`, () => {
  const clock = useWorker();
  /** Some cases that wait and some that do not, so that neither table is ever empty. */
  const sampleBoth = <T extends Pick<FaultRow, 'expectedEnd'>>(rows: readonly T[]): T[] =>
    [true, false].flatMap((waits) =>
      sampleOf(
        rows.filter((row) => (row.expectedEnd.as === 'retry') === waits),
        SHARE,
        random,
      ),
    );
  const refusals = sampleBoth(REFUSALS).map((row) => [row.network, row.what, row.expectedEnd.as, [row]] as const);
  const wrongAnswers = sampleBoth(WRONG_ANSWERS).map(
    (row) => [row.what, row.expectedEnd.as, NETWORK_NAMES.map((network) => ({ network, ...row }))] as const,
  );

  const mustWait = ([row]: readonly FaultRow[]): boolean => row?.expectedEnd.as === 'retry';
  /** Cases that do not need the clock, which run side by side. */
  const running = new Map<readonly FaultRow[], Promise<unknown>>();
  beforeAll(() => {
    const atOnce = [...refusals.map((row) => row[3]), ...wrongAnswers.map((row) => row[2])].filter(
      (rows) => !mustWait(rows),
    );
    for (const rows of atOnce) {
      const finished = Promise.all(rows.map(async (row) => (await startCase(row)).finish()));
      finished.catch(() => undefined); // the case's own test reports it
      running.set(rows, finished);
    }
  });

  /** Runs cases that wait, one after the other: the clock is advanced for each. */
  const runWithWait = async (rows: readonly FaultRow[]): Promise<void> => {
    clock.stop();
    const started = await Promise.all(rows.map(startCase));
    clock.forward(Math.max(...started.map((one) => one.wait)));
    clock.start();
    await harness.wakeWorkers();
    await Promise.all(started.map(({ finish }) => finish()));
  };

  describe('each row of networks.md §3, as the network reports it', () => {
    it.each(refusals.filter((row) => !mustWait(row[3])))(
      '%s: %s → %s',
      (_, __, ___, rows) => running.get(rows),
      AT_ONCE_TIMEOUT_MS,
    );
  });

  describe('answers that no network gives, on all four', () => {
    it.each(wrongAnswers.filter((row) => !mustWait(row[2])))('%s → %s', (_, __, rows) => running.get(rows));
  });

  describe('cases that wait', () => {
    it.each(refusals.filter((row) => mustWait(row[3])))(
      '%s: %s → %s',
      (_, __, ___, rows) => runWithWait(rows),
      AT_ONCE_TIMEOUT_MS,
    );
    it.each(wrongAnswers.filter((row) => mustWait(row[2])))(
      'on all four: %s → %s',
      (_, __, rows) => runWithWait(rows),
      AT_ONCE_TIMEOUT_MS,
    );
  });
});

describe('a fault that persists ends the publication (D-20)', () => {
  const some = () => sampleOf(NETWORK_NAMES, 0.5, random);
  const clock = useWorker();

  /**
   * Advances the clock by each wait, or further, until the publication fails. @returns the rules of its attempts, the
   * last error
   */
  const runUntilFailed = async (channel: TestChannel, fault: Partial<Fault>, atLeastMs = 0) => {
    const always = {
      mode: 'answer',
      times: null,
      method: VISIBLE_CALL[channel.network],
      channel: channel.chat,
    } as const;
    await channel.control.addFault({ ...always, ...fault });
    clock.stop();
    const first = await channel.publish({ text: 'first' });
    const rules: string[] = [];
    for (;;) {
      const { type, data } = await channel.waitForOutcome(first, rules.length + 1);
      if (type === 'PublicationFailed') return { rules, error: (data as PublicationFailed['data']).error };
      const { rule, retryAt, at } = data as PublicationPostponed['data'];
      rules.push(rule);
      clock.forward(Math.max(retryAt - at, atLeastMs));
      await harness.wakeWorkers();
    }
  };
  afterEach(() => Promise.all(NETWORK_NAMES.map((network) => harness.networks[network].control.clearFaults())));

  it.each(some())('on %s: after five failed attempts', async (network) => {
    const { rules, error } = await runUntilFailed(await harness.createChannel(network), {
      status: 403,
      body: '<html></html>',
    });
    expect(rules).toEqual(['retry', 'retry', 'retry', 'retry']);
    expect(error).toMatchObject({ code: 'unreadable_refusal', category: 'network' });
  });

  it.each(some())('on %s: after a quarter of an hour, however few the attempts', async (network) => {
    const { rules } = await runUntilFailed(
      await harness.createChannel(network),
      { status: 403, body: '<html></html>' },
      16 * 60_000,
    );
    expect(rules).toEqual(['retry']);
  });

  it.each(some())('on %s: after a day of waits that the network asks for', async (network) => {
    const fault = { status: 429, body: '', headers: { 'retry-after': '7200' } };
    const { rules, error } = await runUntilFailed(await harness.createChannel(network), fault);
    expect(rules).toEqual(Array.from({ length: 12 }, () => 'platform_limit'));
    expect(error).toMatchObject({ category: 'rate_limit', code: 'too_many_requests' });
  });
});

describe('a network that cannot be reached', () => {
  const unconfirmed: Pair[] = [];

  /** Publishes two posts on each network while none can be reached. */
  const publishUnreachable = async (url: string, clock: Clock = systemClock) => {
    const worker = await harness.startWorker({
      clock,
      networkUrls: Object.fromEntries(NETWORK_NAMES.map((name) => [name, url])),
      callTimeoutMs: 1_000,
    });
    const channels = await Promise.all(NETWORK_NAMES.map((network) => harness.createChannel(network)));
    const pairs = await Promise.all(channels.map(publishTwo));
    return { pairs, worker };
  };

  it.each(Object.entries(UNREACHABLE))('%s: nothing was sent, and the post is retried', async (_, start) => {
    const { url, stop } = await start();
    const standing = new StoppableClock();
    standing.stop();
    const { pairs, worker: unreachable } = await publishUnreachable(url, standing);
    const waits = pairs.map((pair) => expectWait(pair, { as: 'retry', afterMs: 'backoff', rule: 'retry' }));
    await Promise.all(waits);
    await unreachable.stop();
    await stop();
    const clock = new MovableClock();
    clock.forward(HOUR_MS + 2 * BACKOFF_MS);
    const worker = await harness.startWorker({ clock });
    for (const { channel, first, second } of pairs) {
      await channel.waitForState(second, 'published');
      const error = { category: 'network', code: 'not_sent', source: 'gateway' };
      expect((await channel.waitForState(first, 'published')).attempts[0]).toMatchObject({
        outcome: 'postponed',
        error,
      });
      expect(await channel.readTexts()).toEqual(['first', 'second']);
    }
    await worker.stop();
  });

  it.each(Object.entries(UNRESPONSIVE))('%s: the post may have been sent', async (_, start) => {
    const { url, stop } = await start();
    const { pairs, worker } = await publishUnreachable(url);
    for (const { channel, first } of pairs) {
      if (WITH_LOOK_UP.has(channel.network)) await channel.waitForState(first, 'publishing');
      else {
        const error = { category: 'network', source: 'gateway' };
        expect((await channel.waitForState(first, 'in_doubt')).attempts).toMatchObject([
          { outcome: 'in_doubt', error },
        ]);
      }
    }
    await worker.stop();
    await stop();
    unconfirmed.push(...pairs);
  });

  it('resolves unconfirmed sends once the network can be reached', async () => {
    await harness.startWorker();
    for (const { channel, first, second } of unconfirmed) {
      const states = WITH_LOOK_UP.has(channel.network) ? ['published'] : ['published', 'in_doubt'];
      await channel.waitForState(first, ...states);
      await channel.waitForState(second, ...states);
      const texts = await channel.readTexts();
      if (WITH_LOOK_UP.has(channel.network)) expect(texts).toEqual(['first', 'second']);
      else expect(['first', 'second'].filter((text) => texts.includes(text))).toEqual(texts);
    }
  });
});
