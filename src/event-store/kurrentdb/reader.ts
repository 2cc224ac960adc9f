import {
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  FORWARDS,
  type KurrentDBClient,
  type ReadPosition,
  type RecordedEvent,
  type ResolvedEvent,
  START,
} from '@kurrent/kurrentdb-client';
import { BEGINNING, type Position, type ReadAllOptions, type ReadStreamOptions, type StoredEvent } from '../port.js';
import { wants } from '../type-filter.js';
import { TimedOut, withinTime } from './call-timer.js';
import { release, RenewableClient } from './clients.js';
import { portError, saysStreamNotFound, saysUnavailable } from './errors.js';
import { isSystemEvent, toStoredEvent } from './event-text.js';

/** $all is read in pages of at most so many events; system events and unwanted types are dropped from them here. */
const PAGE = 500;
/** System events that are likely to stand among others: what a first look takes in beyond what is wanted. */
const FIRST_LOOK = 32;

/** The events of ordinary appends commit themselves: one number is the whole position. */
const at = (position: Position) => ({ commit: position, prepare: position });

/** All that reads: the client's native reader, which never recovers from an outage that its first read met. */
export class Reader {
  private readonly client: RenewableClient;

  constructor(
    connectionString: string,
    private readonly timeoutMs: number,
  ) {
    this.client = new RenewableClient(connectionString, release);
  }

  /** {@link EventStore.readStream} @throws Unavailable */
  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    const backwards = options.direction === 'backwards';
    const read = (client: KurrentDBClient) =>
      client.readStream(stream, {
        direction: backwards ? BACKWARDS : FORWARDS,
        fromRevision: options.from ?? (backwards ? END : START),
        maxCount: options.limit ?? Number.MAX_SAFE_INTEGER,
      });
    try {
      return (await this.collect<ResolvedEvent>(read, `read ${stream}`)).map(({ event }) =>
        toStoredEvent(event as RecordedEvent),
      );
    } catch (error) {
      if (saysStreamNotFound(error)) return [];
      throw error;
    }
  }

  /** {@link EventStore.readAll} @throws Unavailable */
  async readAll({ after, limit, ...filter }: ReadAllOptions): Promise<StoredEvent[]> {
    const isPart = filter.types !== undefined || filter.except !== undefined;
    const isWanted = wants(filter);
    const found: StoredEvent[] = [];
    for (let seen = after; ;) {
      const size = isPart ? PAGE : Math.min(PAGE, limit - found.length + FIRST_LOOK);
      const page = await this.page(seen === BEGINNING ? START : at(seen), FORWARDS, size);
      for (const event of page) {
        if (event.position.commit <= seen) continue; // a page includes where it starts
        seen = event.position.commit;
        if (!isSystemEvent(event) && isWanted(event.type)) found.push(toStoredEvent(event));
        if (found.length === limit) return found;
      }
      if (page.length < size) return found;
    }
  }

  /** {@link EventStore.head} @throws Unavailable */
  async head(): Promise<Position> {
    let from: ReadPosition = END;
    for (let size = FIRST_LOOK; ; size = PAGE) {
      const page = await this.page(from, BACKWARDS, size);
      const newest = page.find((event) => !isSystemEvent(event));
      if (newest) return newest.position.commit;
      const last = page.at(-1);
      if (!last || page.length < size) return BEGINNING;
      from = last.position;
    }
  }

  /**
   * Where a subscription has to start to see everything after a position. The position itself, as long as an event
   * stands there; servers up to 23.10 skip the event that follows one which was scavenged away, so then it is the last
   * event before it, and the subscriber drops what it has seen already.
   */
  async subscriptionStart(after: Position): Promise<ReadPosition> {
    if (after === BEGINNING) return START;
    const [next] = await this.page(at(after), FORWARDS, 1);
    if (!next || next.position.commit === after) return at(after);
    const [previous] = await this.page(at(after), BACKWARDS, 1);
    return previous?.position ?? START;
  }

  /** The metadata of a stream, empty where it has none. */
  async metadata(stream: string): Promise<Record<string, unknown>> {
    const client = this.client.get();
    return this.guarded(client, client.getStreamMetadata(stream), `read metadata of ${stream}`).then(
      ({ metadata }) => metadata ?? {},
    );
  }

  /** A page of $all: `from` is included forwards and left out backwards. */
  private async page(
    from: ReadPosition,
    direction: typeof FORWARDS | typeof BACKWARDS,
    maxCount: number,
  ): Promise<AllStreamRecordedEvent[]> {
    const read = (client: KurrentDBClient) => client.readAll({ fromPosition: from, direction, maxCount });
    return (await this.collect<AllStreamResolvedEvent>(read, 'read $all')).map(
      ({ event }) => event as AllStreamRecordedEvent,
    );
  }

  private async collect<E>(read: (client: KurrentDBClient) => AsyncIterable<E>, what: string): Promise<E[]> {
    const client = this.client.get();
    const iterator = read(client)[Symbol.asyncIterator]();
    const found: E[] = [];
    for (;;) {
      const next = await this.guarded(client, iterator.next(), what);
      if (next.done) return found;
      found.push(next.value);
    }
  }

  /** One answer, in time, with the port's errors; a client that is broken is replaced. */
  private async guarded<T>(client: KurrentDBClient, answer: Promise<T>, what: string): Promise<T> {
    try {
      return await withinTime(answer, this.timeoutMs, what);
    } catch (error) {
      if (error instanceof TimedOut || saysUnavailable(error)) this.client.renew(client);
      throw portError(error, what);
    }
  }
}
