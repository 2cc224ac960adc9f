import { useQuery } from '@tanstack/react-query';
import { management } from '../../api/management.js';
import { useScope } from '../../session/scope.js';
import type { HistorySpan } from './lane-bars.js';
import type { TimeWindow } from './time-window.js';

const HOUR = 3_600_000;

/**
 * Returns the pauses and holds in a window. Fetches whole hours, so that moving the window within them does not need
 * another request.
 */
export const useSpans = ({ from, to }: TimeWindow): readonly HistorySpan[] => {
  const scope = useScope();
  const begin = new Date(Math.floor(from / HOUR) * HOUR).toISOString();
  const end = new Date(Math.ceil(to / HOUR) * HOUR).toISOString();
  const { data } = useQuery({
    queryKey: ['ticks', scope.key, 'spans', begin, end],
    queryFn: () => management().get('/history/ticks', { query: { ...scope.query, from: begin, to: end, buckets: 1 } }),
    placeholderData: (before) => before,
  });
  return data?.spans ?? NONE;
};

const NONE: readonly HistorySpan[] = [];
