import { sagaStream } from '../../domain/saga/saga.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';
import { isStoreOutage } from '../../event-store/store-outage.js';
import { readSkippedIds } from '../../event-store/store-records.js';
import type { Notifications } from '../../postgres/notifications.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** Reads the ids of the events that operators have skipped for a saga. @throws Unavailable */
export const readSkippedEvents = (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  name: string,
): Promise<ReadonlySet<string>> => readSkippedIds(store, codec, { stream: sagaStream(name), type: 'SagaEventSkipped' });

/** Delay, in ms, between two attempts to read the decisions while the event store is unavailable. */
const RETRY_MS = 1_000;

/** The events of a saga that operators have decided to skip. Notifications announce new decisions. */
export class Skips {
  private ids: ReadonlySet<string> = new Set();
  private changed = new AbortController();

  constructor(
    private readonly saga: string,
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /** Subscribes to notifications. Returns a function that unsubscribes. */
  listen(notifications: Notifications): () => void {
    return notifications.subscribe('saga', (name) => {
      if (name === this.saga) this.changed.abort();
    });
  }

  has(eventId: string): boolean {
    return this.ids.has(eventId);
  }

  /** Reads the decisions, retrying until the event store responds or the signal is aborted. */
  async load(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        return await this.read();
      } catch (error) {
        if (!isStoreOutage(error)) throw error;
        await sleepUnlessAborted(RETRY_MS, signal);
      }
    }
  }

  /**
   * Waits for the given time, or until a decision is announced. An announcement since the last wait ends this wait
   * at once.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await sleepUnlessAborted(ms, AbortSignal.any([signal, this.changed.signal]));
    if (this.changed.signal.aborted) this.changed = new AbortController();
  }

  /** Waits like {@link wait}, and reads the decisions. During an outage, keeps the known decisions. */
  async waitAndRead(ms: number, signal: AbortSignal): Promise<void> {
    await this.wait(ms, signal);
    if (signal.aborted) return;
    await this.read().catch((error: unknown) => {
      if (!isStoreOutage(error)) throw error;
    });
  }

  private async read(): Promise<void> {
    this.ids = await readSkippedEvents(this.store, this.codec, this.saga);
  }
}
