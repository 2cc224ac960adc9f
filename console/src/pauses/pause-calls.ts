import { useQuery } from '@tanstack/react-query';
import { management, queryClient } from '../api/management.js';
import { useScope } from '../session/session.js';

/** A channel or project that can be paused. */
export interface Pausable {
  readonly kind: 'channel' | 'project';
  readonly id: string;
  readonly name: string;
  /** ISO 8601; null if it is not paused. */
  readonly paused_until: string | null;
}

/** Maximum length of a pause, in minutes. */
export const MAX_PAUSE_MINUTES = 1440;

/** Key prefixes of the queries that show pauses. */
const SHOWN_BY = ['overview', 'channels', 'channel', 'projects', 'project', 'posts', 'post', 'publication'];

/** Refetches everything that shows pauses. */
export const refreshPauses = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => SHOWN_BY.includes(String(first)) });

/**
 * Pauses a channel or project. Returns the end of its pause, which is later than requested if a longer pause applies.
 */
export const pause = async ({ kind, id }: Pausable, minutes: number): Promise<string | null> => {
  const given = { path: { id }, body: { minutes } };
  const { paused_until: until } =
    kind === 'channel'
      ? await management().post('/channels/{id}/pause', given)
      : await management().post('/projects/{id}/pause', given);
  await refreshPauses();
  return until;
};

/** Ends the pause of a channel or project. */
export const resume = async ({ kind, id }: Pausable): Promise<void> => {
  const given = { path: { id } };
  if (kind === 'channel') await management().post('/channels/{id}/resume', given);
  else await management().post('/projects/{id}/resume', given);
  await refreshPauses();
};

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
