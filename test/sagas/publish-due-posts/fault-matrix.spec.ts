import type {
  PublicationError,
  PublicationFailed,
  PublicationPostponed,
} from '../../../src/domain/publication/publication.events.js';
import type { Fault } from '../../../src/stand-ins/kit/faults.js';
import { NETWORK_NAMES } from '../../platforms/wire/networks.js';
import { type FaultRow, REFUSALS, VISIBLE, WRONG_ANSWERS } from './fault-table.js';
import type { Line } from './line.js';
import { MovableClock, PublishingStage, type TestWorker } from './publishing-harness.js';
import { OUT_OF_HEARING, OUT_OF_REACH } from './unreliable-servers.js';

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
const begin = async (row: FaultRow) => {
  const { network, fault, error, ends } = row;
  const line = await stage.line(network);
  await line.control.addFault({ ...fault, method: VISIBLE[network], channel: line.chat });
  const pair = await sendTwo(line);
  const { first, second } = pair;
  if (ends.as === 'doubt') return { wait: 0, ends: () => expectDoubt(pair, row) };

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

/** Networks that can be asked what they have (networks.md §4). */
const CAN_BE_ASKED: ReadonlySet<string> = new Set(['vk', 'max']);

/** Nobody can say whether readers see it: found out where that can be, else told, and never sent again blindly (D-25). */
const expectDoubt = async ({ line, first, second }: Pair, { fault, error }: FaultRow): Promise<void> => {
  const isThere = fault.mode.startsWith('accept');
  if (CAN_BE_ASKED.has(line.network)) {
    const { attempts } = await line.inState(first, 'published');
    await line.inState(second, 'published');
    expect(await line.texts()).toEqual(['first', 'second']);
    const found = { outcome: 'published', error: null };
    return expect(attempts).toMatchObject(isThere ? [found] : [{ outcome: 'postponed', error }, found]);
  }
  await line.inState(second, 'published');
  expect((await line.inState(first, 'in_doubt')).attempts).toMatchObject([{ outcome: 'in_doubt', error }]);
  expect(await line.texts()).toEqual(isThere ? ['first', 'second'] : ['second']);
};

/** A worker for the tests of a `describe`. */
const atWork = (): MovableClock => {
  const clock = new MovableClock();
  let worker: TestWorker;
  beforeAll(async () => void (worker = await stage.work({ clock })));
  afterAll(() => worker.stop());
  return clock;
};

describe('a fault of the call that readers see', () => {
  const clock = atWork();
  const told = REFUSALS.map((row) => [row.network, row.what, row.ends.as, [row]] as const);
  const wrong = WRONG_ANSWERS.map(
    (row) => [row.what, row.ends.as, NETWORK_NAMES.map((network) => ({ network, ...row }))] as const,
  );

  const waits = ([row]: readonly FaultRow[]): boolean => row?.ends.as === 'retry';
  /** What needs no other time than everybody's, side by side. */
  const playing = new Map<readonly FaultRow[], Promise<unknown>>();
  beforeAll(() => {
    const atOnce = [...told.map((row) => row[3]), ...wrong.map((row) => row[2])].filter((rows) => !waits(rows));
    for (const rows of atOnce) {
      const played = Promise.all(rows.map(async (row) => (await begin(row)).ends()));
      played.catch(() => undefined); // its own test tells
      playing.set(rows, played);
    }
  });

  /** What has to wait, one after the other once the rest is over: the clock is moved on for it. */
  const wait = async (rows: readonly FaultRow[]): Promise<void> => {
    const begun = await Promise.all(rows.map(begin));
    clock.forward(Math.max(...begun.map((one) => one.wait)));
    await stage.wake();
    await Promise.all(begun.map(({ ends }) => ends()));
  };

  describe('each row of networks.md §3, as the network tells it', () => {
    it.each(told.filter((row) => !waits(row[3])))('%s: %s → %s', (_, __, ___, rows) => playing.get(rows));
  });

  describe('what no network would say, on all four', () => {
    it.each(wrong.filter((row) => !waits(row[2])))('%s → %s', (_, __, rows) => playing.get(rows));
  });

  describe('what has to wait', () => {
    it.each(told.filter((row) => waits(row[3])))('%s: %s → %s', (_, __, ___, rows) => wait(rows));
    it.each(wrong.filter((row) => waits(row[2])))('on all four: %s → %s', (_, __, rows) => wait(rows));
  });
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
  const doubtful: Pair[] = [];

  /** Two posts for each network, while none can be reached; answers them with how the first one's attempt ended. */
  const cutOff = async (url: string) => {
    const worker = await stage.work({
      urls: Object.fromEntries(NETWORK_NAMES.map((name) => [name, url])),
      callTimeoutMs: 1_000,
    });
    const lines = await Promise.all(NETWORK_NAMES.map((network) => stage.line(network)));
    const pairs = await Promise.all(lines.map(sendTwo));
    return { pairs, worker };
  };

  it.each(Object.entries(OUT_OF_REACH))('%s: nothing was sent, and it is tried again', async (_, start) => {
    const { url, stop } = await start();
    const { pairs, worker: cut } = await cutOff(url);
    const waits = pairs.map((pair) => expectWait(pair, { as: 'retry', afterMs: 'backoff', rule: 'retry' }));
    await Promise.all(waits);
    await cut.stop();
    await stop();
    const clock = new MovableClock();
    clock.forward(2 * BACKOFF_MS);
    const worker = await stage.work({ clock });
    for (const { line, first, second } of pairs) {
      await line.inState(second, 'published');
      const error = { category: 'network', code: 'not_sent', source: 'gateway' };
      expect((await line.inState(first, 'published')).attempts[0]).toMatchObject({ outcome: 'postponed', error });
      expect(await line.texts()).toEqual(['first', 'second']);
    }
    await worker.stop();
  });

  it.each(Object.entries(OUT_OF_HEARING))('%s: it may have been sent', async (_, start) => {
    const { url, stop } = await start();
    const { pairs, worker } = await cutOff(url);
    for (const { line, first } of pairs) {
      if (CAN_BE_ASKED.has(line.network)) await line.inState(first, 'publishing');
      else {
        const error = { category: 'network', source: 'gateway' };
        expect((await line.inState(first, 'in_doubt')).attempts).toMatchObject([{ outcome: 'in_doubt', error }]);
      }
    }
    await worker.stop();
    await stop();
    doubtful.push(...pairs);
  });

  it('what may have been sent is found out once the network can be asked', async () => {
    await stage.work();
    for (const { line, first, second } of doubtful) {
      const states = CAN_BE_ASKED.has(line.network) ? ['published'] : ['published', 'in_doubt'];
      await line.inState(first, ...states);
      await line.inState(second, ...states);
      const texts = await line.texts();
      if (CAN_BE_ASKED.has(line.network)) expect(texts).toEqual(['first', 'second']);
      else expect(['first', 'second'].filter((text) => texts.includes(text))).toEqual(texts);
    }
  });
});
