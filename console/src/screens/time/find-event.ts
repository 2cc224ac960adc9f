import { management } from '../../api/management.js';
import type { Scope } from '../../session/scope.js';

/** Number of events on one page of the audit trail. */
const PAGE = 200;

const iso = (at: number): string => new Date(at).toISOString();

/** Returns the time of the last event before a given time; null if there is none. */
export const findPreviousEvent = async (scope: Scope, at: number): Promise<number | null> => {
  const { items } = await management().get('/history/events', {
    query: { ...scope.query, until: iso(at), limit: 1 },
  });
  return items[0] ? Date.parse(items[0].at) : null;
};

/**
 * Returns the time of the first event after a given time; null if there is none. The API lists events newest first, so
 * event counts are used to narrow the period until it is short enough to read.
 */
export const findNextEvent = async (scope: Scope, at: number, now: number): Promise<number | null> => {
  let [from, to] = [at + 1, now + 1];
  while (from < to) {
    const { items, next } = await management().get('/history/events', {
      query: { ...scope.query, since: iso(from), until: iso(to), limit: PAGE },
    });
    const oldest = items.at(-1);
    if (!oldest) return null;
    if (next === null) return Date.parse(oldest.at);
    const { buckets } = await management().get('/history/ticks', {
      query: { ...scope.query, from: iso(from), to: iso(to), buckets: 500 },
    });
    const index = buckets.findIndex(({ events }) => events > 0);
    const bucket = buckets[index];
    if (!bucket) return Date.parse(oldest.at);
    const end = buckets[index + 1]?.at;
    const narrower = end === undefined ? to : Date.parse(end);
    if (narrower >= to) return Date.parse(oldest.at);
    [from, to] = [Math.max(from, Date.parse(bucket.at)), narrower];
  }
  return null;
};
