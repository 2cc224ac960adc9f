import type { Instant } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { Backoff } from '../runtime/backoff.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { keyIdOf, timeOf } from './content.js';
import { attachKey, CONTENT_ERASED, type ContentKey, type ContentKeys } from './content-keys.js';
import type {
  AppendFailure,
  Batch,
  EventStore,
  ReadAllOptions,
  ReadStreamOptions,
  StoredEvent,
  SubscribeOptions,
} from './port.js';

/**
 * Loads the keys with which the codec opens the events that a store returns. The events' text stays as it is stored, so
 * that it can be verified and exported.
 */
export class OpenedEventStore implements EventStore {
  readonly append: EventStore['append'];
  readonly readHead: EventStore['readHead'];
  readonly setRetention: EventStore['setRetention'];
  readonly deleteStream: EventStore['deleteStream'];

  constructor(
    private readonly store: EventStore,
    private readonly keys: ContentKeys,
    private readonly log: Log,
  ) {
    this.append = (...call) => store.append(...call);
    this.readHead = () => store.readHead();
    this.setRetention = (...call) => store.setRetention(...call);
    this.deleteStream = (stream) => store.deleteStream(stream);
  }

  get appendTogether(): EventStore['appendTogether'] {
    const { store } = this;
    return store.appendTogether && ((appends) => store.appendTogether!(appends));
  }

  get appendFailure(): AppendFailure | null {
    return this.store.appendFailure;
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    const events = await this.store.readStream(stream, options);
    await this.attachKeys(events);
    return events;
  }

  async readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    const events = await this.store.readAll(options);
    await this.passErasures(events);
    await this.attachKeys(events);
    return events;
  }

  async *subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const backoff = new Backoff();
    for await (const batch of this.store.subscribe(options)) {
      const failure = new RepeatedFailure();
      while (!(await this.isReady(batch.events, failure))) {
        await backoff.wait(options.signal);
        if (options.signal.aborted) return;
      }
      failure.clear();
      backoff.reset();
      yield batch;
    }
  }

  checkAppends(): void {
    this.store.checkAppends();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Attaches the keys of a batch; false if they cannot be loaded now. */
  private async isReady(events: readonly StoredEvent[], failure: RepeatedFailure): Promise<boolean> {
    try {
      await this.passErasures(events);
      await this.attachKeys(events);
      return true;
    } catch (error) {
      failure.warn(this.log, error, 'the content of events cannot be opened; trying again');
      return false;
    }
  }

  /** Drops the keys that were erased before events of the log, in case the notification has not come. */
  private async passErasures(events: readonly StoredEvent[]): Promise<void> {
    if (events.some(({ type }) => type === CONTENT_ERASED)) await this.keys.dropErased();
  }

  private async attachKeys(events: readonly StoredEvent[]): Promise<void> {
    const missing = new Map<string, Instant>();
    for (const event of events) {
      const id = keyIdOf(event.data);
      if (id === null) continue;
      const key = this.keys.find(id);
      if (key === undefined) missing.set(id, timeOf(event));
      else attachKey(event, key);
    }
    if (missing.size === 0) return;
    const loaded: ReadonlyMap<string, ContentKey | null> = await this.keys.load(missing);
    for (const event of events) {
      const id = keyIdOf(event.data);
      if (id !== null && missing.has(id)) attachKey(event, loaded.get(id) ?? null);
    }
  }
}
