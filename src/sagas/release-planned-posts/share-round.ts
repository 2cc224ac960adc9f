import type { DuePost } from '../../projections/planned-posts/planned-posts.queries.js';

/** Limits of a round. */
export interface RoundBounds {
  readonly owners: number;
  readonly posts: number;
  readonly targets: number;
}

/** The largest round. */
export const ROUND: RoundBounds = { owners: 250, posts: 500, targets: 4_000 };
/** How long a round should take, in ms: another owner's post waits for the end of one, and for its own. */
const ROUND_MS = 250;
const FEWEST_POSTS = 50;

/** Returns the bounds of a round with a number of posts. */
const boundsOf = (posts: number): RoundBounds => ({
  owners: Math.min(ROUND.owners, posts),
  posts,
  targets: Math.ceil((ROUND.targets * posts) / ROUND.posts),
});

/** The first round of many is small: how long it takes shows how large the next ones may be. */
export const FIRST_ROUND = boundsOf(FEWEST_POSTS);

/** Returns the bounds of the next round: smaller if a round took too long, for example because the machine is busy. */
export const nextRound = ({ posts }: RoundBounds, tookMs: number): RoundBounds => {
  const fitting = Math.floor(posts * Math.min(2, ROUND_MS / Math.max(1, tookMs)));
  return boundsOf(Math.min(ROUND.posts, Math.max(FEWEST_POSTS, fitting)));
};

/**
 * Divides a round between owners (D-79): each gets an equal share of its targets, but at least one post. Owners that do
 * not fit follow in the next round.
 * @param due due posts, grouped by owner
 */
export const shareRound = (
  due: readonly DuePost[],
  { targets: most }: Pick<RoundBounds, 'targets'>,
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
