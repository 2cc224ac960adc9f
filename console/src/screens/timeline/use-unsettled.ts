import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { management } from '../../api/management.js';
import { queryClient } from '../../api/query-client.js';
import type { Post } from '../../publications/posts.js';
import { type Scope, useScope } from '../../session/scope.js';
import { findOutdated, type Page, type PostList, replaceKnown } from './post-list.js';

/** Maximum number of posts to refetch after a change, starting with the newest outdated post. */
const READ_AGAIN = 100;

type UnsettledState = 'planned' | 'queued' | 'in_doubt' | 'failed';

/** Returns the newest 200 posts that have a publication in the given state. */
const useByState = (state: UnsettledState): Page | undefined => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'state', state],
    queryFn: () => management().get('/posts', { query: { ...scope.query, state, limit: 200 } }),
  }).data;
};

/** Posts with planned, waiting, in-doubt or failed publications; undefined while they are loading. */
export type Unsettled = Readonly<Record<'planned' | 'queued' | 'inDoubt' | 'failed', Page | undefined>>;

/**
 * Returns the posts in the scope that are planned, waiting, in doubt or failed: the newest 200 in each state. Also
 * updates the timeline's lists with these posts, because publications change more often than the pages of a list are
 * refetched.
 */
export const useUnsettled = (): Unsettled => {
  const scope = useScope();
  const planned = useByState('planned');
  const queued = useByState('queued');
  const inDoubt = useByState('in_doubt');
  const failed = useByState('failed');

  useEffect(() => {
    if (!planned || !queued || !inDoubt || !failed) return;
    const fresh = { planned, queued, in_doubt: inDoubt, failed };
    const posts = Object.values(fresh).flatMap(({ items }) => items);
    updateLists(scope.key, posts);
    void readOutdated(scope, fresh);
  }, [planned, queued, inDoubt, failed, scope]);

  return useMemo(() => ({ planned, queued, inDoubt, failed }), [planned, queued, inDoubt, failed]);
};

const updateLists = (scopeKey: string, posts: readonly Post[]): void => {
  const fresh = new Map(posts.map((post) => [post.id, post]));
  queryClient.setQueriesData<PostList>({ queryKey: ['timeline', scopeKey] }, (list) => {
    if (!list) return list;
    const replaced = replaceKnown(list.posts, fresh);
    return replaced === list.posts ? list : { ...list, posts: replaced };
  });
};

/**
 * Refetches the newest outdated post and up to 99 older posts. Outdated posts further back have to wait for the next
 * change.
 */
const readOutdated = async (scope: Scope, fresh: Readonly<Record<UnsettledState, Page>>): Promise<void> => {
  const lists = queryClient.getQueriesData<PostList>({ queryKey: ['timeline', scope.key] });
  const shown = new Map(lists.flatMap(([, list]) => (list?.posts ?? []).map((post) => [post.id, post] as const)));
  const newest = shown.get(
    findOutdated([...shown.values()], fresh)
      .toSorted()
      .at(-1) ?? '',
  );
  if (!newest) return;
  const until = new Date(Date.parse(newest.accepted_at) + 1).toISOString();
  const page = await management()
    .get('/posts', { query: { ...scope.query, until, limit: READ_AGAIN } })
    .catch(() => null); // The next change triggers another request.
  if (page) updateLists(scope.key, page.items);
};
