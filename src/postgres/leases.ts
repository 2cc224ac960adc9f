import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { Complaint } from '../runtime/repeated-failure.js';
import { newUuid } from '../kernel/ids.js';
import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/reason.js';
import { Batcher } from '../runtime/batcher.js';
import type { Notifications } from './notifications.js';

/** Right to do one thing alone, e.g. to run a projection. */
export interface Lease {
  readonly name: string;
  /** Aborted when the lease is no longer ours: stop at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** From taking a lease to giving it back; no two have the same number. */
export interface Term {
  readonly name: string;
  readonly term: bigint;
}

/**
 * The end of an insert into ops_lease: what somebody else has is left alone, and what is under the worker's own name,
 * because it could not be given back or because nobody was told that it had been taken, begins a new term.
 */
export const TAKE =
  'on conflict (name) do update set term = default where ops_lease.worker_id = excluded.worker_id returning ops_lease.name, term';

/** Namespace of the workers' advisory locks. */
const LOCK_SPACE = 7001;
const REAP_MS = 1_000;

/**
 * Who is at work, and who holds what. A worker is alive while its session holds an advisory lock (freed by the server
 * the moment the process dies) **and** its heartbeat is younger than LEASE_SECONDS (so that a process that was stopped,
 * not killed, loses what it holds). Whoever notices a dead worker strikes it off, and its leases with it.
 */
export class Leases {
  private id: string | null = null;
  private validUntil = 0;
  private session: Client | null = null;
  private lost = new AbortController();
  private readonly stopping = new AbortController();
  private loops: Promise<unknown> | null = null;
  /** What this process holds, and since which term, or is about to take: two of its own must not both get it. */
  private readonly taken = new Map<string, bigint | null>();
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

  /** Signs this process on, and again whenever it was struck off, until {@link stop}. Resolves when first signed on. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.loops ??= Promise.all([this.stayAlive(resolve), this.reapOthers()]);
    });
  }

  /** This process's present name among the workers; null while it is not signed on. */
  get workerId(): string | null {
    return performance.now() < this.validUntil ? this.id : null;
  }

  /**
   * True while nobody else can have taken what this process took under a name; checked before anything that cannot be
   * undone. What it held under an earlier name is lost, even if it has signed on again since.
   */
  isValid(workerId: string): boolean {
    return this.workerId === workerId;
  }

  /** Aborted when this process loses all it holds; a new signal then takes its place. */
  get lostSignal(): AbortSignal {
    return this.lost.signal;
  }

  /** Waits until a lease is free and takes it; null when the signal came first. */
  async acquire(name: string, signal: AbortSignal): Promise<Lease | null> {
    while (!signal.aborted) {
      const { id, lost } = this;
      if (id !== null && !this.taken.has(name)) {
        const term = await this.takeAlone(name, id);
        if (term !== null) return { name, lost: lost.signal, release: () => this.giveBack({ name, term }) };
      }
      await this.nextChange(signal);
    }
    return null;
  }

  /**
   * Ends a term; others hear of it. Where that fails, what was held stays with this worker's name, under which it can be
   * taken again (see {@link TAKE}) and which it goes with.
   */
  release(term: Term): Promise<void> {
    return this.releases.call(term);
  }

  /** Signs off: everything held is free at once. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const { id } = this;
    if (id !== null) {
      const text = `with gone as (delete from ops_worker where worker_id = $1 returning 1) select pg_notify('lease', '') from gone`;
      await this.options.pool.query(text, [id]).catch(() => undefined);
    }
    this.lose();
    await this.loops;
  }

  private async giveBack(term: Term): Promise<void> {
    await this.release(term);
    if (this.taken.get(term.name) === term.term) this.taken.delete(term.name);
  }

  private async releaseAll(terms: readonly Term[]): Promise<void> {
    if (this.id === null) return; // they go with the name under which they were taken
    const text = `with gone as (
                    delete from ops_lease l using unnest($1::text[], $2::bigint[]) ended (name, term)
                    where l.name = ended.name and l.term = ended.term returning 1)
                  select pg_notify('lease', '') from gone limit 1`;
    const values = [terms.map(({ name }) => name), terms.map(({ term }) => term)];
    await this.options.pool.query(text, values).catch(() => undefined);
  }

  private async takeAlone(name: string, id: string): Promise<bigint | null> {
    this.taken.set(name, null);
    try {
      const text = `insert into ops_lease (name, worker_id) select $1, worker_id from ops_worker where worker_id = $2 ${TAKE}`;
      const { rows } = await this.options.pool.query<{ term: bigint }>(text, [name, id]);
      if (rows[0]) this.taken.set(name, rows[0].term);
      return rows[0]?.term ?? null;
    } finally {
      if (this.taken.get(name) === null) this.taken.delete(name);
    }
  }

  private async stayAlive(signedOn: () => void): Promise<void> {
    const { signal } = this.stopping;
    const { leaseMs, log } = this.options;
    const complaint = new Complaint();
    while (!signal.aborted) {
      try {
        await this.signOn();
        signedOn();
        complaint.over();
        while (!signal.aborted) {
          await sleep(leaseMs / 3, undefined, { signal: AbortSignal.any([signal, this.lost.signal]) }).catch(
            () => undefined,
          );
          if (signal.aborted) break;
          if (this.lost.signal.aborted || !(await this.heartbeat())) throw new Error('this process was struck off');
        }
      } catch (error) {
        const reason = reasonOf(error);
        if (complaint.isNews(reason)) log.warn({ error: reason }, 'lost all leases; signing on again');
      }
      this.lose();
      await sleep(200, undefined, { signal }).catch(() => undefined);
    }
  }

  private async signOn(): Promise<void> {
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
    await session.query('select pg_advisory_lock($1, $2)', [LOCK_SPACE, lockKey]);
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

  private lose(): void {
    this.id = null;
    this.validUntil = 0;
    this.lost.abort();
    const { session } = this;
    this.session = null;
    void session?.end().catch(() => undefined);
  }

  /** Strikes off who is dead. */
  private async reapOthers(): Promise<void> {
    const { signal } = this.stopping;
    const text = `
      with dead as (
        delete from ops_worker w
        where w.until < clock_timestamp() or not exists (
          select 1 from pg_locks l
          where l.locktype = 'advisory' and l.classid = ${LOCK_SPACE} and l.objid = w.lock_key::bigint::oid and l.granted
            and l.database = (select oid from pg_database where datname = current_database()))
        returning 1)
      select pg_notify('lease', '') from dead limit 1`;
    while (!signal.aborted) {
      await this.options.pool.query(text).catch(() => undefined); // an outage: the next round will do
      await sleep(REAP_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        off();
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const off = this.options.notifications.on('lease', done);
      const timer = setTimeout(done, REAP_MS);
      signal.addEventListener('abort', done);
    });
  }
}
