import { useSyncExternalStore } from 'react';

/** The server's time minus this browser's, in ms. */
let offset = 0;
/** Shortest round trip so far, in ms. Its response has the most accurate `Date` header. */
let bestRoundTrip = Infinity;

/**
 * Aligns the clock with a response's `Date` header, because countdowns and ages must not depend on the clock of the
 * user's machine. Ignores slow responses, and also differences under two seconds, because the header only has whole
 * seconds.
 */
export const alignClock = (date: string | null, sentAt: number, receivedAt: number): void => {
  const server = date === null ? NaN : Date.parse(date);
  const roundTrip = receivedAt - sentAt;
  if (Number.isNaN(server) || roundTrip > bestRoundTrip * 2) return;
  bestRoundTrip = Math.min(bestRoundTrip, roundTrip);
  const measured = server + 500 - (sentAt + receivedAt) / 2;
  offset = Math.abs(measured) < 2000 ? 0 : measured;
};

/** Returns the server's current time, in ms since 1970. */
export const serverNow = (): number => Date.now() + offset;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tick = serverNow();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick = serverNow();
    for (const each of [...listeners]) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/**
 * Returns the server's time, rounded down to a resolution, and re-renders the component whenever it changes. All
 * callers share one timer.
 * @param resolution in ms; 1,000 for countdowns, 60,000 where minutes are shown
 */
export const useNow = (resolution = 1000): number =>
  useSyncExternalStore(subscribe, () => {
    if (timer === undefined) tick = serverNow();
    return Math.floor(tick / resolution) * resolution;
  });
