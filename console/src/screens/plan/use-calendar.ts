import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { management } from '../../api/management.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import type { Post } from '../../publications/posts.js';
import { useScope } from '../../session/scope.js';
import type { Period } from './calendar.js';

/** Number of posts per page, and maximum number of pages that the calendar loads. */
const PAGE = 200;
const MAX_PAGES = 5;

/** The posts of a period, earliest first. */
export interface Calendar {
  readonly posts: readonly Post[];
  /** Posts were loaded up to this time, in ms since 1970; null if all posts of the period were loaded. */
  readonly shownUntil: number | null;
}

/**
 * Returns the query for posts that are or were planned for a period. Posts that were cancelled or rejected before their
 * release are omitted.
 */
export const useCalendar = ({ from, to }: Period) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'calendar', from, to],
    queryFn: async (): Promise<Calendar> => {
      const period = { since: new Date(from).toISOString(), until: new Date(to).toISOString() };
      const posts: Post[] = [];
      let cursor: string | null = null;
      let last: string | null | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { ...scope.query, ...period, order: 'publish_at' as const, limit: PAGE };
        const answer: { readonly items: readonly Post[]; readonly next: string | null } = await management().get(
          '/posts',
          { query: { ...query, ...(cursor !== null && { cursor }) } },
        );
        posts.push(...answer.items.filter((post) => isPlanned(post) || post.released_at !== null));
        last = answer.items.at(-1)?.publish_at;
        cursor = answer.next;
        if (cursor === null) break;
      }
      return { posts, shownUntil: cursor === null || !last ? null : Date.parse(last) };
    },
    placeholderData: keepPreviousData,
  });
};

/** Returns the query for the first post planned after a time; its result is null if there is none. */
export const useNextPlanned = (after: number) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'next', after],
    queryFn: async (): Promise<Post | null> => {
      const since = new Date(after).toISOString();
      const query = { ...scope.query, since, state: 'planned' as const, order: 'publish_at' as const, limit: 1 };
      return (await management().get('/posts', { query })).items[0] ?? null;
    },
  });
};

/**
 * Returns the query for posts that are waiting for approval: posts with a time first, earliest first, then posts
 * without one.
 */
export const usePending = () => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'pending'],
    queryFn: async (): Promise<{ readonly posts: readonly Post[]; readonly isMore: boolean }> => {
      const query = { ...scope.query, approval: 'pending' as const, order: 'publish_at' as const, limit: PAGE };
      const { items, next } = await management().get('/posts', { query });
      return { posts: items.filter(needsApproval), isMore: next !== null };
    },
  });
};
