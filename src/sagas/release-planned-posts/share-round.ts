import type { DuePost } from '../../projections/planned-posts/planned-posts.queries.js';

/** Limits of a round, small enough that the next round begins within a fraction of a second. */
export const ROUND = { owners: 250, posts: 500, targets: 4_000 } as const;

/**
 * Divides a round between owners (D-79): each gets an equal share of its targets, but at least one post. Owners that do
 * not fit follow in the next round.
 * @param due due posts, grouped by owner
 */
export const shareRound = (
  due: readonly DuePost[],
  { targets: most }: { readonly targets: number } = ROUND,
): readonly (readonly DuePost[])[] => {
  const byOwner: DuePost[][] = [];
  for (const post of due)
    if (byOwner.at(-1)?.[0]!.ownerId === post.ownerId) byOwner.at(-1)!.push(post);
    else byOwner.push([post]);
  const share = most / Math.max(1, byOwner.length);
  const round: DuePost[][] = [];
  let total = 0;
  for (const posts of byOwner) {
    const taken = takeShare(posts, share);
    total += countTargets(taken);
    if (round.length > 0 && total > most) break;
    round.push(taken);
  }
  return round;
};

const takeShare = (posts: readonly DuePost[], share: number): DuePost[] => {
  let targets = 0;
  const end = posts.findIndex((post, i) => (targets += post.targets) > share && i > 0);
  return posts.slice(0, end < 0 ? posts.length : end);
};

/** Returns how many publications the releases queue. */
export const countTargets = (posts: readonly DuePost[]): number => posts.reduce((sum, { targets }) => sum + targets, 0);
