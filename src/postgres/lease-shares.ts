import { hash } from 'node:crypto';

/** A worker as this process last saw it in the database. */
export interface SeenWorker {
  readonly id: string;
  /** Names of the leases that it holds, limited to those that this process also holds or waits for. */
  readonly held: readonly string[];
  /** True if the worker's heartbeat is late; it may be suspended. */
  readonly isSilent: boolean;
}

/** Returns a lease's shard, from the id at the end of its name: one of 256 if the id ends with random hex digits. */
export const shardOf = (name: string): string => name.slice(-2);

/**
 * Orders candidates for an item, best first, by rendezvous hashing: all processes with the same candidates agree, and
 * when a candidate joins or leaves, only its own items move.
 */
export const rank = (thing: string, candidates: readonly string[]): string[] => {
  const weights = new Map(candidates.map((one) => [one, hash('sha1', `${one} ${thing}`)]));
  return [...candidates].sort((a, b) => (weights.get(a)! < weights.get(b)! ? 1 : -1));
};

/**
 * True if a worker with `count` leases may acquire a free lease at once, because no other live worker has fewer.
 * Otherwise, workers with fewer leases get the first chance to acquire it.
 */
export const isNext = (self: string, count: number, workers: readonly SeenWorker[]): boolean =>
  workers.every(({ id, held, isSilent }) => id === self || isSilent || held.length >= count);

/** True if moving a lease from a worker with `theirs` leases to a worker with `ours` would even out the numbers. */
export const shouldMove = (theirs: number, ours: number): boolean => theirs - ours >= 2;

/**
 * Returns the lease to request and its holder, which has at least two more leases than this worker; null if there is
 * none.
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
  // Workers that ask at the same time should ask for different leases if possible.
  const [name] = rank(self, best);
  return offers.find((offer) => offer.name === name) ?? null;
};

const heldBy = (id: string, workers: readonly SeenWorker[]): number =>
  workers.find((worker) => worker.id === id)?.held.length ?? 0;
