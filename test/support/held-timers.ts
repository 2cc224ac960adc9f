/** Ends the current hold; null if no timers are held. */
let letGo: (() => void) | null = null;

/** Ends a hold that a test has not ended, for example because it failed. For `afterEach` of each spec that holds timers. */
export const releaseTimers = (): void => letGo?.();

/**
 * Holds back every timer of `ms` milliseconds that is set from now on. A time-out then cannot expire before the
 * state that it must interrupt is reached, however long a busy machine takes.
 * @returns a function that lets the held timers run out, and holds no further ones
 */
export const holdTimers = (ms: number): (() => void) => {
  letGo?.();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const held = new Map<unknown, () => void>();
  globalThis.setTimeout = ((run: (...values: unknown[]) => void, after?: number, ...values: unknown[]) => {
    if (after !== ms) return set(run, after, ...values);
    const timer = set(() => undefined, 0);
    held.set(timer, () => run(...values));
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer?: NodeJS.Timeout | string | number) => {
    held.delete(timer);
    clear(timer);
  };
  const end = (): void => {
    if (letGo !== end) return;
    letGo = null;
    [globalThis.setTimeout, globalThis.clearTimeout] = [set, clear];
    for (const run of held.values()) run();
  };
  letGo = end;
  return end;
};
