import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { BEGINNING, type EventStore, type Position, Unavailable } from '../../event-store/port.js';
import type { Notifications } from '../../postgres/notifications.js';
import type { ReadModel } from './projection.js';
import { findReadVersions, type ReadVersion } from './read-versions.js';

/** A read model did not reach a position in time, because it is behind or has stopped. */
export class ReadModelBehind extends Error {
  constructor(name: string) {
    super(`the read model ${name} is behind`);
  }
}

interface Waiter {
  readonly isReached: (read: ReadVersion) => boolean;
  readonly done: () => void;
}

const POLL_MS = 500;
/** How long readers wait for a view that is behind or a store that does not respond, in ms. */
export const READER_TIMEOUT_MS = 2_000;

/**
 * Tracks the positions of the read models that this process reads, which are the versions behind its views (ADR-101).
 * Its own lanes report positions directly, lanes of other processes through notifications; polling makes up for lost
 * notifications.
 */
export class ProjectionProgress {
  private readonly reads = new Map<string, ReadVersion>();
  private readonly waiters = new Map<string, Set<Waiter>>();
  private readonly versionListeners = new Map<string, Set<() => void>>();
  private poll: NodeJS.Timeout | null = null;
  private refreshing: Promise<void> | null = null;
  private mustRefreshAgain = false;

  constructor(
    private readonly pool: Pool,
    notifications: Notifications,
    private readonly models: readonly ReadModel[],
  ) {
    notifications.subscribe('projection', (payload) => {
      const [name = '', version, position = ''] = payload.split(' ');
      if (version === undefined) this.onVersionsChanged(name);
      else if (/^-?\d+$/.test(position)) this.recordPosition(name, Number(version), BigInt(position));
    });
    // The database may have crashed and lost rows that were already visible, so all positions are read again.
    notifications.onLoss(() => this.reads.clear());
  }

  /** Records that a version has committed up to a position. */
  recordPosition(name: string, version: number, position: Position): void {
    const read = this.reads.get(name);
    if (!read) void this.refresh();
    else if (read.version === version && read.position < position) this.setRead({ ...read, position });
  }

  /** Calls a listener whenever the versions of a read model change. @returns a function that removes the listener */
  onVersions(name: string, listener: () => void): () => void {
    const listeners = this.versionListeners.get(name) ?? new Set();
    this.versionListeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Waits until these projections show everything up to a position, so that callers read their own writes.
   * @returns false if `timeoutMs` elapsed first
   */
  waitFor(names: readonly string[], position: Position, timeoutMs = 10_000): Promise<boolean> {
    return this.waitUntil(names, (read) => read.position >= position, timeoutMs);
  }

  /** Waits until a projection shows everything up to a position. @throws ReadModelBehind after ten seconds */
  async requireUpTo(name: string, position: Position): Promise<void> {
    if (!(await this.waitFor([name], position))) throw new ReadModelBehind(name);
  }

  /** Returns the position up to which this process knows a projection to show everything; {@link BEGINNING} if none. */
  positionOf(name: string): Position {
    return this.reads.get(name)?.position ?? BEGINNING;
  }

  /**
   * Waits until this process reads versions that its own code fills. While these are being built, it reads versions
   * filled by other code, which may be outdated or lack columns that its queries use (ADR-101).
   * @returns false if `timeoutMs` elapsed first
   */
  waitForOwnVersions(names: readonly string[], timeoutMs: number): Promise<boolean> {
    const codes = new Map(this.models.map(({ name, version }) => [name, version]));
    return this.waitUntil(names, ({ name, code }) => code === codes.get(name), timeoutMs);
  }

  /**
   * Searches a projection; if that finds nothing, searches again once the projection shows all events that are in the
   * log now, or after two seconds.
   * @throws Unavailable
   */
  async findUpToDate<T>(name: string, store: EventStore, find: () => Promise<T | null>): Promise<T | null> {
    const found = await find();
    if (found) return found;
    await this.waitFor([name], await store.readHead(), READER_TIMEOUT_MS);
    return find();
  }

  /**
   * Waits until projections show all events that are in the log now. Returns after at most `timeoutMs`, or if the store
   * is unavailable; readers then use the projections as they are.
   */
  async waitUntilCaughtUp(names: readonly string[], store: EventStore, timeoutMs = READER_TIMEOUT_MS): Promise<void> {
    const caughtUp = store.readHead().then((head) => this.waitFor(names, head, timeoutMs));
    const timer = new AbortController();
    try {
      await Promise.race([caughtUp.catch(ignoreUnavailable), sleep(timeoutMs, false, { signal: timer.signal })]);
    } finally {
      timer.abort();
    }
  }

  /** Refreshes which versions this process reads, and their positions. Changes nothing during an outage. */
  refresh(): Promise<void> {
    if (this.refreshing) this.mustRefreshAgain = true;
    return (this.refreshing ??= this.refreshUntilCurrent().finally(() => (this.refreshing = null)));
  }

  private async refreshUntilCurrent(): Promise<void> {
    do {
      this.mustRefreshAgain = false;
      const found = await findReadVersions(this.pool, this.models).catch(() => []);
      for (const read of found) {
        const known = this.reads.get(read.name);
        if (known?.version !== read.version || known.position < read.position) this.setRead(read);
      }
    } while (this.mustRefreshAgain);
  }

  private onVersionsChanged(name: string): void {
    void this.refresh();
    for (const listener of this.versionListeners.get(name) ?? []) listener();
  }

  private setRead(read: ReadVersion): void {
    this.reads.set(read.name, read);
    for (const waiter of this.waiters.get(read.name) ?? []) if (waiter.isReached(read)) waiter.done();
  }

  private async waitUntil(
    names: readonly string[],
    isReached: (read: ReadVersion) => boolean,
    timeoutMs: number,
  ): Promise<boolean> {
    const all = names.map((name) => this.addWaiter(name, isReached)).filter((waiter) => waiter !== null);
    if (all.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), timeoutMs)));
    const reached = Promise.all(all.map((waiter) => waiter.promise)).then(() => true as const);
    const result = await Promise.race([reached, timedOut]);
    clearTimeout(timer);
    for (const waiter of all) waiter.cancel();
    return result;
  }

  private addWaiter(
    name: string,
    isReached: (read: ReadVersion) => boolean,
  ): { promise: Promise<void>; cancel: () => void } | null {
    const read = this.reads.get(name);
    if (read && isReached(read)) return null;
    const waiters = this.waiters.get(name) ?? new Set();
    this.waiters.set(name, waiters);
    let waiter: Waiter;
    const promise = new Promise<void>((done) => {
      waiter = { isReached, done };
      waiters.add(waiter);
    });
    this.poll ??= setTimeout(() => void this.pollWhileAwaited(), POLL_MS);
    return { promise, cancel: () => waiters.delete(waiter) };
  }

  private async pollWhileAwaited(): Promise<void> {
    const isAwaited = () => [...this.waiters.values()].some((waiters) => waiters.size > 0);
    if (isAwaited()) await this.refresh();
    this.poll = isAwaited() ? setTimeout(() => void this.pollWhileAwaited(), POLL_MS) : null;
  }
}

const ignoreUnavailable = (error: unknown): void => {
  if (!(error instanceof Unavailable)) throw error;
};
