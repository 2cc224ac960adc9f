import { EventEmitter, once } from 'node:events';
import type { Batch, EventStore, Position, StoredEvent, SubscribeOptions } from '../../../src/event-store/port.js';

type Options = Partial<SubscribeOptions> & {
  readonly after: Position;
  /** Only events of these streams are kept: the store may hold events of other tests. */
  readonly streams?: readonly string[];
  /** Work of the reader on a batch before it reads the next one. */
  readonly onBatch?: (batch: Batch) => Promise<unknown>;
};

/** Reader of a subscription. It keeps the events that it receives, and a case can wait for what it expects. */
export class Subscriber {
  readonly events: StoredEvent[] = [];
  readonly batches: Batch[] = [];
  private readonly seen = new Set<string>();
  readonly drops: Error[] = [];
  /** Settles when the subscription has ended. */
  readonly ended: Promise<void>;
  private readonly abort = new AbortController();
  private readonly changes = new EventEmitter();
  private failure: Error | undefined;

  constructor(store: EventStore, options: Options) {
    this.changes.setMaxListeners(0);
    this.ended = this.read(store, options).catch((error: Error) => {
      this.failure = error;
      this.changes.emit('change');
    });
  }

  get last(): Batch | undefined {
    return this.batches.at(-1);
  }

  /** Waits until a condition holds; it is checked after every batch. @throws the error that ended the subscription */
  async waitUntil(condition: (subscriber: this) => boolean): Promise<void> {
    while (!condition(this)) {
      if (this.failure) throw this.failure;
      await once(this.changes, 'change');
    }
  }

  /** Waits until the event has been received, whatever its stream. */
  waitForEvent(id: string): Promise<void> {
    return this.waitUntil(() => this.seen.has(id));
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  private async read(store: EventStore, { streams, onBatch, ...options }: Options): Promise<void> {
    const onDrop = (error: Error): void => {
      this.drops.push(error);
      this.changes.emit('change');
    };
    for await (const batch of store.subscribe({ signal: this.abort.signal, onDrop, ...options })) {
      this.batches.push(batch);
      for (const { id } of batch.events) this.seen.add(id);
      this.events.push(...batch.events.filter(({ stream }) => streams?.includes(stream) ?? true));
      this.changes.emit('change');
      await onBatch?.(batch);
    }
  }
}
