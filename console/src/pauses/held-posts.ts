import { useQuery } from '@tanstack/react-query';
import { management } from '../api/management.js';
import { useScope } from '../session/scope.js';

/** How many publications of a channel are waiting. */
export interface HeldPosts {
  readonly count: number;
  /** True if there are more than were counted. */
  readonly isMore: boolean;
}

/** Returns how many publications of a channel are waiting; undefined while loading, or if the id is null. */
export const useHeldPosts = (channelId: string | null): HeldPosts | undefined => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'queued', channelId],
    queryFn: () => management().get('/posts', { query: { channel_id: channelId ?? '', state: 'queued', limit: 200 } }),
    select: ({ items, next }) => ({
      count: items
        .flatMap(({ publications }) => publications)
        .filter(({ target_id: target, state }) => target === channelId && state === 'queued').length,
      isMore: next !== null,
    }),
    enabled: channelId !== null,
  }).data;
};
