import { BoundedCache } from './bounded-cache.js';

describe('BoundedCache', () => {
  const filled = () => {
    const cache = new BoundedCache<number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    return cache;
  };
  const entriesOf = (cache: BoundedCache<number>) => ['a', 'b', 'c'].map((key) => cache.get(key));

  it('removes the entry that was written the longest time ago when it is full', () => {
    const cache = filled();
    cache.set('c', 3);
    expect(entriesOf(cache)).toEqual([undefined, 2, 3]);
  });

  it('counts an entry that is written again as new, and removes no other entry for it', () => {
    const cache = filled();
    cache.set('a', 4);
    expect(entriesOf(cache)).toEqual([4, 2, undefined]);
    cache.set('c', 3);
    expect(entriesOf(cache)).toEqual([4, undefined, 3]);
  });

  it('creates an entry only if there is none', () => {
    const cache = filled();
    expect(cache.getOrCreate('a', () => 9)).toBe(1);
    expect(cache.getOrCreate('c', () => 9)).toBe(9);
    expect(entriesOf(cache)).toEqual([undefined, 2, 9]);
  });

  it('forgets an entry that is deleted', () => {
    const cache = filled();
    cache.delete('a');
    cache.set('c', 3);
    expect(entriesOf(cache)).toEqual([undefined, 2, 3]);
  });
});
