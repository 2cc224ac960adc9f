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
import { createTypeMatcher } from '../type-filter.js';
import { CallTimeout, withCallTimeout } from './call-timeout.js';
import { releaseReadClient, RenewableClient } from './clients.js';
import { toPortError, isStreamDeleted, isStreamNotFound, isClientBroken } from './errors.js';
import { isSystemEvent, toStoredEvent } from './event-text.js';

/** Events in a page of $all. System events and unwanted types are filtered out here. */
const PAGE_SIZE = 500;
/** System events to expect among the others: a first page is larger by this number. */
const SYSTEM_EVENT_MARGIN = 32;

/** Ordinary appends commit at the position where they were prepared, so one number is the whole position. */
const toReadPosition = (position: Position) => ({ commit: position, prepare: position });

/** Reads from the server. The client's native reader never recovers if its first read meets an outage, so the client is replaced then. */
export class EventReader {
  private readonly client: RenewableClient;

  constructor(
    connectionString: string,
    private readonly timeoutMs: number,
  ) {
    this.client = new RenewableClient(connectionString, releaseReadClient);
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
      return (await this.collectEvents<ResolvedEvent>(read, `read ${stream}`)).map(({ event }) =>
        toStoredEvent(event as RecordedEvent),
      );
    } catch (error) {
      if (isStreamNotFound(error) || isStreamDeleted(error)) return [];
      throw error;
    }
  }

  /** {@link EventStore.readAll} @throws Unavailable */
  async readAll({ after, limit, ...filter }: ReadAllOptions): Promise<StoredEvent[]> {
    const isPart = filter.types !== undefined || filter.except !== undefined;
    const isWanted = createTypeMatcher(filter);
    const found: StoredEvent[] = [];
    for (let seen = after; ;) {
      const size = isPart ? PAGE_SIZE : Math.min(PAGE_SIZE, limit - found.length + SYSTEM_EVENT_MARGIN);
      const page = await this.readPage(seen === BEGINNING ? START : toReadPosition(seen), FORWARDS, size);
      for (const event of page) {
        if (event.position.commit <= seen) continue; // a page includes its start position
        seen = event.position.commit;
        if (!isSystemEvent(event) && isWanted(event.type)) found.push(toStoredEvent(event));
        if (found.length === limit) return found;
      }
      if (page.length < size) return found;
    }
  }

  /** {@link EventStore.readHead} @throws Unavailable */
  async readHead(): Promise<Position> {
    let from: ReadPosition = END;
    for (let size = SYSTEM_EVENT_MARGIN; ; size = PAGE_SIZE) {
      const page = await this.readPage(from, BACKWARDS, size);
      const newest = page.find((event) => !isSystemEvent(event));
      if (newest) return newest.position.commit;
      const last = page.at(-1);
      if (!last || page.length < size) return BEGINNING;
      from = last.position;
    }
  }

  /** Returns the position of the last event of any kind, or {@link BEGINNING}. @throws Unavailable */
  async readEnd(): Promise<Position> {
    const [last] = await this.readPage(END, BACKWARDS, 1);
    return last?.position.commit ?? BEGINNING;
  }

  /**
   * Returns the position at which a subscription must start to receive everything after a position. It is the position
   * itself as long as its event exists. Servers up to 23.10 skip the event that follows a scavenged one. So if the event
   * was scavenged, the subscription starts at the last event before it, and the subscriber drops events that it has seen.
   */
  async findSubscriptionStart(after: Position): Promise<ReadPosition> {
    if (after === BEGINNING) return START;
    const [next] = await this.readPage(toReadPosition(after), FORWARDS, 1);
    if (!next || next.position.commit === after) return toReadPosition(after);
    const [previous] = await this.readPage(toReadPosition(after), BACKWARDS, 1);
    return previous?.position ?? START;
  }

  /** Reads the metadata of a stream; empty if it has none. */
  async readMetadata(stream: string): Promise<Record<string, unknown>> {
    const client = this.client.getClient();
    return this.awaitResponse(client, client.getStreamMetadata(stream), `read metadata of ${stream}`).then(
      ({ metadata }) => metadata ?? {},
    );
  }

  /** Reads a page of $all. `from` is inclusive forwards and exclusive backwards. */
  private async readPage(
    from: ReadPosition,
    direction: typeof FORWARDS | typeof BACKWARDS,
    maxCount: number,
  ): Promise<AllStreamRecordedEvent[]> {
    const read = (client: KurrentDBClient) => client.readAll({ fromPosition: from, direction, maxCount });
    return (await this.collectEvents<AllStreamResolvedEvent>(read, 'read $all')).map(
      ({ event }) => event as AllStreamRecordedEvent,
    );
  }

  private async collectEvents<E>(read: (client: KurrentDBClient) => AsyncIterable<E>, what: string): Promise<E[]> {
    const client = this.client.getClient();
    const iterator = read(client)[Symbol.asyncIterator]();
    const found: E[] = [];
    for (;;) {
      const next = await this.awaitResponse(client, iterator.next(), what);
      if (next.done) return found;
      found.push(next.value);
    }
  }

  /** Waits for a response within the time limit, converts errors to the port's and replaces a broken client. */
  private async awaitResponse<T>(client: KurrentDBClient, response: Promise<T>, what: string): Promise<T> {
    try {
      return await withCallTimeout(response, this.timeoutMs, what);
    } catch (error) {
      if (error instanceof CallTimeout || isClientBroken(error)) this.client.replaceClient(client);
      throw toPortError(error, what);
    }
  }
}
