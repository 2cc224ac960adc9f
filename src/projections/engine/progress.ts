import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type EventStore, type Position, Unavailable } from '../../event-store/port.js';
import type { Notifications } from '../../postgres/notifications.js';

interface Waiter {
  readonly position: Position;
  readonly done: () => void;
}

const POLL_MS = 200;
/** How long whoever only reads waits for a view that is behind, or a store that does not answer. */
const READER_MS = 2_000;

/**
 * How far each live projection has come, as this process knows it: told by its own runners at once, by those of other
 * processes through notifications, and by a look at the checkpoints where a notification was lost.
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
    notifications.on('projection', (payload) => {
      const [name = '', position = ''] = payload.split(' ');
      if (/^-?\d+$/.test(position)) this.reached(name, BigInt(position));
    });
    // The database may have crashed, and rows that were seen may be on their way once more.
    notifications.onLoss(() => this.positions.clear());
  }

  /** A runner has committed up to here. */
  reached(name: string, position: Position): void {
    if (position <= (this.positions.get(name) ?? -2n)) return;
    this.positions.set(name, position);
    for (const waiter of this.waiters.get(name) ?? []) if (waiter.position <= position) waiter.done();
    for (const listener of this.listeners.get(name) ?? []) listener();
  }

  /** Calls back whenever a projection has moved on. Answers how to stop that. */
  onMove(name: string, listener: () => void): () => void {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Read your writes: waits until these projections show everything up to a position.
   * @returns false where that took longer than `timeoutMs`.
   */
  async waitFor(names: readonly string[], position: Position, timeoutMs = 10_000): Promise<boolean> {
    const all = names.map((name) => this.wait(name, position)).filter((wait) => wait !== null);
    if (all.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), timeoutMs)));
    const there = Promise.all(all.map((wait) => wait.promise)).then(() => true as const);
    const result = await Promise.race([there, late]);
    clearTimeout(timer);
    for (const wait of all) wait.forget();
    return result;
  }

  /**
   * For readers: waits until projections show all that had happened when they were asked, whoever did it. After two
   * seconds, or without the store, they are taken as they are.
   */
  async catchUp(names: readonly string[], store: EventStore): Promise<void> {
    const level = store.head().then((head) => this.waitFor(names, head, READER_MS));
    const patience = new AbortController();
    try {
      await Promise.race([level.catch(unlessAway), sleep(READER_MS, false, { signal: patience.signal })]);
    } finally {
      patience.abort();
    }
  }

  private wait(name: string, position: Position): { promise: Promise<void>; forget: () => void } | null {
    if ((this.positions.get(name) ?? -2n) >= position) return null;
    const waiters = this.waiters.get(name) ?? new Set();
    this.waiters.set(name, waiters);
    let waiter: Waiter;
    const promise = new Promise<void>((done) => {
      waiter = { position, done };
      waiters.add(waiter);
    });
    this.poll ??= setTimeout(() => void this.look(), POLL_MS);
    return { promise, forget: () => waiters.delete(waiter) };
  }

  private async look(): Promise<void> {
    const text =
      'select c.name, c.position from ops_checkpoint c join ops_projection p on p.name = c.name and p.live_version = c.version';
    const { rows } = await this.pool.query<{ name: string; position: bigint }>(text).catch(() => ({ rows: [] }));
    for (const { name, position } of rows) this.reached(name, position);
    const waiting = [...this.waiters.values()].some((waiters) => waiters.size > 0);
    this.poll = waiting ? setTimeout(() => void this.look(), POLL_MS) : null;
  }
}

const unlessAway = (error: unknown): void => {
  if (!(error instanceof Unavailable)) throw error;
};
