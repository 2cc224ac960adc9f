import type { EventStore } from '../../../src/event-store/port.js';
import type { AppendPlan } from './append-plan.js';

/**
 * What an adapter brings to the contract suite. All stores of a harness are clients of one and the same store, which
 * may hold events of others and of earlier runs: no case relies on an empty one.
 */
export interface StoreHarness {
  /** A store that no fault touches. */
  open(): Promise<EventStore>;
  /** A store whose connection the faults break. */
  openFragile(): Promise<EventStore>;
  /** A store, other than the rest and empty, whose positions begin beyond 2^53. */
  openFar(): Promise<EventStore>;
  /** Carries out a plan in another process (for the store in memory: in another client). */
  appendElsewhere(plan: AppendPlan): Promise<void>;
  /** Breaks the connections of fragile stores, or at least of their subscribers; they may reconnect. */
  dropSubscribers(): Promise<void>;
  /** Makes the store unavailable to fragile stores. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Runs an append of a fragile store so that it is committed and its answer never arrives; answers its error. */
  loseAnswerOf(append: () => Promise<unknown>, isCommitted: () => Promise<boolean>): Promise<unknown>;
  stop(): Promise<void>;
}

/** What a case has at hand: the harness, a store that is never broken, and stores of its own, closed after it. */
export interface Stage {
  readonly harness: StoreHarness;
  readonly store: EventStore;
  readonly fragile: () => Promise<EventStore>;
  readonly far: () => Promise<EventStore>;
  readonly another: () => Promise<EventStore>;
}
