import { setTimeout as sleep } from 'node:timers/promises';

/** Work that can be interrupted at each `yield` and finally returns a T. */
export type Steps<T> = Generator<void, T, void>;

/** How long sliced work may block the thread before it yields, in ms. */
const SLICE_MS = 3;
/** Slices shorter than this, in ms, are not followed by a rest, because timers are not precise enough. */
const REST_FROM_MS = 1;

/** Duration of the rest after a slice, as a multiple of the slice. */
export const RESTS_PER_SLICE = 4;
/** Maximum duration of a rest, in ms: a slice of seconds means that the whole process stood still, not that it worked. */
const LONGEST_REST_MS = 1_000;
/** Maximum duration of a rest between slices of work that a request waits for, in ms. */
const LONGEST_REST_OF_REQUEST_MS = 50;

const waiting: (() => void)[] = [];
/** True from when a waiter's turn is scheduled until its slice has been measured. */
let isTurnDue = false;
/** `performance.now()` timestamp, in ms, until which the thread is left to other work. */
let restsUntil = 0;

/**
 * Yields to everything else that is due on the event loop. Only one waiter resumes in each turn of the loop, so that
 * short slices do not add up to a long pause. After a slice, the thread is left to other work for four times as long,
 * so that all sliced work together takes at most a fifth of the thread's time.
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (!isTurnDue) scheduleTurn();
  });

const scheduleTurn = (): void => {
  isTurnDue = true;
  const restMs = restsUntil - performance.now();
  if (restMs > 0) setTimeout(beginTurn, Math.ceil(restMs));
  else beginTurn();
};

const beginTurn = (): void => {
  let beganAt = 0;
  setImmediate(() => {
    beganAt = performance.now();
    waiting.shift()!();
  });
  // Runs in the same phase, after the waiter's synchronous work.
  setImmediate(() => {
    const now = performance.now();
    const sliceMs = now - beganAt;
    if (sliceMs > REST_FROM_MS) restsUntil = now + Math.min(RESTS_PER_SLICE * sliceMs, LONGEST_REST_MS);
    isTurnDue = false;
    if (waiting.length > 0) scheduleTurn();
  });
};

/** Runs work to completion without interruption. Use only for short work. */
export const runToEnd = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** Runs work in slices of about 3 ms (longer if a single step takes longer), so other work can run in between. */
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

/**
 * Does work on each item, a slice of the items at a time, so that memory holds what a slice needs, however many items
 * there are. Returns the results in the order of the items. Rejects if some work fails; no further slice begins then.
 * @param size number of items in a slice
 * @param rests how long to rest between slices, as a multiple of the time that a slice took, so that others' work can run
 */
export const inSlices = async <Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
  rests = 0,
): Promise<Result[]> => {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += size) {
    const beganAt = performance.now();
    results.push(...(await Promise.all(items.slice(from, from + size).map(work))));
    const restMs = rests * (performance.now() - beganAt);
    if (restMs > REST_FROM_MS && from + size < items.length) await sleep(Math.min(restMs, LONGEST_REST_OF_REQUEST_MS));
  }
  return results;
};
