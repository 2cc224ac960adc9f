import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type EventStore, type Position, Unavailable } from '../../event-store/port.js';
import type { Notifications } from '../../postgres/notifications.js';

interface Waiter {
  readonly position: Position;
  readonly done: () => void;
}

const POLL_MS = 200;
/** Time limit of readers for a view that is behind, or a store that does not answer, ms. */
const READER_TIMEOUT_MS = 2_000;

/**
 * The positions of the live projections, as far as this process knows them. Its own runners report them directly, those of
 * other processes through notifications; polling the checkpoints covers lost notifications.
 */
export class ProjectionProgress {
  private readonly positions = new Map<string, Position>();
  private readonly waiters = new Map<string, Set<Waiter>>();
  private readonly listeners = new Map<string, Set<() => void>>();
  private poll: NodeJS.Timeout | null = null;

  constructor(
    private readonly pool: Pool,
    notifications: Notifications,
  ) {
    notifications.subscribe('projection', (payload) => {
      const [name = '', position = ''] = payload.split(' ');
      if (/^-?\d+$/.test(position)) this.recordPosition(name, BigInt(position));
    });
    // The database may have crashed and lost rows that had been visible.
    notifications.onLoss(() => this.positions.clear());
  }

  /** Records that a runner has committed up to a position. */
  recordPosition(name: string, position: Position): void {
    if (position <= (this.positions.get(name) ?? -2n)) return;
    this.positions.set(name, position);
    for (const waiter of this.waiters.get(name) ?? []) if (waiter.position <= position) waiter.done();
    for (const listener of this.listeners.get(name) ?? []) listener();
  }

  /** Calls the listener whenever a projection advances. Returns a function that removes the listener. */
  onAdvance(name: string, listener: () => void): () => void {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Waits until these projections show everything up to a position, so that callers read their own writes.
   * @returns false if that took longer than `timeoutMs`
   */
  async waitFor(names: readonly string[], position: Position, timeoutMs = 10_000): Promise<boolean> {
    const all = names.map((name) => this.addWaiter(name, position)).filter((waiter) => waiter !== null);
    if (all.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), timeoutMs)));
    const reached = Promise.all(all.map((waiter) => waiter.promise)).then(() => true as const);
    const result = await Promise.race([reached, timedOut]);
    clearTimeout(timer);
    for (const waiter of all) waiter.cancel();
    return result;
  }

  /**
   * Waits until projections show all events that were in the log at the call. Returns after two seconds at the latest, or
   * if the store is unavailable; readers then use the projections as they are.
   */
  async waitUntilCaughtUp(names: readonly string[], store: EventStore): Promise<void> {
    const caughtUp = store.readHead().then((head) => this.waitFor(names, head, READER_TIMEOUT_MS));
    const timer = new AbortController();
    try {
      await Promise.race([
        caughtUp.catch(ignoreUnavailable),
        sleep(READER_TIMEOUT_MS, false, { signal: timer.signal }),
      ]);
    } finally {
      timer.abort();
    }
  }

  private addWaiter(name: string, position: Position): { promise: Promise<void>; cancel: () => void } | null {
    if ((this.positions.get(name) ?? -2n) >= position) return null;
    const waiters = this.waiters.get(name) ?? new Set();
    this.waiters.set(name, waiters);
    let waiter: Waiter;
    const promise = new Promise<void>((done) => {
      waiter = { position, done };
      waiters.add(waiter);
    });
    this.poll ??= setTimeout(() => void this.pollCheckpoints(), POLL_MS);
    return { promise, cancel: () => waiters.delete(waiter) };
  }

  private async pollCheckpoints(): Promise<void> {
    const text =
      'select c.name, c.position from ops_checkpoint c join ops_projection p on p.name = c.name and p.live_version = c.version';
    const { rows } = await this.pool.query<{ name: string; position: bigint }>(text).catch(() => ({ rows: [] }));
    for (const { name, position } of rows) this.recordPosition(name, position);
    const waiting = [...this.waiters.values()].some((waiters) => waiters.size > 0);
    this.poll = waiting ? setTimeout(() => void this.pollCheckpoints(), POLL_MS) : null;
  }
}

const ignoreUnavailable = (error: unknown): void => {
  if (!(error instanceof Unavailable)) throw error;
};
