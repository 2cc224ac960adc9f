import { StartTurns } from './start-limits.js';

const never = new AbortController().signal;
/** Owners stay active, however long the thread stands still between two lines. */
const stillClock = (): number => 0;

/** Requests turns for an owner. @returns functions that end the turns that have begun, in order */
const ask = (turns: StartTurns, owner: string, count: number, signal = never): (() => void)[] => {
  const begun: (() => void)[] = [];
  for (let i = 0; i < count; i++) void turns.acquire(owner, signal).then((end) => end && begun.push(end));
  return begun;
};
const settle = (): Promise<void> => new Promise(setImmediate);

describe('the turns of publications that get ready', () => {
  it('are not bounded for an owner that publishes alone', async () => {
    const begun = ask(new StartTurns(8), 'own_busy', 100);
    await settle();
    expect(begun).toHaveLength(100);
  });

  it('leave half to others, and another owner passes everything that waits', async () => {
    const turns = new StartTurns(8, stillClock);
    ask(turns, 'own_quiet', 1)[0]?.();
    const busy = ask(turns, 'own_busy', 100);
    await settle();
    expect(busy).toHaveLength(4);
    const quiet = ask(turns, 'own_quiet', 1);
    await settle();
    expect([busy.length, quiet.length]).toEqual([4, 1]);
  });

  it('let the next one start when one ends, once', async () => {
    const turns = new StartTurns(8, stillClock);
    ask(turns, 'own_quiet', 1);
    const busy = ask(turns, 'own_busy', 100);
    await settle();
    busy[0]!();
    busy[0]!();
    await settle();
    expect(busy).toHaveLength(5);
  });

  it('count what an owner began alone towards no bound: the first post of another one passes it', async () => {
    const turns = new StartTurns(8, stillClock);
    ask(turns, 'own_busy', 100);
    const quiet = ask(turns, 'own_quiet', 1);
    const later = ask(turns, 'own_busy', 100);
    await settle();
    expect([quiet.length, later.length]).toEqual([1, 4]);
  });

  it('are not bounded any more once the others have been silent', async () => {
    let now = 0;
    const turns = new StartTurns(8, () => now);
    ask(turns, 'own_quiet', 1);
    now = 2_001;
    const busy = ask(turns, 'own_busy', 100);
    await settle();
    expect(busy).toHaveLength(100);
  });

  it('begin in groups of eight, one in 80 ms, for an owner that is not alone', async () => {
    const startedAt = performance.now();
    const turns = new StartTurns(1_000);
    ask(turns, 'own_quiet', 1);
    const busy = ask(turns, 'own_busy', 20);
    const quiet = ask(turns, 'own_quiet', 1);
    await settle();
    expect(quiet).toHaveLength(1);
    while (busy.length < 20) await settle();
    // A Node timer may fire a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(158);
  });

  it('let changes begin in groups of four of their own, which wait for no posts', async () => {
    const startedAt = performance.now();
    const turns = new StartTurns(1_000);
    ask(turns, 'own_quiet', 1);
    const posts = ask(turns, 'own_busy', 100);
    await Promise.all(Array.from({ length: 10 }, () => turns.waitForChange('own_busy', never)));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(158);
    expect(posts.length).toBeLessThan(100); // timers run in order, however late
  });

  it('end without a turn when the worker stops', async () => {
    const turns = new StartTurns(2, stillClock);
    const drain = new AbortController();
    ask(turns, 'own_quiet', 1)[0]?.();
    const first = ask(turns, 'own_busy', 1);
    const second = turns.acquire('own_busy', drain.signal);
    await settle();
    expect(first).toHaveLength(1);
    drain.abort();
    expect(await second).toBeNull();
  });
});
