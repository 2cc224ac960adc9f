import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Log } from '../kernel/log.js';
import { Batcher } from '../runtime/batcher.js';
import { FailingWork } from '../runtime/failing-work.js';
import type { Notifications } from './notifications.js';
import { Presence, processOf, WORKER_LOCK_NAMESPACE } from './presence.js';

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

/** The exclusive right to do one thing, e.g. to run a projection. */
export interface Lease {
  readonly name: string;
  /** Aborted when this process loses the lease, or a worker with fewer leases asks for it: stop and release at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Works while this process holds a lease, then releases it. Returns undefined if the signal is aborted before that.
 * @param work its signals: `held` is aborted if the signal is, or if the lease is lost; `lost` only if it is lost
 */
export const whileHeld = async <T>(
  leases: Pick<Leases, 'acquire'>,
  name: string,
  signal: AbortSignal,
  work: (held: AbortSignal, lost: AbortSignal) => Promise<T>,
): Promise<T | undefined> => {
  const lease = await leases.acquire(name, signal);
  if (!lease) return undefined;
  try {
    return await work(AbortSignal.any([signal, lease.lost]), lease.lost);
  } finally {
    await lease.release();
  }
};

/** The period between acquiring and releasing a lease. Each term has its own number. */
export interface Term {
  readonly name: string;
  readonly term: bigint;
}

/**
 * Conflict clause for an insert into ops_lease. Leases held by another worker stay unchanged. A lease that this worker
 * already holds gets a new term: either its release failed, or the response to its acquisition was lost.
 */
export const ON_LEASE_CONFLICT =
  'on conflict (name) do update set term = default where ops_lease.worker_id = excluded.worker_id returning ops_lease.name, term';

const LOOK_INTERVAL_MS = 1_000;
/**
 * How long workers with fewer leases get first pick of a free lease. They may not want it, because they run other
 * tasks.
 */
const COURTESY_MS = 1_500;

/** A lease that this process holds or, while `term` is null, is about to acquire. */
interface Held {
  readonly term: bigint | null;
  readonly asked: AbortController;
}

interface Waiter {
  readonly name: string;
  readonly settle: (lease: Lease | null) => void;
}

/** Called with the shards of leases that another worker has released; null if any lease may have become free. */
type ReleaseListener = (shards: ReadonlySet<string> | null) => void;

/**
 * Acquires and releases the leases of this process, which is registered as a worker (see {@link Presence}). Every
 * second, and when notified, a process reads the workers and the leases that it wants. It deletes dead workers with
 * their leases. These reads also guide how leases are spread, but they are only hints (ADR-102): the rows of ops_lease
 * are authoritative.
 */
export class Leases {
  /** The work under this process's leases that keeps failing. */
  readonly failingWork = new FailingWork();
  private readonly presence: Presence;
  private readonly stopping = new AbortController();
  private looking: Promise<void> | null = null;
  private isLookRequested = false;
  private wakeLooking: () => void = () => undefined;
  private workers: readonly SeenWorker[] = [];
  private announcedWorkers = '';
  private readonly workerListeners = new Set<() => void>();
  private readonly releaseListeners = new Set<ReleaseListener>();
  /** Keyed by name, so that the process acquires no lease twice. */
  private readonly held = new Map<string, Held>();
  private readonly waiters = new Set<Waiter>();
  /** `performance.now()` timestamps at which awaited leases were first seen free, in ms. */
  private readonly freeSince = new Map<string, number>();
  private readonly releases = new Batcher<Term, void>(
    async (terms) => {
      await this.releaseAll(terms);
      return terms.map(() => undefined);
    },
    { maxWaitMs: Infinity },
  );

  constructor(
    private readonly options: {
      pool: Pool;
      connectionString: string;
      leaseMs: number;
      notifications: Notifications;
      log: Log;
    },
  ) {
    this.presence = new Presence(options);
  }

  /** Keeps this process registered until {@link stop}, even if the registration is lost. Resolves once registered. */
  start(): Promise<void> {
    this.options.notifications.subscribe('lease', (payload) => this.onNotification(payload));
    return new Promise((resolve) => {
      this.presence.start(() => {
        this.looking ??= this.keepLooking();
        this.requestLook();
        resolve();
      });
    });
  }

  /** The current worker id of this process; null while it is not registered. */
  get workerId(): string | null {
    return this.presence.workerId;
  }

  /** Ids of the workers known to be alive, including this process's. */
  get liveWorkers(): readonly string[] {
    const seen = this.workers.filter(({ isSilent }) => !isSilent).map(({ id }) => id);
    return this.workerId === null || seen.includes(this.workerId) ? seen : [...seen, this.workerId];
  }

  /**
   * True if the process that had this worker id is known to be alive under a new id and is not this process. It lost
   * the old id with its session and registered again, but may still be doing work that it started under the old id.
   */
  hasReturned(workerId: string): boolean {
    const former = processOf(workerId);
    return this.liveWorkers.some((id) => processOf(id) === former && id !== workerId && id !== this.workerId);
  }

  /** Returns the worker known to hold a lease with this name prefix; null if there is none. */
  findHolder(prefix: string): string | null {
    return this.workers.find(({ held }) => held.some((name) => name.startsWith(prefix)))?.id ?? null;
  }

  /**
   * True while no other process can have the leases that this process acquired under a worker id. Callers check this
   * before doing anything irreversible. Leases of an earlier id are lost, even if the process has registered again
   * since.
   */
  stillHoldsLeasesOf(workerId: string): boolean {
    return this.workerId === workerId;
  }

  /** Calls a listener when {@link liveWorkers} or their leases may have changed. */
  onWorkers(listener: () => void): void {
    this.workerListeners.add(listener);
  }

  /** Calls a listener when another worker has released leases. */
  onRelease(listener: ReleaseListener): void {
    this.releaseListeners.add(listener);
  }

  /** Waits until a lease is free and acquires it. Returns null if the signal is aborted first. */
  acquire(name: string, signal: AbortSignal): Promise<Lease | null> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const stop = () => waiter.settle(null);
      const waiter: Waiter = {
        name,
        settle: (lease) => {
          signal.removeEventListener('abort', stop);
          this.waiters.delete(waiter);
          resolve(lease);
        },
      };
      signal.addEventListener('abort', stop);
      this.waiters.add(waiter);
      this.requestLook();
    });
  }

  /**
   * Ends a term and notifies the other processes. If that fails, the lease stays with this worker's id: this process
   * can acquire it again (see {@link ON_LEASE_CONFLICT}), or it is freed when the id is deleted.
   */
  release(term: Term): Promise<void> {
    return this.releases.submit(term);
  }

  /** Deregisters this process, which frees all its leases at once. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeLooking();
    await this.presence.stop(async (id) => {
      const text = `with deleted as (delete from ops_worker where worker_id = $1 returning 1) select pg_notify('lease', '*') from deleted`;
      await this.options.pool.query(text, [id]).catch(() => undefined);
    });
    await this.looking;
  }

  private async endTerm(term: Term): Promise<void> {
    await this.release(term);
    if (this.held.get(term.name)?.term === term.term) this.held.delete(term.name);
    if (this.isAwaited(term.name)) this.requestLook();
  }

  private async releaseAll(terms: readonly Term[]): Promise<void> {
    const { registeredId } = this.presence;
    if (registeredId === null) return; // the leases were deleted with the worker's id
    const text = `with released as (
                    delete from ops_lease l using unnest($1::text[], $2::bigint[]) ended (name, term)
                    where l.name = ended.name and l.term = ended.term returning right(l.name, 2) as shard)
                  select pg_notify('lease', 'free ' || $3 || ' ' || string_agg(distinct shard, ' ')) from released having count(*) > 0`;
    const values = [terms.map(({ name }) => name), terms.map(({ term }) => term), registeredId];
    await this.options.pool.query({ name: 'release leases', text, values }).catch(() => undefined);
  }

  private async tryAcquire(name: string, id: string): Promise<Lease | null> {
    const asked = new AbortController();
    const { lostSignal } = this.presence;
    this.held.set(name, { term: null, asked });
    try {
      const text = `insert into ops_lease (name, worker_id) select $1, worker_id from ops_worker where worker_id = $2 ${ON_LEASE_CONFLICT}`;
      const { rows } = await this.options.pool.query<{ term: bigint }>(text, [name, id]);
      if (!rows[0]) return null;
      const { term } = rows[0];
      this.held.set(name, { term, asked });
      const lost = AbortSignal.any([lostSignal, asked.signal]);
      return { name, lost, release: () => this.endTerm({ name, term }) };
    } finally {
      if (this.held.get(name)?.term === null) this.held.delete(name);
    }
  }

  /**
   * Handles a notification: `*` means that workers have come or gone; `free <worker> <shard>…`, that the worker has
   * released leases; `ask <holder> <number> <name>`, that a worker with that number of leases asks the holder for the
   * named lease. Any other payload comes from another program.
   */
  private onNotification(payload: string): void {
    const [kind, worker, ...rest] = payload.split(' ');
    if (kind === 'ask') {
      if (worker === this.workerId) this.answer(rest.slice(1).join(' '), Number(rest[0]));
      return;
    }
    const shards = kind === 'free' ? new Set(rest) : null;
    if (worker === undefined || worker !== this.workerId)
      for (const listener of this.releaseListeners) listener(shards);
    const concerns = [...this.waiters].some(({ name }) => shards?.has(shardOf(name)) ?? true);
    if (concerns || kind === '*') this.requestLook();
  }

  /** Gives up a lease if the asking worker has at least two fewer. The lease is free once its holder has stopped. */
  private answer(name: string, theirs: number): void {
    const kept = [...this.held.values()].filter(({ asked }) => !asked.signal.aborted).length;
    if (shouldMove(kept, theirs)) this.held.get(name)?.asked.abort();
  }

  private isAwaited(name: string): boolean {
    return [...this.waiters].some((waiter) => waiter.name === name);
  }

  private requestLook(): void {
    this.isLookRequested = true;
    this.wakeLooking();
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.isLookRequested = false;
      await this.look().catch(() => undefined); // an outage: the next round tries again
      if (this.isLookRequested || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_INTERVAL_MS);
        this.wakeLooking = () => (clearTimeout(timer), resolve());
      });
    }
  }

  /** Deletes dead workers, acquires free leases, and asks for a lease if another worker holds at least two more. */
  private async look(): Promise<void> {
    const names = new Set([...this.held.keys(), ...[...this.waiters].map(({ name }) => name)]);
    const text = `
      with dead as (
        delete from ops_worker w
        where w.until < clock_timestamp() or not exists (
          select 1 from pg_locks l
          where l.locktype = 'advisory' and l.classid = ${WORKER_LOCK_NAMESPACE} and l.objid = w.lock_key::bigint::oid and l.granted
            and l.database = (select oid from pg_database where datname = current_database()))
        returning worker_id),
      notified as (select pg_notify('lease', '*') from dead limit 1)
      select w.worker_id as id, w.until < clock_timestamp() + $2 * interval '1 ms' as "isSilent",
        coalesce(array_agg(l.name order by l.name) filter (where l.name is not null), '{}') as held
      from ops_worker w left join ops_lease l on l.worker_id = w.worker_id and l.name = any($1)
      where w.worker_id not in (select worker_id from dead) and (select count(*) from notified) >= 0
      group by w.worker_id`;
    const { rows } = await this.options.pool.query<SeenWorker>({
      name: 'look at workers',
      text,
      values: [[...names], this.options.leaseMs / 3],
    });
    this.workers = rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    const announced = JSON.stringify([this.workerId, rows]);
    if (announced !== this.announcedWorkers) for (const listener of this.workerListeners) listener();
    this.announcedWorkers = announced;
    await this.takeFree();
  }

  private async takeFree(): Promise<void> {
    const id = this.workerId;
    if (id === null) return;
    const taken = new Map(this.workers.flatMap(({ id: holder, held }) => held.map((name) => [name, holder])));
    const wanted = [...new Set([...this.waiters].map(({ name }) => name))].filter((name) => !this.held.has(name));
    // Includes leases that this worker already holds, see ON_LEASE_CONFLICT.
    const free = wanted.filter((name) => (taken.get(name) ?? id) === id);
    for (const name of this.freeSince.keys()) if (!free.includes(name)) this.freeSince.delete(name);
    for (const name of rank(id, free)) {
      const since = this.freeSince.get(name) ?? performance.now();
      this.freeSince.set(name, since);
      if (!isNext(id, this.held.size, this.workers) && performance.now() < since + COURTESY_MS) continue;
      const lease = await this.tryAcquire(name, id);
      if (lease) await this.hand(lease);
      else this.requestLook();
    }
    const wish = free.length === 0 ? chooseLeaseToAskFor(id, this.held.size, wanted, this.workers) : null;
    if (wish) {
      const payload = `ask ${wish.holder} ${this.held.size} ${wish.name}`;
      await this.options.pool.query(`select pg_notify('lease', $1)`, [payload]);
    }
  }

  /** Hands a lease to the first waiter; releases it if there is none. */
  private async hand(lease: Lease): Promise<void> {
    for (const waiter of this.waiters) if (waiter.name === lease.name) return waiter.settle(lease);
    await lease.release();
  }
}
