import { NETWORKS, networkTitle } from '../../components/networks.js';
import type { Format } from '../../i18n/format.js';
import type { TimelineMessages } from './messages.js';
import type { WaitingSummary } from './waiting-summary.js';

/**
 * Returns the heading of the timeline: how many publications are waiting, and for what.
 * @param isMore true if there are more publications than were counted
 */
export const describeSummary = (
  { total, person, pause, retry, next, networks }: WaitingSummary,
  isMore: boolean,
  m: TimelineMessages,
  format: Format,
): string => {
  if (isMore) return m.manyWaiting(format.number(total));
  const reasons: readonly (readonly [number, string])[] = [
    [person, m.forYou],
    [pause, m.forPause],
    ...NETWORKS.map((network) => [networks[network] ?? 0, m.forNetwork(networkTitle(network))] as const),
    [retry, m.forRetry],
    [next, m.forTurn],
  ];
  const parts = reasons.filter(([count]) => count > 0);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (parts.length === 0) return m.allPublished;
  if (only) return m.waitingFor(total, format.number(total), only[1]);
  return m.waiting(
    total,
    format.number(total),
    parts.map(([count, reason]) => m.part(format.number(count), reason)),
  );
};
