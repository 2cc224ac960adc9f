import type { DuePost } from '../../projections/planned-posts/planned-posts.queries.js';
import { shareRound } from './share-round.js';

const due = (ownerId: string, ...targets: readonly number[]): DuePost[] =>
  targets.map((count, n) => ({ postId: `${ownerId}${n}`, stream: '', revision: '0', ownerId, targets: count }));

const share = (posts: readonly DuePost[]): readonly string[][] =>
  shareRound(posts, { targets: 100 }).map((owner) => owner.map(({ postId }) => postId));

it('gives each owner an equal share of the targets', () => {
  const posts = [...due('a', 30, 20, 10), ...due('b', 1, 1), ...due('c', 40)];
  expect(share(posts)).toEqual([['a0'], ['b0', 'b1'], ['c0']]);
});

it('releases at least one post, however many targets it has', () => {
  expect(share(due('a', 500, 1))).toEqual([['a0']]);
});

it('leaves owners to the next round whose posts do not fit', () => {
  expect(share([...due('a', 70), ...due('b', 60), ...due('c', 1)])).toEqual([['a0']]);
});

it('shares nothing if nothing is due', () => {
  expect(share([])).toEqual([]);
});
