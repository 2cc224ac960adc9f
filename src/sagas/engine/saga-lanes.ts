import { setMaxListeners } from 'node:events';
import type { Position, StoredEvent } from '../../event-store/port.js';
import { type Naming, resourceIn, type ResourceOwners } from '../../event-store/resource-owners.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { Backoff } from '../../runtime/backoff.js';
import { withTimeLimit } from '../../runtime/sleep.js';
import type { LaneEvent, ParkedEvents, Skips } from './parked-events.js';
import type { SagaCheckpoint } from './saga-checkpoint.js';

/** Delays between attempts at a failing event, in ms. */
export const RETRY = { firstMs: 100, longestMs: 30_000 };
/** How long a batch waits for its reactions, in ms. Events that are not handled by then are parked. */
const PATIENCE_MS = 100;

/** What lanes need from their saga. */
interface LaneDeps {
  /** Attempts a reaction once. @returns false if it failed @throws if the event cannot be read */
  readonly attempt: (stored: StoredEvent, signal: AbortSignal) => Promise<boolean>;
  readonly parked: ParkedEvents;
  readonly checkpoint: Pick<SagaCheckpoint, 'moveTo'>;
  readonly skips: Pick<Skips, 'waitAndRead'>;
}

interface Lane {
  readonly key: string;
  /** Events in memory, in order. */
  events: StoredEvent[];
  /** Settles once all events added to a parked lane so far are in the database; null for a lane that is not parked. */
  stored: Promise<void> | null;
  /** Positions of handled events that are still in the database. */
  handled: Position[];
  /** Resolves when the lane ends, or an event has failed: a batch does not wait for it any longer. */
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/**
 * Handles a saga's events in lanes: events of one lane one after another, different lanes at the same time. A batch
 * waits a moment for its reactions; events that are not handled by then are parked in the database, together with the
 * move of the checkpoint, and later events of their lanes follow them there. So a lane that is long, slow or failing
 * delays no other lane, and memory holds one batch and a page for each running lane (ADR-253).
 */
export class SagaLanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly working = new Set<Promise<void>>();
  private readonly ended = new AbortController();
  private failure: { readonly error: unknown } | null = null;
  /** Aborted when the saga must stop: the process stops, the lease is lost, or a lane cannot continue. */
  readonly signal: AbortSignal;

  constructor(
    private readonly deps: LaneDeps,
    signal: AbortSignal,
  ) {
    this.signal = AbortSignal.any([signal, this.ended.signal]);
    setMaxListeners(0, this.signal); // one listener per reaction is not a leak
  }

  /** Continues the lanes that an earlier process has left. */
  async resume(): Promise<void> {
    for (const key of await this.deps.parked.listLanes()) this.start(this.open(key, Promise.resolve()));
  }

  /**
   * Handles or parks the events of a batch, and moves the checkpoint.
   * @param position position up to which everything is in the batch
   */
  async handleBatch(batch: readonly LaneEvent[], position: Position): Promise<void> {
    const stored = createDeferred();
    const fresh: Lane[] = [];
    const parked: LaneEvent[] = [];
    for (const each of batch) {
      let lane = this.lanes.get(each.lane);
      if (!lane) fresh.push((lane = this.open(each.lane, null)));
      if (lane.stored === null) lane.events.push(each.stored);
      else {
        lane.stored = stored.promise;
        parked.push(each);
      }
    }
    for (const lane of fresh) this.start(lane);
    await settleWithin(fresh, PATIENCE_MS);
    if (this.signal.aborted) return stored.resolve(); // the next process reads the batch again
    for (const lane of fresh) {
      if (lane.events.length === 0) continue;
      parked.push(...lane.events.map((each) => ({ lane: lane.key, stored: each })));
      lane.events.length = 1; // the first may be running
      lane.stored = stored.promise;
    }
    const moving = this.deps.checkpoint.moveTo(position, parked);
    moving.then(stored.resolve, stored.reject);
    await moving;
  }

  /** Waits until every lane has ended or failed, for at most the given time in ms. */
  settle(limitMs: number): Promise<void> {
    return settleWithin([...this.lanes.values()], limitMs);
  }

  /** Stops all lanes, and waits for running reactions. @throws the error of a lane that could not continue */
  async stop(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.working);
    if (this.failure) throw this.failure.error;
  }

  private open(key: string, stored: Promise<void> | null): Lane {
    const { promise, resolve } = createDeferred();
    const lane = { key, events: [], stored, handled: [], settled: promise, settle: resolve };
    this.lanes.set(key, lane);
    return lane;
  }

  private start(lane: Lane): void {
    const working = this.work(lane).catch((error: unknown) => {
      this.failure ??= { error };
      this.ended.abort();
    });
    const ending = working.finally(() => {
      if (this.lanes.get(lane.key) === lane) this.lanes.delete(lane.key);
      lane.settle();
      this.working.delete(ending);
    });
    this.working.add(ending);
  }

  private async work(lane: Lane): Promise<void> {
    const backoff = new Backoff(RETRY);
    for (;;) {
      const outcome = await this.handleNext(lane);
      if (outcome === 'end' || this.signal.aborted) break;
      if (outcome === 'handled') backoff.reset();
      else {
        lane.settle();
        if (lane.stored) await this.removeHandled(lane);
        await this.deps.skips.waitAndRead(backoff.nextDelay(), this.signal);
      }
    }
    // Otherwise the next process would repeat them.
    if (lane.stored) await this.removeHandled(lane).catch(() => undefined);
  }

  private async handleNext(lane: Lane): Promise<'handled' | 'failed' | 'end'> {
    const [next] = lane.events.length > 0 ? lane.events : await this.readPage(lane);
    if (!next) return 'end';
    if (await this.deps.attempt(next, this.signal)) {
      lane.events.shift();
      if (lane.stored) lane.handled.push(next.position);
      return 'handled';
    }
    // Read again for the next attempt, because many lanes may be failing.
    if (lane.stored) lane.events = [];
    return 'failed';
  }

  /** Reads a parked lane's next events. Removes the lane if there are none. */
  private async readPage(lane: Lane): Promise<readonly StoredEvent[]> {
    while (lane.stored !== null && !this.signal.aborted) {
      const { stored } = lane;
      await this.removeHandled(lane);
      lane.events = await this.deps.parked.readPage(lane.key);
      if (lane.events.length > 0) return lane.events;
      if (lane.stored === stored) break; // no event has been added since the read
    }
    this.lanes.delete(lane.key);
    return [];
  }

  private async removeHandled(lane: Lane): Promise<void> {
    await lane.stored;
    const handled = lane.handled;
    lane.handled = [];
    await this.deps.parked.remove(handled);
  }
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const createDeferred = (): Deferred => {
  let [resolve, reject]: [() => void, (error: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((onEnd, onError) => ([resolve, reject] = [onEnd, onError]));
  promise.catch(() => undefined); // those who wait for it handle the error
  return { promise, resolve, reject };
};

const settleWithin = async (lanes: readonly Lane[], limitMs: number): Promise<void> => {
  if (lanes.length === 0) return;
  const all = Promise.all(lanes.map(({ settled }) => settled));
  await withTimeLimit(all, limitMs, () => TOO_LATE).catch(() => undefined);
};
// Shared, because capturing a stack for each batch is slow.
const TOO_LATE = new Error('a reaction is still running');

/**
 * Returns the lane of an event: the owner whom it concerns. If that cannot be determined, the resource that the event
 * names, and if it names none, its stream.
 * @throws Unavailable
 */
export const findLane = async (owners: ResourceOwners, { data, stream }: RecordedEvent): Promise<string> =>
  (await owners.findOwner(data as Naming)) ?? resourceIn(data as Naming) ?? stream;
