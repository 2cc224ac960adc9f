import type { EventStoreAdapter } from '../../../src/event-store/port.js';
import type { AppendPlan } from './append-plan.js';

/**
 * Harness of an adapter for the contract suite. All stores of a harness are clients of the same store. It may hold events
 * of other tests and of earlier runs, so no case relies on an empty store.
 */
export interface StoreHarness {
  /** Opens a store that faults do not affect. */
  open(): Promise<EventStoreAdapter>;
  /** Opens a store whose connection the faults break. */
  openFragile(): Promise<EventStoreAdapter>;
  /** Opens a separate, empty store whose positions start above 2^53. */
  openFar(): Promise<EventStoreAdapter>;
  /** Executes a plan in another process (for the store in memory: in another client). */
  appendInOtherProcess(plan: AppendPlan): Promise<void>;
  /** Breaks the connections of fragile stores, or at least of their subscribers; they may reconnect. */
  dropSubscribers(): Promise<void>;
  /** Makes the store unavailable to fragile stores. */
  startOutage(): Promise<void>;
  endOutage(): Promise<void>;
  /** Runs an append of a fragile store so that it is committed but its response never arrives. Returns its error. */
  loseResponseOf(append: () => Promise<unknown>, isCommitted: () => Promise<boolean>): Promise<unknown>;
  stop(): Promise<void>;
}

/** Context of a case: the harness, a store that faults do not affect, and functions that open stores, which are closed after the case. */
export interface ContractContext {
  readonly harness: StoreHarness;
  readonly store: EventStoreAdapter;
  readonly openFragile: () => Promise<EventStoreAdapter>;
  readonly openFar: () => Promise<EventStoreAdapter>;
  readonly openAnother: () => Promise<EventStoreAdapter>;
}
