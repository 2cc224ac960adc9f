/** Work that can be broken off at each `yield`, and answers T in the end. */
export type Steps<T> = Generator<void, T, void>;

/** How long work in turns keeps the thread before it lets others have it, ms. */
const TURN_MS = 10;

const waiting: (() => void)[] = [];

/**
 * Lets everything else that is due have the thread first. Of those who wait, one goes on in each round of the event
 * loop, so that pieces of work which are bearable one by one do not add up.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });

const goOn = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
};

/** Works in one go: for what is small. */
export const atOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** Works in turns of about 10 ms, and longer only where one step is: nobody else waits for the whole of it. */
export const inTurns = async <T>(steps: Steps<T>): Promise<T> => {
  await nextTurn();
  for (let began = performance.now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
};
