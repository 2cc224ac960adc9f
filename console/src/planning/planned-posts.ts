import type { Post } from '../publications/shown-state.js';

/** Returns whether a post is still planned, i.e. waiting for its time or for approval and not queued yet. */
export const isPlanned = ({ released_at: releasedAt, publications }: Pick<Post, 'released_at' | 'publications'>) =>
  releasedAt === null && publications.some(({ state }) => state === 'planned');

/** Returns whether a planned post is waiting for a decision. */
export const needsApproval = (post: Pick<Post, 'released_at' | 'publications' | 'approval'>): boolean =>
  isPlanned(post) && post.approval?.state === 'pending';

/** Returns the networks that a post goes to, without duplicates, in the order of its publications. */
export const networksOf = ({ publications }: Pick<Post, 'publications'>): readonly string[] => [
  ...new Set(publications.map(({ platform }) => platform)),
];
