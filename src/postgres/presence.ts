import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { newUuid } from '../kernel/ids.js';
import type { Log } from '../kernel/log.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';

export const WORKER_LOCK_NAMESPACE = 7001;
const RETRY_MS = 200;

/** Returns the part of a worker's id that all registrations of its process share. */
export const processOf = (workerId: string): string => workerId.split('/')[0]!;

/**
 * Registers this process as a worker. A worker is alive while its session holds an advisory lock (freed by the server
 * as soon as the process dies) **and** its latest heartbeat is younger than LEASE_SECONDS (so that a suspended process
 * loses its leases).
 */
export class Presence {
  private readonly processId = newUuid();
  private registrations = 0;
  private id: string | null = null;
  private validUntil = 0;
  private session: Client | null = null;
  private lost = new AbortController();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | null = null;

  constructor(
    private readonly options: { readonly connectionString: string; readonly leaseMs: number; readonly log: Log },
  ) {}

  /**
   * Keeps this process registered until {@link stop}, registering it again after every loss.
   * @param onRegistered called after each registration
   */
  start(onRegistered: () => void): void {
    this.loop ??= this.keepRegistered(onRegistered);
  }

  /** The current worker id of this process; null while it is not registered, or its heartbeat is too old. */
  get workerId(): string | null {
    return performance.now() < this.validUntil ? this.id : null;
  }

  /** The id under which this process has registered, even if its heartbeat is too old. */
  get registeredId(): string | null {
    return this.id;
  }

  /** Aborted when this process loses its registration; a new signal then replaces it. */
  get lostSignal(): AbortSignal {
    return this.lost.signal;
  }

  /** @param deregister deletes the worker's id from the database */
  async stop(deregister: (id: string) => Promise<void>): Promise<void> {
    this.stopping.abort();
    if (this.id !== null) await deregister(this.id);
    this.dropRegistration();
    await this.loop;
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
        failure.warn(log, error, 'lost all leases; registering again');
      }
      this.dropRegistration();
      await sleepUnlessAborted(RETRY_MS, signal);
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
    const id = `${this.processId}/${++this.registrations}`;
    const lockKey = randomInt(1, 2 ** 31 - 1);
    const at = performance.now();
    await session.query('select pg_advisory_lock($1, $2)', [WORKER_LOCK_NAMESPACE, lockKey]);
    await session.query(
      `with registered as (
         insert into ops_worker (worker_id, lock_key, until) values ($1, $2, clock_timestamp() + $3 * interval '1 ms') returning 1)
       select pg_notify('lease', '*') from registered`,
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
}
