import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { type Scope, useScope } from '../../session/session.js';
import type { TimeWindow } from './window.js';

export type AuditedEvent = Api<'AuditedEvent'>;
export type ListedEvent = Api<'ListedEvent'>;
export type Ticks = Api<'Ticks'>;
export type Past = Api<'Overview'>;

/** Minimum time between two requests while the slider is dragged, in ms. */
const THROTTLE_MS = 250;

/** Throttles a value to at most four updates a second. */
export const useThrottled = <T>(value: T): T => {
  const [shown, setShown] = useState(value);
  const shownAt = useRef(0);
  useEffect(() => {
    const show = (): void => {
      shownAt.current = performance.now();
      setShown(value);
    };
    const timer = setTimeout(show, Math.max(0, shownAt.current + THROTTLE_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
};

const iso = (at: number): string => new Date(at).toISOString();

/** Returns the query for a window's event counts, pauses, holds, and changes by people. */
export const useTicks = ({ from, to }: TimeWindow, buckets: number) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['ticks', scope.key, from, to, buckets],
    queryFn: () =>
      management().get('/history/ticks', { query: { ...scope.query, from: iso(from), to: iso(to), buckets } }),
    placeholderData: keepPreviousData,
  });
};

/** Returns the query for the state of channels, projects and endpoints at a given time. @param at null for now */
export const usePast = (at: number | null) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['history', scope.key, 'state', at],
    queryFn: () => management().get('/history', { query: { ...scope.query, ...(at !== null && { at: iso(at) }) } }),
    placeholderData: keepPreviousData,
  });
};

const AGGREGATES = {
  posts: ['post', 'publication', 'media'],
  pauses: ['channel-pause', 'project-pause'],
  settings: ['channel', 'project', 'endpoint', 'webhook-output', 'owner', 'key'],
} as const;

/** Aggregates of each kind of event; null for all, including deliveries and notices. */
export const KINDS = { ...AGGREGATES, everything: null } as const;
export type Kind = keyof typeof KINDS;

/** Aggregates whose events are listed by default. */
const USUAL = Object.values(AGGREGATES).flat();

const aggregatesOf = (kind: Kind | undefined): readonly string[] | null => (kind === undefined ? USUAL : KINDS[kind]);

/** Which events are listed. Absent members match all; without a kind, the usual ones are listed. */
export interface EventFilter {
  readonly kind?: Kind | undefined;
  /** Id of a channel, set, endpoint, webhook, post or publication. */
  readonly thing?: string | undefined;
  readonly by?: string | undefined;
}

/** Reads a page of the events in a period, newest first. */
export const readEvents = (
  scope: Scope,
  { from, to }: TimeWindow,
  { kind, thing, by }: EventFilter,
  page: { readonly limit: number; readonly cursor?: string },
) => {
  const aggregates = aggregatesOf(kind);
  return management().get('/history/events', {
    query: {
      ...scope.query,
      since: iso(from),
      until: iso(to),
      ...(aggregates && { aggregate: aggregates.join() }),
      ...(thing !== undefined && { id: thing }),
      ...(by !== undefined && { actor: by }),
      ...page,
    },
  });
};

/** Returns the paginated query for the events in a period, newest first. */
export const useEvents = ({ from, to }: TimeWindow, filter: EventFilter) => {
  const scope = useScope();
  const { kind, thing, by } = filter;
  return useInfiniteQuery({
    queryKey: ['history', scope.key, 'events', from, to, kind, thing, by],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      readEvents(scope, { from, to }, filter, { limit: 100, ...(pageParam !== null && { cursor: pageParam }) }),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
};

/** Returns the query for the state of a thing at a time, for things that no list has, such as deleted ones. */
export const usePastThing = (aggregate: string, id: string, at: string, enabled: boolean) =>
  useQuery({
    queryKey: ['past-thing', aggregate, id],
    queryFn: () => management().get('/history/{aggregate}/{id}', { path: { aggregate, id }, query: { at, limit: 1 } }),
    enabled,
    retry: false,
  });

/** Returns the query for what one event changed in a thing. */
export const useChanges = (aggregate: string, id: string, at: string, eventId: string) =>
  useQuery({
    queryKey: ['event-change', eventId],
    queryFn: async () => {
      const query = { from: iso(Date.parse(at) - 1), to: at };
      const { changes } = await management().get('/history/{aggregate}/{id}/diff', { path: { aggregate, id }, query });
      return changes.filter(({ event_id: author }) => author === eventId);
    },
  });

/** Number of events on one page of the audit trail. */
const PAGE = 200;

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
