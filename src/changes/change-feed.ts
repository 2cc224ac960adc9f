import { Inject, Injectable } from '@nestjs/common';
import { EventCodec } from '../event-store/codec.js';
import {
  BEGINNING,
  EVENT_STORE,
  type EventStore,
  isFullPage,
  isStoreOutage,
  type Position,
  type StoredEvent,
  Unavailable,
} from '../event-store/port.js';
import { ResourceOwners } from '../event-store/resource-owners.js';
import type { RecordedEvent } from '../kernel/events.js';
import { LOG, type Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { PROJECTIONS } from '../projections/engine/projection.js';
import { Backoff } from '../runtime/backoff.js';
import { Pace } from '../runtime/pace.js';
import { Semaphore } from '../runtime/semaphore.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';
import { type Change, CHANGE_TYPES, describeChange } from './change.js';

/** A read model, and the types of events that it shows. */
export interface ShowingModel {
  readonly name: string;
  /** Default: all types. */
  readonly handles?: (type: string) => boolean;
}

/** Maximum wait for a read model, in ms: the same as for lists. */
const WAIT_MS = 2_000;
/** How often a wait for a lagging read model checks whether it was cancelled, in ms. */
const BEHIND_WAIT_MS = 2_000;

/**
 * Waits until the read models show changes, so that a reader who is notified of a change also finds it. A read model
 * that is behind or stopped delays only one batch; until it has caught up, later changes are sent without waiting for
 * it.
 */
export class ShownChanges {
  private readonly behind = new Set<string>();

  /** @param onCaughtUp called when a lagging read model has caught up with changes that were sent ahead of it */
  constructor(
    private readonly progress: Pick<ProjectionProgress, 'waitFor'>,
    private readonly models: readonly ShowingModel[],
    private readonly onCaughtUp: () => void,
  ) {}

  /** Waits until the read models show all events of these types up to a position, for at most two seconds. */
  async wait(types: ReadonlySet<string>, position: Position, signal: AbortSignal): Promise<void> {
    const concerned = this.models.filter(
      ({ name, handles = () => true }) => !this.behind.has(name) && [...types].some(handles),
    );
    await Promise.all(
      concerned.map(async ({ name }) => {
        if (!(await this.progress.waitFor([name], position, WAIT_MS))) void this.followBehind(name, position, signal);
      }),
    );
  }

  private async followBehind(name: string, position: Position, signal: AbortSignal): Promise<void> {
    if (this.behind.has(name)) return;
    this.behind.add(name);
    while (!signal.aborted && !(await this.progress.waitFor([name], position, BEHIND_WAIT_MS)));
    this.behind.delete(name);
    if (!signal.aborted) this.onCaughtUp();
  }
}

/** Receives changes. Its methods neither wait nor throw. */
export interface ChangeListener {
  /**
   * Receives changes in log order, normally once the read models show them.
   * @param position the listener now has all changes up to this position
   */
  readonly onChanges: (changes: readonly Change[], position: Position) => void;
  /**
   * Called if the listener missed changes, or received them before a lagging read model showed them: anything up to
   * this position may have changed.
   */
  readonly onReset: (position: Position) => void;
  /** True once the listener needs nothing more: its replay ends. */
  readonly isGone?: boolean;
  /** Called after the replay: the listener now has all changes up to this position, and receives later changes live. */
  readonly onCaughtUp: (position: Position) => void;
}

/** Minimum interval between turns while changes keep arriving, in ms, measured from start to start. */
const TURN_MS = 100;
/** Number of turns that may run back to back without a pause. */
const TURNS_AT_ONCE = 10;
/** Maximum number of changes that are replayed to a listener; a listener that missed more is reset. */
const MAX_MISSED = 2_000;
/** Number of events per read during a replay. Each event holds at most 64 KB of a payload. */
const PAGE = 250;
/** Maximum number of concurrent replays. */
const MAX_REPLAYS = 2;

/**
 * Notifies listeners in this process of changes as soon as the read models show them, or after at most two seconds
 * (ADR-205). It follows the log only while it has listeners. Changes that arrive close together are sent in one turn.
 */
@Injectable()
export class ChangeFeed {
  private readonly listeners = new Set<ChangeListener>();
  /** Number of listeners, including those still being added. */
  private users = 0;
  private running: { readonly stopping: AbortController; readonly started: Promise<void> } | null = null;
  /** Position up to which the listeners have received all changes. */
  private position: Position = BEGINNING;
  private readonly shown: ShownChanges;
  private readonly replays = new Semaphore(MAX_REPLAYS);

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly owners: ResourceOwners,
    @Inject(ProjectionProgress) progress: Pick<ProjectionProgress, 'waitFor'>,
    @Inject(PROJECTIONS) models: readonly ShowingModel[],
    @Inject(LOG) private readonly log: Log,
  ) {
    this.shown = new ShownChanges(progress, models, () => this.resetAll());
  }

  /**
   * Replays the changes since a position to a listener, then adds it.
   * @param after position up to which the listener has received everything; null for no replay
   * @returns a function that removes the listener; call it once
   * @throws Unavailable
   */
  async listen(listener: ChangeListener, after: Position | null): Promise<() => void> {
    this.users += 1;
    try {
      await this.start();
      if (after === null) this.add(listener);
      else await this.replay(listener, after);
    } catch (error) {
      this.leave();
      throw error;
    }
    return () => {
      this.listeners.delete(listener);
      this.leave();
    };
  }

  /** Adds a listener that has received everything up to the current position. */
  private add(listener: ChangeListener): void {
    this.listeners.add(listener);
    listener.onCaughtUp(this.position);
  }

  private leave(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.running?.stopping.abort();
    this.running = null;
  }

  private start(): Promise<void> {
    if (this.running) return this.running.started;
    const stopping = new AbortController();
    const started = this.store.readHead().then((head) => {
      this.position = head;
      void this.follow(stopping.signal);
    });
    this.running = { stopping, started };
    return started;
  }

  /** Follows the log and notifies the listeners, until the signal is aborted. Survives outages. */
  private async follow(signal: AbortSignal): Promise<void> {
    const { store, log } = this;
    const pace = new Pace(TURN_MS, TURNS_AT_ONCE);
    const backoff = new Backoff();
    while (!signal.aborted) {
      try {
        const options = { after: this.position, types: CHANGE_TYPES, signal };
        for await (const { events, position } of store.subscribe(options)) {
          const changes = await this.readChanges(events, signal);
          if (signal.aborted) return;
          this.position = position;
          backoff.reset();
          for (const listener of this.listeners) listener.onChanges(changes, position);
          if (changes.length === 0) continue;
          pace.take();
          await sleepUnlessAborted(pace.delay(), signal);
          if (signal.aborted) return;
        }
      } catch (error) {
        const interrupted = { reason: reasonOf(error) };
        if (isStoreOutage(error)) log.debug(interrupted, 'the change feed is waiting for the event store');
        else log.warn(interrupted, 'the change feed was interrupted and will resume');
      }
      await backoff.wait(signal);
    }
  }

  /** Waits until the read models show the events, and returns them as changes. @throws Unavailable */
  private async readChanges(events: readonly StoredEvent[], signal: AbortSignal): Promise<readonly Change[]> {
    const last = events.at(-1);
    if (!last) return [];
    const decoded = events.map((event) => this.decode(event)).filter((event) => event !== null);
    const owners = await this.owners.findOwners(decoded);
    await this.shown.wait(new Set(events.map(({ type }) => type)), last.position, signal);
    return decoded.map((event, i) => describeChange(event, owners[i]!));
  }

  /** Decodes an event; null if this program cannot read it. */
  private decode(event: StoredEvent): RecordedEvent | null {
    try {
      return this.codec.decodeCached(event);
    } catch {
      return null; // the read models report the error
    }
  }

  private async replay(listener: ChangeListener, after: Position): Promise<void> {
    const release = await this.replays.acquire();
    try {
      // Readers that have disconnected meanwhile must not delay those that wait behind them.
      if (listener.isGone) return;
      let missed = 0;
      let from = after;
      // A position ahead of this process may come from another process; a position beyond the log's end comes from
      // another log.
      let mustReset = from > this.position && from > (await this.store.readHead());
      while (!mustReset && from < this.position) {
        const page = await this.readPage(from, this.position);
        missed += page?.changes.length ?? 0;
        mustReset = !page || missed > MAX_MISSED;
        if (!page || mustReset) break;
        if (listener.isGone) return;
        listener.onChanges(page.changes, page.position);
        from = page.position;
      }
      if (mustReset) listener.onReset(this.position);
      this.add(listener); // no await before this, or the position could advance
    } finally {
      release();
    }
  }

  /**
   * Reads the changes after one position, up to and including another; null if the log does not contain the first.
   * @throws Unavailable
   */
  private async readPage(
    after: Position,
    upTo: Position,
  ): Promise<{ readonly changes: readonly Change[]; readonly position: Position } | null> {
    const { store, log } = this;
    const found = await store.readAll({ after, types: CHANGE_TYPES, limit: PAGE }).catch((error: unknown) => {
      if (error instanceof Unavailable) throw error;
      log.info(
        { position: String(after), reason: reasonOf(error) },
        'cannot replay changes after the position of a reader',
      );
      return null;
    });
    if (!found) return null;
    const events = found.filter(({ position }) => position <= upTo);
    const isWhole = !isFullPage(found, PAGE) || events.length < found.length;
    const { signal } = this.running!.stopping;
    return { changes: await this.readChanges(events, signal), position: isWhole ? upTo : events.at(-1)!.position };
  }

  private resetAll(): void {
    for (const listener of this.listeners) listener.onReset(this.position);
  }
}
