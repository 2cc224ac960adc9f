/** Work that can be interrupted at each `yield` and returns a T at its end. */
export type Steps<T> = Generator<void, T, void>;

/** Time that sliced work may block the thread before it yields, in ms. */
const SLICE_MS = 10;

const waiting: (() => void)[] = [];

/**
 * Yields to everything else that is due on the event loop. Only one waiter resumes in each turn of the loop, so that
 * slices that are short enough one by one do not add up to a long pause.
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeNextWaiter);
  });

const resumeNextWaiter = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNextWaiter);
};

/** Runs work to its end without a break. For small work. */
export const runToEnd = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** Runs work in slices of about 10 ms, longer only if a single step is, so that other work can run in between. */
export const runInSlices = async <T>(steps: Steps<T>): Promise<T> => {
  await yieldToEventLoop();
  for (let began = performance.now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < SLICE_MS) continue;
    await yieldToEventLoop();
    began = performance.now();
  }
};
