import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { management } from '../api/management.js';
import type { Publication } from '../publications/states.js';
import { useScope } from '../session/session.js';

/** How many publications are waiting on each channel, and when each channel last published. */
export interface Traffic {
  readonly isLoaded: boolean;
  /** Number of waiting publications, by channel. */
  readonly waiting: ReadonlyMap<string, number>;
  /** True if more publications are waiting than were counted. */
  readonly isMoreWaiting: boolean;
  /** Time of the latest publication (ISO 8601), by channel. Covers only the latest 200 published posts. */
  readonly publishedAt: ReadonlyMap<string, string>;
}

const NONE: readonly Publication[] = [];

const byChannel = <T>(
  publications: readonly Publication[],
  read: (publication: Publication, before: T | undefined) => T | undefined,
): ReadonlyMap<string, T> => {
  const map = new Map<string, T>();
  for (const publication of publications) {
    const value = read(publication, map.get(publication.target_id));
    if (value !== undefined) map.set(publication.target_id, value);
  }
  return map;
};

/** Returns the traffic of all channels in the scope, using two calls. */
export const useTraffic = (): Traffic => {
  const scope = useScope();
  const list = (state: 'queued' | 'published') => ({
    queryKey: ['posts', scope.key, 'traffic', state],
    queryFn: () => management().get('/posts', { query: { ...scope.query, state, limit: 200 } }),
  });
  const queued = useQuery(list('queued')).data;
  const published = useQuery(list('published')).data;
  return useMemo(
    () => ({
      isLoaded: published !== undefined,
      waiting: byChannel<number>(
        queued?.items.flatMap(({ publications }) => publications) ?? NONE,
        ({ state }, before) => (state === 'queued' ? (before ?? 0) + 1 : before),
      ),
      isMoreWaiting: queued !== undefined && queued.next !== null,
      publishedAt: byChannel<string>(
        published?.items.flatMap(({ publications }) => publications) ?? NONE,
        ({ published_at: at }, before) => (at !== null && (before === undefined || at > before) ? at : before),
      ),
    }),
    [queued, published],
  );
};

/** How long a row must be visible before its channel is fetched, in ms, so that scrolling past it fetches nothing. */
const REST_MS = 400;

const useIsResting = (): boolean => {
  const [isResting, setIsResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return isResting;
};

/**
 * Returns the time of a channel's latest publication (ISO 8601); null if it has never published, undefined while
 * loading. Queries the gateway only if the traffic has no time for the channel.
 */
export const useLastPublished = (channelId: string, traffic: Traffic): string | null | undefined => {
  const known = traffic.publishedAt.get(channelId);
  const isResting = useIsResting();
  const asked = useQuery({
    queryKey: ['last-published', channelId],
    queryFn: async () => {
      const { items } = await management().get('/posts', {
        query: { channel_id: channelId, state: 'published', limit: 1 },
      });
      const publications = items[0]?.publications ?? NONE;
      return publications.find(({ target_id: id }) => id === channelId)?.published_at ?? null;
    },
    enabled: known === undefined && traffic.isLoaded && isResting,
  }).data;
  return known ?? asked;
};
