import { runToEnd, runInSlices, yieldToEventLoop, type Steps } from './cooperative-work.js';

/** Steps that block the thread for so many ms each. */
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
    let turns = 0;
    const count = () => {
      turns++;
      ticking = setImmediate(count);
    };
    let ticking = setImmediate(count);
    await runInSlices(blockingSteps(10_000, 0));
    clearImmediate(ticking);
    expect(turns).toBeLessThan(1_000);
  });

  it('throws the error of a step', async () => {
    function* failing(): Steps<never> {
      throw new Error('broken');
    }
    await expect(runInSlices(failing())).rejects.toThrow('broken');
    expect(() => runToEnd(failing())).toThrow('broken');
  });
});

describe('yieldToEventLoop', () => {
  it('resumes one waiter in each turn of the event loop', async () => {
    const resumedIn: number[] = [];
    let turn = 0;
    const waiters = [1, 2, 3].map(() => yieldToEventLoop().then(() => resumedIn.push(turn)));
    const count = () => {
      turn++;
      if (turn < 10) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(waiters);
    expect(new Set(resumedIn).size).toBe(3);
  });
});
