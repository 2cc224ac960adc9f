import { useEffect } from 'react';
import type { Post } from '../../publications/posts.js';
import type { TimeWindow } from './time-window.js';
import { type PostFilter, usePostList } from './use-post-list.js';

/** The lanes stop loading more posts once this many are loaded. */
const MAX_POSTS = 1000;

/**
 * Returns the posts for a window of the lanes, in every state. If there are too many to load, `completeSince` is the
 * start of the fully loaded period, in ms since 1970; otherwise null.
 */
export const useLaneHistory = (
  filter: PostFilter,
  { from, to }: TimeWindow,
  isPast: boolean,
  isHeld: boolean,
): { readonly posts: readonly Post[]; readonly completeSince: number | null } => {
  const { list, loadMore, error } = usePostList(
    { ...filter, ...(isPast && { until: new Date(to).toISOString() }) },
    isHeld,
  );
  const posts = list?.posts ?? NONE;
  const oldest = posts.at(-1);
  const since = oldest ? Date.parse(oldest.accepted_at) : null;
  const isShort = list !== undefined && list.next !== null && since !== null && since > from;
  useEffect(() => {
    if (isShort && posts.length < MAX_POSTS && !error) void loadMore();
  }, [isShort, posts.length, loadMore, error]);
  return {
    posts: list && list.arrived.length > 0 ? [...list.arrived, ...posts] : posts,
    completeSince: isShort && posts.length >= MAX_POSTS ? since : null,
  };
};

const NONE: readonly Post[] = [];
