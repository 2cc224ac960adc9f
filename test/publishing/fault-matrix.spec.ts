import type {
  PublicationError,
  PublicationFailed,
  PublicationPostponed,
} from '../../src/domain/publication/publication.events.js';
import type { Fault } from '../../src/stand-ins/kit/faults.js';
import { NETWORK_NAMES } from '../platforms/wire/networks.js';
import { type FaultRow, REFUSALS, VISIBLE, WRONG_ANSWERS } from './fault-table.js';
import type { Line } from './line.js';
import { MovableClock, PublishingStage, type TestWorker } from './stage.js';
import { UNRELIABLE } from './unreliable-servers.js';

let stage: PublishingStage;
beforeAll(async () => void (stage = await PublishingStage.start()));
afterAll(() => stage.stop());

const D_35_CATEGORIES = /^(?:payload|media|credentials|channel|rate_limit|platform|network|internal)$/;
/** Before a second attempt, give or take a fifth. */
const BACKOFF_MS = 2_000;
const DAY_MS = 24 * 3_600_000;

/** Two posts on a channel, the first of which meets trouble. */
interface Pair {
  readonly line: Line;
  readonly first: string;
  readonly second: string;
}

const sendTwo = async (line: Line): Promise<Pair> => ({
  line,
  first: await line.send({ text: 'first' }),
  second: await line.send({ text: 'second' }),
});

/** How long the network's words, or our backoff, put an attempt off. */
const expectWait = async ({ line, first }: Pair, ends: FaultRow['ends'] & { as: 'retry' }): Promise<number> => {
  const [started] = await stage.events(`publication-${first}`);
  const { type, data } = await line.outcome(first);
  const { rule, at, retryAt } = data as { rule: string; at: number; retryAt: number };
  expect({ type, rule }).toEqual({ type: 'PublicationPostponed', rule: ends.rule });
  const wait = retryAt - at;
  if (ends.afterMs === 'backoff') expect(Math.abs(wait - BACKOFF_MS)).toBeLessThanOrEqual(BACKOFF_MS / 5);
  // No wait goes on for longer than a day since the first attempt (D-20).
  else expect(wait).toBe(Math.min(ends.afterMs, (started!.data as { at: number }).at + DAY_MS - at));
  await line.when(first, 'waits until then', ({ waiting_for }) => {
    return waiting_for?.rule === ends.rule && waiting_for.until === new Date(retryAt).toISOString();
  });
  return wait;
};

/** The first meets the fault; answers what remains to be seen once the time has come. */
const begin = async ({ network, fault, error, ends }: FaultRow) => {
  const line = await stage.line(network);
  await line.control.addFault({ ...fault, method: VISIBLE[network], channel: line.chat });
  const pair = await sendTwo(line);
  const { first, second } = pair;
  if (ends.as === 'doubt') return { wait: 0, ends: () => expectDoubt(pair, error) };

  const { data } = (await line.outcome(first)) as { data: object };
  const told = (data as { readonly error: PublicationError }).error;
  expect(told).toMatchObject({ message: expect.any(String), ...error });
  expect(told.category).toMatch(D_35_CATEGORIES);
  if (ends.as === 'failed') {
    await line.inState(second, 'published');
    expect((await line.inState(first, 'failed')).attempts).toMatchObject([{ outcome: 'failed', error }]);
    expect(await line.texts()).toEqual(['second']);
    return { wait: 0, ends: async () => undefined };
  }
  let wait = 0;
  if (ends.as === 'retry') wait = await expectWait(pair, ends);
  if (ends.as === 'attention') {
    await line.when(first, 'waits for a person', ({ waiting_for }) => waiting_for?.rule === 'needs_attention');
  }
  // Order: what waits holds back what comes after it (D-20).
  if (ends.as !== 'moved') expect(await line.texts()).toEqual([]);
  return {
    wait,
    ends: async (): Promise<void> => {
      if (ends.as === 'attention') await line.replaceCredentials();
      await line.inState(second, 'published');
      expect((await line.inState(first, 'published')).attempts).toHaveLength(2);
      expect(await line.texts(ends.as === 'moved' ? ends.to : line.chat)).toEqual(['first', 'second']);
    },
  };
};

/** Nobody can say whether readers see it: not sent again without a look or a key, and told (D-25). */
const expectDoubt = async ({ line, first, second }: Pair, error: Partial<PublicationError>): Promise<void> => {
  await line.inState(second, 'published');
  const { state, attempts } = await line.inState(first, 'in_doubt', 'published');
  const texts = await line.texts();
  if (state === 'published') return expect(texts).toEqual(['first', 'second']);
  expect(attempts).toMatchObject([{ outcome: 'in_doubt', error }]);
  expect([['second'], ['first', 'second']]).toContainEqual(texts);
};

/** Plays rows side by side; what has to wait is waited for by moving the clock on. */
const play = async (rows: readonly FaultRow[], clock: MovableClock): Promise<void> => {
  const begun = await Promise.all(rows.map(begin));
  clock.forward(Math.max(...begun.map(({ wait }) => wait)));
  await stage.wake();
  await Promise.all(begun.map(({ ends }) => ends()));
};

/** A worker for the tests of a `describe`. */
const atWork = (): MovableClock => {
  const clock = new MovableClock();
  let worker: TestWorker;
  beforeAll(async () => void (worker = await stage.work({ clock })));
  afterAll(() => worker.stop());
  return clock;
};

describe('each row of platforms.md §3, as the network tells it', () => {
  const clock = atWork();
  const rows = REFUSALS.map((row) => [row.network, row.what, row.ends.as, row] as const);
  // First those that look at what the network has, by its own time.
  const inOrder = rows.toSorted((a, b) => Number(b[2] === 'doubt') - Number(a[2] === 'doubt'));
  it.each(inOrder)('%s: %s → %s', (_, __, ___, row) => play([row], clock));
});

describe('what no network would say, on all four', () => {
  const clock = atWork();
  const rows = WRONG_ANSWERS.map((row) => [row.what, row.ends.as, row] as const);
  const inOrder = rows.toSorted((a, b) => Number(b[1] === 'doubt') - Number(a[1] === 'doubt'));
  it.each(inOrder)('%s → %s', (_, __, row) =>
    play(
      NETWORK_NAMES.map((network) => ({ network, ...row })),
      clock,
    ),
  );
});

describe('what goes wrong again and again comes to an end (D-20)', () => {
  const clock = atWork();

  /** Moves the clock on by each wait, or further, until the publication is over: its attempts' rules, the last error. */
  const ordeal = async (line: Line, fault: Partial<Fault>, atLeastMs = 0) => {
    const always = { mode: 'answer', times: null, method: VISIBLE[line.network], channel: line.chat } as const;
    await line.control.addFault({ ...always, ...fault });
    const first = await line.send({ text: 'first' });
    const rules: string[] = [];
    for (;;) {
      const { type, data } = await line.outcome(first, rules.length + 1);
      if (type === 'PublicationFailed') return { rules, error: (data as PublicationFailed['data']).error };
      const { rule, retryAt, at } = data as PublicationPostponed['data'];
      rules.push(rule);
      clock.forward(Math.max(retryAt - at, atLeastMs));
      await stage.wake();
    }
  };
  afterEach(() => Promise.all(NETWORK_NAMES.map((network) => stage.networks[network].control.clearFaults())));

  it.each(NETWORK_NAMES)('on %s: five attempts of our own', async (network) => {
    const { rules, error } = await ordeal(await stage.line(network), { status: 403, body: '<html></html>' });
    expect(rules).toEqual(['retry', 'retry', 'retry', 'retry']);
    expect(error).toMatchObject({ code: 'unreadable_refusal', category: 'network' });
  });

  it.each(NETWORK_NAMES)('on %s: a quarter of an hour, however few the attempts', async (network) => {
    const { rules } = await ordeal(await stage.line(network), { status: 403, body: '<html></html>' }, 16 * 60_000);
    expect(rules).toEqual(['retry']);
  });

  it.each(NETWORK_NAMES)('on %s: a day of waits that the network asks for', async (network) => {
    const fault = { status: 429, body: '', headers: { 'retry-after': '7200' } };
    const { rules, error } = await ordeal(await stage.line(network), fault);
    expect(rules).toEqual(Array.from({ length: 12 }, () => 'platform_limit'));
    expect(error).toMatchObject({ category: 'rate_limit', code: 'too_many_requests' });
  });
});

describe('a network that cannot be reached', () => {
  it.each(Object.entries(UNRELIABLE))('%s', async (_, start) => {
    const server = await start();
    const urls = Object.fromEntries(NETWORK_NAMES.map((name) => [name, server.url]));
    const healthy = await stage.work();
    const lines = await Promise.all(NETWORK_NAMES.map((network) => stage.line(network)));
    await healthy.stop();

    const cutOff = await stage.work({ urls, callTimeoutMs: 1_000 });
    const pairs = await Promise.all(lines.map(sendTwo));
    const outcomes = await Promise.all(pairs.map(({ line, first }) => line.outcome(first)));
    await cutOff.stop();
    await server.stop();
    for (const { data } of outcomes) {
      expect((data as { error: PublicationError }).error).toMatchObject({ category: 'network', source: 'gateway' });
    }

    // Everything is well again: what was not sent goes out, what may have been is told.
    const clock = new MovableClock();
    const worker = await stage.work({ clock });
    clock.forward(2 * BACKOFF_MS);
    await stage.wake();
    for (const { line, first, second } of pairs) {
      await line.inState(second, 'published', 'in_doubt');
      const { state } = await line.inState(first, 'published', 'in_doubt');
      const { type } = await line.outcome(first);
      if (type === 'PublicationPostponed') expect(state).toBe('published');
      const texts = await line.texts();
      expect(['first', 'second'].filter((text) => texts.includes(text))).toEqual(texts);
    }
    await worker.stop();
  });
});
