import { chooseLeaseToAskFor, isNext, rank, type SeenWorker, shouldMove } from './leases.js';

const worker = (id: string, ...held: string[]): SeenWorker => ({ id, held, isSilent: false });

it('gives things to the same candidate in each process, and moves only those of one that has gone', () => {
  const things = Array.from({ length: 256 }, (_, i) => String(i));
  const all = ['a', 'b', 'c', 'd'];
  const counts = all.map((id) => things.filter((thing) => rank(thing, all)[0] === id).length);
  expect(Math.min(...counts)).toBeGreaterThan(32);
  for (const thing of things) {
    const [first, second] = rank(thing, all);
    expect(rank(thing, [...all].reverse())[0]).toBe(first);
    expect(rank(thing, ['a', 'b', 'c'])[0]).toBe(first === 'd' ? second : first);
  }
});

it('lets the live workers with the fewest leases take a free one', () => {
  const workers = [worker('a', 'x'), worker('b'), { ...worker('c'), isSilent: true }];
  expect(isNext('a', 1, workers)).toBe(false);
  expect(isNext('b', 0, workers)).toBe(true);
  expect(isNext('a', 0, [worker('a'), { ...worker('c'), isSilent: true }])).toBe(true);
});

it('asks the worker with most leases for one that it waits for', () => {
  const workers = [worker('a', 'w', 'x', 'y'), worker('b', 'v', 'z'), worker('c')];
  expect(chooseLeaseToAskFor('c', 0, ['v', 'x', 'z'], workers)).toEqual({ holder: 'a', name: 'x' });
  expect(chooseLeaseToAskFor('c', 0, ['unknown'], workers)).toBeNull();
  expect(chooseLeaseToAskFor('b', 2, ['w', 'x', 'y'], workers)).toBeNull();
  expect([shouldMove(3, 1), shouldMove(2, 1)]).toEqual([true, false]);
});
