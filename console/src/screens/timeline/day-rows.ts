import type { Post } from '../../publications/posts.js';

/** A row of the list: a post, or a heading for a day's posts. */
export type Row =
  | { readonly kind: 'post'; readonly id: string; readonly post: Post }
  | { readonly kind: 'day'; readonly id: string; readonly at: string };

/** Returns the rows of the post list. Every day except today gets a heading row. */
export const toRows = (posts: readonly Post[], now: number): readonly Row[] => {
  const rows: Row[] = [];
  let day = new Date(now).toDateString();
  for (const post of posts) {
    const own = new Date(post.accepted_at).toDateString();
    if (own !== day) rows.push({ kind: 'day', id: own, at: post.accepted_at });
    day = own;
    rows.push({ kind: 'post', id: post.id, post });
  }
  return rows;
};
