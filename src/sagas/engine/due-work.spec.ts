import { OwnShards } from './due-work.js';

const WORKERS = ['a', 'b', 'c'];

/** Returns the shards of each worker for this number of channels. */
const shardsOf = (channels: number, holder: string | null = null): string[][] =>
  WORKERS.map((workerId) => {
    const shards = new OwnShards({ workerId, liveWorkers: WORKERS, findHolder: () => holder }, 'publish-schedule');
    shards.update(channels);
    return [...shards.list!];
  });

it('divides all shards among the workers', () => {
  const shards = shardsOf(1_000);
  expect(shards.flat().sort()).toEqual(Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0')));
  expect(Math.min(...shards.map(({ length }) => length))).toBeGreaterThan(40);
});

it('leaves few channels to few workers, the holder of the schedule first', () => {
  expect(shardsOf(20, 'b').map(({ length }) => length)).toEqual([0, 256, 0]);
  expect(shardsOf(33).filter(({ length }) => length > 0)).toHaveLength(2);
});

it('limits a worker that is alone, or not registered, to no shard', () => {
  for (const leases of [
    { workerId: 'a', liveWorkers: ['a'], findHolder: () => null },
    { workerId: null, liveWorkers: WORKERS, findHolder: () => null },
  ]) {
    const shards = new OwnShards(leases, 'publish-schedule');
    shards.update(1_000);
    expect(shards.list).toBeNull();
    expect(shards.has('tgt_00')).toBe(true);
    expect(shards.hasAny(new Set(['00']))).toBe(true);
  }
});

it('is concerned by its own shards alone', () => {
  const shards = new OwnShards({ workerId: 'a', liveWorkers: WORKERS, findHolder: () => 'b' }, 'publish-schedule');
  shards.update(20);
  expect(shards.hasAny(new Set(['00', 'ff']))).toBe(false);
  expect(shards.hasAny(null)).toBe(true);
});
