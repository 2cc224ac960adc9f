import type { DuePost } from '../../projections/planned-posts/planned-posts.queries.js';
import { FIRST_ROUND, nextRound, ROUND, shareRound } from './ordered-releases.js';

const due = (ownerId: string, ...targets: readonly number[]): DuePost[] =>
  targets.map((count, n) => ({ postId: `${ownerId}${n}`, stream: '', revision: '0', ownerId, targets: count }));

const share = (posts: readonly DuePost[]) => {
  const { small, large, last } = shareRound(posts, { targets: 100 });
  const idsOf = (owners: readonly (readonly DuePost[])[]) => owners.flat().map(({ postId }) => postId);
  return { small: idsOf(small), large: idsOf(large), last };
};

it('gives each owner an equal share of the targets', () => {
  const posts = [...due('a', 30, 20, 10), ...due('b', 1, 1), ...due('c', 33)];
  expect(share(posts)).toEqual({ small: ['a0', 'c0', 'b0', 'b1'], large: [], last: 'c' });
});

it('begins with the owners that have the fewest posts', () => {
  expect(share([...due('a', 1, 1, 1), ...due('b', 1), ...due('c', 1, 1)]).small).toEqual([
    'b0',
    'c0',
    'c1',
    'a0',
    'a1',
    'a2',
  ]);
});

it('releases at least one post, however many targets it has', () => {
  expect(share(due('a', 500, 1))).toEqual({ small: [], large: ['a0'], last: 'a' });
});

it('keeps no owner waiting for another whose post is larger than its share', () => {
  expect(share([...due('a', 500), ...due('b', 1), ...due('c', 2)])).toMatchObject({
    small: ['b0', 'c0'],
    large: ['a0'],
  });
});

it('counts a post with very many targets as large, however large the round is', () => {
  const { small, large } = shareRound([...due('a', 401), ...due('b', 400)], { targets: 4_000 });
  expect([small, large].map((owners) => owners.flat().map(({ ownerId }) => ownerId))).toEqual([['b'], ['a']]);
});

it('leaves owners to the beginning of the next round whose large posts do not fit', () => {
  const posts = [...due('a', 70), ...due('b', 60), ...due('c', 1)];
  expect(share(posts)).toEqual({ small: ['c0'], large: ['a0'], last: 'a' });
  expect(share([...due('a', 40), ...due('b', 50), ...due('c', 1)])).toMatchObject({ large: ['a0', 'b0'], last: 'c' });
});

it('shares nothing if nothing is due', () => {
  expect(share([])).toEqual({ small: [], large: [], last: '' });
});

it('makes the next round as large as time allows, from small rounds to the largest', () => {
  expect(nextRound(FIRST_ROUND, 10)).toEqual({ owners: 100, posts: 100, targets: 800 });
  expect(nextRound({ owners: 250, posts: 400, targets: 3_200 }, 10)).toEqual(ROUND);
  expect(nextRound(ROUND, 500)).toEqual({ owners: 250, posts: 250, targets: 2_000 });
  expect(nextRound(ROUND, 60_000)).toEqual(FIRST_ROUND);
});
