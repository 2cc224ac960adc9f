import { skipToken, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { management, queryClient } from '../../api/management.js';
import type { Post, Publication } from '../../publications/shown-state.js';
import { useScope } from '../../session/session.js';
import { addNewest, appendPage, type PostList, showArrived } from './post-list.js';

/** A post filter that the gateway applies, with the API's parameter names. */
export interface PostFilter {
  readonly state?: Publication['state'];
  readonly channel_id?: string;
  readonly project_id?: string;
  /** Only posts that were accepted before this time. */
  readonly until?: string;
  /** Words of the posts. */
  readonly text?: string;
  /** Actor that posted or decided. */
  readonly by?: string;
}

/** Number of newest posts to fetch again whenever something changes. */
const NEWEST = 40;
const PAGE = 200;

/** Keys of the lists that are loading older posts; limits each list to one request at a time. */
const loading = new Set<string>();

/** Returns whether one of a post's publications matches every part of a filter. Ignores `until`. */
export const matchesFilter = (
  { publications }: Post,
  { state, channel_id: channel, project_id: project, platform }: PostFilter & { readonly platform?: string },
): boolean =>
  publications.some(
    (publication) =>
      (state === undefined || publication.state === state) &&
      (channel === undefined || publication.target_id === channel) &&
      (project === undefined || publication.project_id === project) &&
      (platform === undefined || publication.platform === platform),
  );

/**
 * Returns the posts that match a filter, with functions to load more. The list is kept for ten minutes after leaving
 * the screen, so that going back from a post shows the same rows.
 * @param isHeld true while the list must not move; new posts are then kept in `arrived`
 */
export const usePostList = (filter: PostFilter, isHeld: boolean) => {
  const scope = useScope();
  const filterKey = JSON.stringify(filter);
  const key = ['timeline', scope.key, filterKey];
  const id = key.join();
  // A deep comparison of thousands of posts after each change would take longer than showing them.
  const list = useQuery<PostList>({ queryKey: key, queryFn: skipToken, structuralSharing: false }).data;
  const [error, setError] = useState<{ readonly id: string; readonly cause: unknown } | null>(null);
  const newest = useQuery({
    queryKey: ['posts', scope.key, 'newest', filterKey],
    queryFn: () => management().get('/posts', { query: { ...scope.query, ...filter, limit: NEWEST } }),
  });

  useEffect(() => {
    const page = newest.data;
    if (page) queryClient.setQueryData<PostList>(['timeline', scope.key, filterKey], (old) => addNewest(old, page));
  }, [newest.data, scope.key, filterKey]);

  const show = useCallback(() => {
    const parsed = JSON.parse(filterKey) as PostFilter;
    queryClient.setQueryData<PostList>(
      ['timeline', scope.key, filterKey],
      (old) => old && showArrived(old, (post) => matchesFilter(post, parsed)),
    );
  }, [scope.key, filterKey]);

  useEffect(() => {
    if (!isHeld) show();
  }, [isHeld, show, list]);

  const next = list?.next ?? null;
  const loadMore = useCallback(async () => {
    if (next === null || loading.has(id)) return;
    loading.add(id);
    setError(null);
    try {
      const query = { ...scope.query, ...(JSON.parse(filterKey) as PostFilter), limit: PAGE, cursor: next };
      const page = await management().get('/posts', { query });
      queryClient.setQueryData<PostList>(
        ['timeline', scope.key, filterKey],
        (old) => old && (old.next === next ? appendPage(old, page) : old),
      );
    } catch (cause) {
      setError({ id, cause });
    } finally {
      loading.delete(id);
    }
  }, [next, id, scope, filterKey]);

  return {
    list,
    /** Error from the last request; null if the list is up to date or loading. */
    error: error?.id === id ? error.cause : list ? null : newest.error,
    retry: () => void (list ? loadMore() : newest.refetch()),
    loadMore,
    show,
  };
};
