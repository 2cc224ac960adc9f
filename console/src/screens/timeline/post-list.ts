import type { Post } from '../../publications/shown-state.js';

/** A page of posts from the gateway. */
export interface Page {
  readonly items: readonly Post[];
  readonly next: string | null;
  /** ISO 8601; at the end of the list, if older posts are archived. */
  readonly archived_before?: string | undefined;
}

/** The posts that match a filter, newest first, as shown on the screen. */
export interface PostList {
  readonly posts: readonly Post[];
  /** Cursor for older posts; null if there are none. */
  readonly next: string | null;
  /** Older posts are archived (ISO 8601); null if none are, or more posts follow. */
  readonly archivedBefore: string | null;
  /** True if the oldest page is empty although there may be older matches: the gateway limits how many posts it examines. */
  readonly isBarren: boolean;
  /** New posts that are held back so that the list does not move under the pointer. */
  readonly arrived: readonly Post[];
  /** Cursor for unfetched posts between `arrived` and `posts`; null if there are none. */
  readonly gap: string | null;
}

const begin = ({ items, next, archived_before: archivedBefore }: Page): PostList => ({
  posts: items,
  next,
  archivedBefore: archivedBefore ?? null,
  isBarren: items.length === 0 && next !== null,
  arrived: [],
  gap: null,
});

/** Replaces posts with their current versions, in place. Unchanged posts keep their identity. */
export const replaceKnown = (posts: readonly Post[], fresh: ReadonlyMap<string, Post>): readonly Post[] => {
  let isChanged = false;
  const replaced = posts.map((post) => {
    const present = fresh.get(post.id);
    if (!present || isSame(post, present)) return post;
    isChanged = true;
    return { ...post, ...present };
  });
  return isChanged ? replaced : posts;
};

/** Returns whether two versions of a post have equal publications. Ignores other changes. */
const isSame = (a: Post, b: Post): boolean =>
  a === b || JSON.stringify(a.publications) === JSON.stringify(b.publications);

/** Adds older posts at the end. */
export const appendPage = (list: PostList, { items, next, archived_before: archivedBefore }: Page): PostList => {
  const known = new Set(list.posts.map(({ id }) => id));
  const posts = [...list.posts, ...items.filter(({ id }) => !known.has(id))];
  const isBarren = items.length === 0 && next !== null;
  return { ...list, posts, next, archivedBefore: archivedBefore ?? null, isBarren };
};

/**
 * Updates a list with the newest page for its filter. New posts go to `arrived`.
 * @param list undefined if the page is the first of the list
 */
export const addNewest = (list: PostList | undefined, newest: Page): PostList => {
  if (!list) return begin(newest);
  const posts = replaceKnown(list.posts, new Map(newest.items.map((post) => [post.id, post])));
  const first = posts[0];
  if (!first) return begin(newest);
  const known = new Set(posts.map(({ id }) => id));
  const arrived = newest.items.filter(({ id }) => !known.has(id) && id > first.id);
  const isGap = arrived.length > 0 && arrived.length === newest.items.length;
  return { ...list, posts, arrived, gap: isGap ? newest.next : null };
};

/** Shows the posts that have arrived, and removes those that no longer match the filter. */
export const showArrived = (list: PostList, matches: (post: Post) => boolean): PostList => {
  // The posts in between were never fetched, so start over from the newest.
  if (list.gap !== null) return begin({ items: list.arrived, next: list.gap });
  const posts = list.posts.every(matches) ? list.posts : list.posts.filter(matches);
  if (list.arrived.length === 0 && posts === list.posts) return list;
  return { ...list, posts: [...list.arrived, ...posts], arrived: [] };
};

/** Returns whether a page goes back as far as a post, so that it would contain the post if it matched the filter. */
const reaches = (page: Page, id: string): boolean => page.next === null || id >= (page.items.at(-1)?.id ?? '');

/**
 * Returns the ids of listed posts that must be fetched again: posts that are being published, and posts that are
 * missing from the fresh list for one of their states although it goes back far enough.
 * @param fresh fresh lists of posts, by publication state
 */
export const findOutdated = (
  posts: readonly Post[],
  fresh: Readonly<Partial<Record<string, Page>>>,
): readonly string[] => {
  const idsByState = new Map(
    Object.entries(fresh).map(([state, page]) => [state, new Set(page?.items.map(({ id }) => id))]),
  );
  return posts
    .filter(({ id, publications }) =>
      publications.some(({ state }) => {
        if (state === 'publishing') return true;
        const page = fresh[state];
        return page !== undefined && reaches(page, id) && !idsByState.get(state)?.has(id);
      }),
    )
    .map(({ id }) => id);
};
