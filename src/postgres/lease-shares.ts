import { hash } from 'node:crypto';

/** A worker as the latest look at the database has shown it. */
export interface SeenWorker {
  readonly id: string;
  /** Names of the leases that it holds, of those that this process asks for. */
  readonly held: readonly string[];
  /** True if its heartbeat is late: it may be suspended. */
  readonly isSilent: boolean;
}

/** Returns the shard of a lease, or of the thing that its name ends with: one of 256 where that ends with random hex digits. */
export const shardOf = (name: string): string => name.slice(-2);

/**
 * Orders candidates for a thing, best first, by rendezvous hashing: all processes with the same candidates agree, and when one
 * comes or goes only the things change that it takes or leaves.
 */
export const rank = (thing: string, candidates: readonly string[]): string[] => {
  const weights = new Map(candidates.map((one) => [one, hash('sha1', `${one} ${thing}`)]));
  return [...candidates].sort((a, b) => (weights.get(a)! < weights.get(b)! ? 1 : -1));
};

/**
 * True if a worker with so many leases may take a free one at once: no other live worker has fewer. The others have seen it
 * too and come first.
 */
export const isNext = (self: string, count: number, workers: readonly SeenWorker[]): boolean =>
  workers.every(({ id, held, isSilent }) => id === self || isSilent || held.length >= count);

/** True if a lease should move from a worker with `theirs` leases to one with `ours`: that makes the numbers more even. */
export const shouldMove = (theirs: number, ours: number): boolean => theirs - ours >= 2;

/**
 * Returns the lease that a worker asks another one for: one of a worker that holds at least two more. Null if it waits for
 * none of them.
 */
export const chooseLeaseToAskFor = (
  self: string,
  count: number,
  wanted: readonly string[],
  workers: readonly SeenWorker[],
): { readonly holder: string; readonly name: string } | null => {
  const offers = workers
    .filter(({ id, held, isSilent }) => id !== self && !isSilent && shouldMove(held.length, count))
    .flatMap(({ id, held }) => held.filter((name) => wanted.includes(name)).map((name) => ({ holder: id, name })));
  const most = Math.max(...offers.map(({ holder }) => heldBy(holder, workers)));
  const best = offers.filter(({ holder }) => heldBy(holder, workers) === most).map(({ name }) => name);
  // Workers that ask at the same time ask for different leases, as far as that goes.
  const [name] = rank(self, best);
  return offers.find((offer) => offer.name === name) ?? null;
};

const heldBy = (id: string, workers: readonly SeenWorker[]): number =>
  workers.find((worker) => worker.id === id)?.held.length ?? 0;
