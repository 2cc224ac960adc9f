import { runInSlices, runToEnd, type Steps, yieldToEventLoop } from './cooperative-work.js';

/** Steps that block the thread for the given number of ms each. */
function* blockingSteps(steps: number, ms: number, onStep: (step: number) => void = () => undefined): Steps<string> {
  for (let step = 0; step < steps; step++) {
    for (const end = performance.now() + ms; performance.now() < end;);
    onStep(step);
    yield;
  }
  return 'done';
}

describe('work in steps', () => {
  it('returns the same result in one run and in slices', async () => {
    expect(runToEnd(blockingSteps(3, 0))).toBe('done');
    expect(await runInSlices(blockingSteps(3, 0))).toBe('done');
  });

  it('yields between long steps in slices, and not in one run', async () => {
    const log: string[] = [];
    const logLater = (entry: string) => setImmediate(() => log.push(entry));
    logLater('before');
    runToEnd(blockingSteps(2, 12, (step) => log.push(`one run ${step}`)));
    await yieldToEventLoop();
    await runInSlices(
      blockingSteps(2, 12, (step) => {
        log.push(`slices ${step}`);
        logLater(`after ${step}`);
      }),
    );
    expect(log).toEqual(['one run 0', 'one run 1', 'before', 'slices 0', 'after 0', 'slices 1', 'after 1']);
  });

  it('runs many short steps in one slice', async () => {
    const turns = countTurns();
    const steppedIn = new Set<number>();
    await runInSlices(blockingSteps(10_000, 0, () => steppedIn.add(turns.count)));
    turns.stop();
    expect(steppedIn.size).toBeLessThan(1_000);
  });

  it('throws the error of a step', async () => {
    function* failing(): Steps<never> {
      throw new Error('broken');
    }
    await expect(runInSlices(failing())).rejects.toThrow('broken');
    expect(() => runToEnd(failing())).toThrow('broken');
  });
});

/** Counts turns of the event loop until stopped. */
const countTurns = (): { readonly count: number; stop(): void } => {
  const turns = { count: 0, stop: () => clearImmediate(next) };
  const tick = (): void => {
    turns.count++;
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  return turns;
};

describe('yieldToEventLoop', () => {
  const realNow = performance.now.bind(performance);
  afterAll(() => {
    performance.now = realNow;
  });

  it('resumes one waiter in each turn of the event loop', async () => {
    const turns = countTurns();
    const resumedIn: number[] = [];
    await Promise.all([1, 2, 3].map(() => yieldToEventLoop().then(() => resumedIn.push(turns.count))));
    turns.stop();
    expect(new Set(resumedIn).size).toBe(3);
  });

  it('leaves the thread to other work for four times as long as the last slice took', async () => {
    await yieldToEventLoop();
    const began = performance.now();
    for (const end = began + 20; performance.now() < end;);
    await nextTurn();
    const turns = countTurns();
    await yieldToEventLoop();
    turns.stop();
    // A Node timer may fire a millisecond early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(99);
    expect(turns.count).toBeGreaterThan(0);
  });

  it('goes on within seconds after the process was frozen in a slice', async () => {
    await yieldToEventLoop();
    performance.now = () => realNow() + 3_600_000; // for the rest of this file, as no real clock goes back
    await nextTurn();
    await yieldToEventLoop();
  }, 20_000);
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
