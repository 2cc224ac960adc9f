import type { DuePost } from '../../projections/planned-posts/planned-posts.queries.js';
import { FIRST_ROUND, nextRound, ROUND, shareRound } from './ordered-releases.js';

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

it('makes the next round as large as time allows, from small rounds to the largest', () => {
  expect(nextRound(FIRST_ROUND, 10)).toEqual({ owners: 100, posts: 100, targets: 800 });
  expect(nextRound({ owners: 250, posts: 400, targets: 3_200 }, 10)).toEqual(ROUND);
  expect(nextRound(ROUND, 500)).toEqual({ owners: 250, posts: 250, targets: 2_000 });
  expect(nextRound(ROUND, 60_000)).toEqual(FIRST_ROUND);
});
