import type { Post } from '../../publications/shown-state.js';
import { addNewest, appendPage, findOutdated, type PostList, replaceKnown, showArrived } from './post-list.js';

const post = (number: number, state = 'published'): Post =>
  ({ id: `post_${number}`, publications: [{ state }] }) as unknown as Post;
const ids = (posts: readonly Post[]): string => posts.map(({ id }) => id.slice(5)).join(' ');
const all = (): boolean => true;
const list: PostList = {
  posts: [post(5), post(4, 'queued')],
  next: 'older',
  archivedBefore: null,
  isBarren: false,
  arrived: [],
  gap: null,
};

describe('the list of posts', () => {
  it('begins with the newest page, and continues with older ones', () => {
    const begun = addNewest(undefined, { items: [post(5), post(4)], next: 'cursor' });
    expect([ids(begun.posts), begun.next]).toEqual(['5 4', 'cursor']);
    const continued = appendPage(begun, { items: [post(4), post(3)], next: null });
    expect([ids(continued.posts), continued.next]).toEqual(['5 4 3', null]);
    const ended = appendPage(begun, { items: [], next: null, archived_before: '2026-03-01T00:00:00.000Z' });
    expect([begun.archivedBefore, ended.archivedBefore]).toEqual([null, '2026-03-01T00:00:00.000Z']);
  });

  it('keeps new posts apart until they are to be shown, and changes known ones in place', () => {
    const updated = addNewest(list, { items: [post(6), post(5), post(4)], next: 'x' });
    expect([ids(updated.posts), ids(updated.arrived)]).toEqual(['5 4', '6']);
    expect(updated.posts[0]).toBe(list.posts[0]);
    expect(updated.posts[1]?.publications[0]?.state).toBe('published');
    expect(ids(showArrived(updated, all).posts)).toBe('6 5 4');
  });

  it('begins again if more posts have arrived than a page holds', () => {
    const updated = addNewest(list, { items: [post(9), post(8)], next: 'before 8' });
    const shown = showArrived(updated, all);
    expect([ids(shown.posts), shown.next, shown.gap]).toEqual(['9 8', 'before 8', null]);
  });

  it('leaves out posts that no longer match when it may move', () => {
    const isQueued = ({ publications }: Post): boolean => publications[0]?.state === 'queued';
    expect(ids(showArrived(list, isQueued).posts)).toBe('4');
    expect(showArrived({ ...list, posts: [post(4, 'queued')] }, isQueued).posts).toHaveLength(1);
  });

  it('does not change without a reason', () => {
    expect(replaceKnown(list.posts, new Map([['post_5', post(5)]]))).toBe(list.posts);
    expect(showArrived(list, all)).toBe(list);
  });

  it('finds posts whose publications have ended meanwhile', () => {
    const queued = { items: [post(4, 'queued')], next: 'more' };
    const posts = [post(6, 'queued'), post(5, 'publishing'), post(4, 'queued'), post(2, 'queued'), post(1)];
    // The list of queued posts ends at 4, so it says nothing about 2.
    expect(findOutdated(posts, { queued })).toEqual(['post_6', 'post_5']);
    expect(findOutdated(posts, { queued: { ...queued, next: null } })).toEqual(['post_6', 'post_5', 'post_2']);
  });
});
