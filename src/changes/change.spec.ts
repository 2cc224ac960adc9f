import { type Change, type ChangeKind, coalesceChanges, MAX_IDS } from './change.js';

const change = (position: number, kind: ChangeKind, ...ids: readonly string[]): Change => ({
  position: BigInt(position),
  kind,
  ids,
  ownerId: null,
});
const coalesce = (...changes: readonly Change[]) =>
  coalesceChanges(changes).map(({ position, kind, ids }) => [Number(position), kind, ...ids]);

describe('coalesceChanges', () => {
  it('combines the changes of one kind, with each id once', () => {
    expect(coalesce()).toEqual([]);
    expect(coalesce(change(7, 'post', 'post_1'))).toEqual([[7, 'post', 'post_1']]);
    expect(
      coalesce(
        change(3, 'publication', 'pub_1', 'post_1'),
        change(4, 'publication', 'pub_2', 'post_1'),
        change(9, 'publication', 'pub_1', 'post_1'),
      ),
    ).toEqual([[9, 'publication', 'pub_2', 'post_1', 'pub_1']]);
  });

  it('keeps the order of the log, so that a reader resumes after any message without a repeat', () => {
    const messages = coalesce(
      change(1, 'post', 'post_1'),
      change(2, 'post', 'post_2'),
      change(5, 'publication', 'pub_1'),
      change(6, 'post', 'post_3'),
      change(8, 'delivery', 'dlv_1'),
      change(9, 'publication', 'pub_2'),
    );
    expect(messages).toEqual([
      [2, 'post', 'post_1', 'post_2'],
      [5, 'publication', 'pub_1'],
      [6, 'post', 'post_3'],
      [8, 'delivery', 'dlv_1'],
      [9, 'publication', 'pub_2'],
    ]);
  });

  it('tells of a resource at its last change', () => {
    const messages = coalesce(
      change(1, 'publication', 'pub_1', 'post_1'),
      change(2, 'post', 'post_2'),
      change(3, 'publication', 'pub_2', 'post_2'),
      change(4, 'publication', 'pub_1', 'post_1'),
    );
    expect(messages).toEqual([
      [2, 'post', 'post_2'],
      [4, 'publication', 'pub_2', 'post_2', 'pub_1', 'post_1'],
    ]);
  });

  it('begins another message where there are too many ids', () => {
    const changes = Array.from({ length: MAX_IDS + 50 }, (_, n) =>
      change(n, 'publication', `pub_${n}`, `post_${n % 3}`),
    );
    const messages = coalesceChanges(changes);
    expect(messages.map(({ ids }) => ids.length <= MAX_IDS)).toEqual([true, true]);
    expect(new Set(messages.flatMap(({ ids }) => ids)).size).toBe(MAX_IDS + 53);
    expect(messages.map(({ position }) => Number(position))).toEqual([MAX_IDS - 4, MAX_IDS + 49]);
  });
});
