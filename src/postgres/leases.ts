import { randomInt } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { RepeatedFailure } from '../runtime/repeated-failure.js';
import { newUuid } from '../kernel/ids.js';
import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/reason.js';
import { Batcher } from '../runtime/batcher.js';
import type { Notifications } from './notifications.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';

/** The exclusive right to do one thing, e.g. to run a projection. */
export interface Lease {
  readonly name: string;
  /** Aborted when this process loses the lease: stop at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** The period from an acquisition of a lease to its release. Each has a number of its own. */
export interface Term {
  readonly name: string;
  readonly term: bigint;
}

/**
 * The end of an insert into ops_lease. A lease of another worker is left alone. A lease that this worker already has begins a
 * new term: its release failed, or the response to its acquisition was lost.
 */
export const ON_LEASE_CONFLICT =
  'on conflict (name) do update set term = default where ops_lease.worker_id = excluded.worker_id returning ops_lease.name, term';

/** Namespace of the workers' advisory locks. */
const WORKER_LOCK_NAMESPACE = 7001;
const EXPIRY_CHECK_MS = 1_000;

/**
 * Registers this process as a worker, and acquires and releases its leases. A worker is alive while its session holds an
 * advisory lock (freed by the server as soon as the process dies) **and** its heartbeat is younger than LEASE_SECONDS (so
 * that a suspended process loses its leases). Any process that notices a dead worker deletes it, and its leases with it.
 */
export class Leases {
  private id: string | null = null;
  private validUntil = 0;
  private session: Client | null = null;
  private lost = new AbortController();
  private readonly stopping = new AbortController();
  private loops: Promise<unknown> | null = null;
  /** Terms of the leases that this process holds; null while it acquires one. No lease is acquired twice in one process. */
  private readonly heldTerms = new Map<string, bigint | null>();
  private readonly releases = new Batcher<Term, void>(async (terms) => {
    await this.releaseAll(terms);
    return terms.map(() => undefined);
  });

  constructor(
    private readonly options: {
      pool: Pool;
      connectionString: string;
      leaseMs: number;
      notifications: Notifications;
      log: Log;
    },
  ) {}

  /** Registers this process, and again whenever it is deleted, until {@link stop}. Resolves once it is first registered. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.loops ??= Promise.all([this.keepRegistered(resolve), this.deleteExpiredWorkers()]);
    });
  }

  /** The current id of this process among the workers; null while it is not registered. */
  get workerId(): string | null {
    return performance.now() < this.validUntil ? this.id : null;
  }

  /**
   * True while no other process can have the leases that this process acquired under a worker id. Callers check it before
   * anything irreversible. Leases of an earlier id are lost, even if the process has registered again since.
   */
  stillHoldsLeasesOf(workerId: string): boolean {
    return this.workerId === workerId;
  }

  /** Aborted when this process loses all its leases; a new signal then replaces it. */
  get lostSignal(): AbortSignal {
    return this.lost.signal;
  }

  /** Waits until a lease is free and acquires it. Returns null if the signal is aborted first. */
  async acquire(name: string, signal: AbortSignal): Promise<Lease | null> {
    while (!signal.aborted) {
      const { id, lost } = this;
      if (id !== null && !this.heldTerms.has(name)) {
        const term = await this.tryAcquire(name, id);
        if (term !== null) return { name, lost: lost.signal, release: () => this.endTerm({ name, term }) };
      }
      await this.waitForChange(signal);
    }
    return null;
  }

  /**
   * Ends a term and notifies the other processes. If that fails, the lease stays with this worker's id: this process can
   * acquire it again (see {@link ON_LEASE_CONFLICT}), and it is freed with the id.
   */
  release(term: Term): Promise<void> {
    return this.releases.submit(term);
  }

  /** Deregisters this process, which frees all its leases at once. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const { id } = this;
    if (id !== null) {
      const text = `with deleted as (delete from ops_worker where worker_id = $1 returning 1) select pg_notify('lease', '') from deleted`;
      await this.options.pool.query(text, [id]).catch(() => undefined);
    }
    this.dropRegistration();
    await this.loops;
  }

  private async endTerm(term: Term): Promise<void> {
    await this.release(term);
    if (this.heldTerms.get(term.name) === term.term) this.heldTerms.delete(term.name);
  }

  private async releaseAll(terms: readonly Term[]): Promise<void> {
    if (this.id === null) return; // the leases were deleted with the worker's id
    const text = `with released as (
                    delete from ops_lease l using unnest($1::text[], $2::bigint[]) ended (name, term)
                    where l.name = ended.name and l.term = ended.term returning 1)
                  select pg_notify('lease', '') from released limit 1`;
    const values = [terms.map(({ name }) => name), terms.map(({ term }) => term)];
    await this.options.pool.query(text, values).catch(() => undefined);
  }

  private async tryAcquire(name: string, id: string): Promise<bigint | null> {
    this.heldTerms.set(name, null);
    try {
      const text = `insert into ops_lease (name, worker_id) select $1, worker_id from ops_worker where worker_id = $2 ${ON_LEASE_CONFLICT}`;
      const { rows } = await this.options.pool.query<{ term: bigint }>(text, [name, id]);
      if (rows[0]) this.heldTerms.set(name, rows[0].term);
      return rows[0]?.term ?? null;
    } finally {
      if (this.heldTerms.get(name) === null) this.heldTerms.delete(name);
    }
  }

  private async keepRegistered(onRegistered: () => void): Promise<void> {
    const { signal } = this.stopping;
    const { leaseMs, log } = this.options;
    const failure = new RepeatedFailure();
    while (!signal.aborted) {
      try {
        await this.register();
        onRegistered();
        failure.clear();
        while (!signal.aborted) {
          await sleepUnlessAborted(leaseMs / 3, AbortSignal.any([signal, this.lost.signal]));
          if (signal.aborted) break;
          if (this.lost.signal.aborted || !(await this.heartbeat()))
            throw new Error('the registration of this process expired or was deleted');
        }
      } catch (error) {
        const reason = reasonOf(error);
        if (failure.shouldLog(reason)) log.warn({ error: reason }, 'lost all leases; registering again');
      }
      this.dropRegistration();
      await sleepUnlessAborted(200, signal);
    }
  }

  private async register(): Promise<void> {
    const { connectionString, leaseMs } = this.options;
    const session = new Client({
      connectionString,
      application_name: 'crosspost presence',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: leaseMs,
    });
    this.session = session;
    this.lost = new AbortController();
    const { lost } = this;
    session.on('error', () => lost.abort());
    session.on('end', () => lost.abort());
    await session.connect();
    const [id, lockKey, at] = [newUuid(), randomInt(1, 2 ** 31 - 1), performance.now()];
    await session.query('select pg_advisory_lock($1, $2)', [WORKER_LOCK_NAMESPACE, lockKey]);
    await session.query(
      `insert into ops_worker (worker_id, lock_key, until) values ($1, $2, clock_timestamp() + $3 * interval '1 ms')`,
      [id, lockKey, leaseMs],
    );
    this.validUntil = at + leaseMs;
    this.id = id;
  }

  private async heartbeat(): Promise<boolean> {
    const at = performance.now();
    const { rowCount } = await this.session!.query(
      `update ops_worker set until = clock_timestamp() + $2 * interval '1 ms' where worker_id = $1 and until > clock_timestamp()`,
      [this.id, this.options.leaseMs],
    );
    if (rowCount !== 1) return false;
    this.validUntil = at + this.options.leaseMs;
    return true;
  }

  private dropRegistration(): void {
    this.id = null;
    this.validUntil = 0;
    this.lost.abort();
    const { session } = this;
    this.session = null;
    void session?.end().catch(() => undefined);
  }

  /** Deletes expired workers. */
  private async deleteExpiredWorkers(): Promise<void> {
    const { signal } = this.stopping;
    const text = `
      with dead as (
        delete from ops_worker w
        where w.until < clock_timestamp() or not exists (
          select 1 from pg_locks l
          where l.locktype = 'advisory' and l.classid = ${WORKER_LOCK_NAMESPACE} and l.objid = w.lock_key::bigint::oid and l.granted
            and l.database = (select oid from pg_database where datname = current_database()))
        returning 1)
      select pg_notify('lease', '') from dead limit 1`;
    while (!signal.aborted) {
      await this.options.pool.query(text).catch(() => undefined); // an outage: the next round tries again
      await sleepUnlessAborted(EXPIRY_CHECK_MS, signal);
    }
  }

  private waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        off();
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const off = this.options.notifications.subscribe('lease', done);
      const timer = setTimeout(done, EXPIRY_CHECK_MS);
      signal.addEventListener('abort', done);
    });
  }
}
