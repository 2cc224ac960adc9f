import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { management } from '../../api/management.js';
import { queryClient } from '../../api/query-client.js';
import type { Post } from '../../publications/posts.js';
import { type Scope, useScope } from '../../session/scope.js';
import { findOutdated, type Page, type PostList, replaceKnown } from './post-list.js';

/** Number of posts that are read again after a change, starting with the newest outdated one. */
const READ_AGAIN = 100;

type UnsettledState = 'planned' | 'queued' | 'in_doubt' | 'failed';

/** Returns the posts with a publication in a state, the newest 200 of them. */
const useByState = (state: UnsettledState): Page | undefined => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'state', state],
    queryFn: () => management().get('/posts', { query: { ...scope.query, state, limit: 200 } }),
  }).data;
};

/** The posts that are planned, waiting, in doubt or failed; undefined while they are loading. */
export type Unsettled = Readonly<Record<'planned' | 'queued' | 'inDoubt' | 'failed', Page | undefined>>;

/**
 * Returns the posts in the scope that are planned, waiting, in doubt or failed, and updates the timeline's lists from
 * them, because a publication changes more often than its page of a list is read again.
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

/** Reads again the newest posts whose unfinished publications have ended. The others follow after the next change. */
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
    .catch(() => null); // The next change triggers another read.
  if (page) updateLists(scope.key, page.items);
};
