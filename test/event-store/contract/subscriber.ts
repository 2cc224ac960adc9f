import { EventEmitter, once } from 'node:events';
import type { Batch, EventStore, Position, StoredEvent, SubscribeOptions } from '../../../src/event-store/port.js';

type Options = Partial<SubscribeOptions> & {
  readonly after: Position;
  /** Only what is in these streams is kept: a store may hold events of others. */
  readonly of?: readonly string[];
  /** What the reader does with a batch before it takes the next. */
  readonly onBatch?: (batch: Batch) => Promise<unknown>;
};

/** A reader of a subscription that keeps what it was given and waits for what a case expects. */
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

  /** Waits until a condition holds, looking after every batch. @throws what the subscription ended with. */
  async until(condition: (subscriber: this) => boolean): Promise<void> {
    while (!condition(this)) {
      if (this.failure) throw this.failure;
      await once(this.changes, 'change');
    }
  }

  /** Waits until it has been given an event, of whatever stream. */
  hasSeen(id: string): Promise<void> {
    return this.until(() => this.seen.has(id));
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  private async read(store: EventStore, { of: streams, onBatch, ...options }: Options): Promise<void> {
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
