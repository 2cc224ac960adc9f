import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { useScope } from '../../session/scope.js';
import type { TimeWindow } from './window.js';

export type AuditedEvent = Api<'AuditedEvent'>;
export type Ticks = Api<'Ticks'>;
export type Past = Api<'Overview'>;
export type Change = Api<'ChangeOfAggregate'>;

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

/** Returns the query for the differences between two times. @param to null for now */
export const useDifferences = (from: number, to: number | null) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['history', scope.key, 'diff', from, to],
    queryFn: () =>
      management().get('/history/diff', {
        query: { ...scope.query, from: iso(from), ...(to !== null && { to: iso(to) }) },
      }),
    placeholderData: keepPreviousData,
  });
};

/** Returns the paginated query for the events in a window, newest first. */
export const useEvents = ({ from, to }: TimeWindow) => {
  const scope = useScope();
  return useInfiniteQuery({
    queryKey: ['history', scope.key, 'events', from, to],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      management().get('/history/events', {
        query: {
          ...scope.query,
          since: iso(from),
          until: iso(to),
          limit: 100,
          ...(pageParam !== null && { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
};

/** Returns the query for one event. */
export const useEvent = (id: string) =>
  useQuery({
    queryKey: ['event', id],
    queryFn: async () => {
      const { events } = await management().get('/history/trace/{id}', { path: { id } });
      const event = events.find((each) => each.id === id);
      if (!event) throw new Error(`the trace of event ${id} does not contain the event`);
      return event;
    },
  });
