import type streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import { Backoff } from '../../runtime/backoff.js';
import {
  type Batch,
  BEGINNING,
  countBytes,
  createTypeMatcher,
  isFullPage,
  MAX_PAGE_BYTES,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type SubscribeOptions,
} from '../port.js';
import type { RenewableClient } from './clients.js';
import {
  CallTimeout,
  isStreamDeleted,
  isStreamNotFound,
  isWrongPosition,
  toPortError,
  withCallTimeout,
  WrongPosition,
} from './errors.js';
import { convertToCommandError, readStreamMetadata } from './library-internals.js';
import type { LogFeeds } from './log-feed.js';
import { isSystemEvent, openRead, type ReadMessage, type ReadStart, requestAll, requestStream } from './read-call.js';

/** Number of events in a page of $all. System events and unwanted types are filtered out after the read. */
const PAGE_SIZE = 500;
/** Number of extra events to request, to make up for system events. */
const SYSTEM_EVENT_MARGIN = 32;

/** Reads events and metadata from the server. */
export class EventReader {
  constructor(
    private readonly clients: RenewableClient,
    private readonly timeoutMs: number,
  ) {}

  /** Implements {@link EventStore.readStream}. @throws Unavailable */
  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    const { direction = 'forwards', limit = Number.MAX_SAFE_INTEGER } = options;
    const from = options.from ?? (direction === 'backwards' ? 'end' : 'start');
    try {
      return await this.collectEvents(requestStream(stream, from, direction, limit), `read ${stream}`);
    } catch (error) {
      if (isStreamNotFound(error) || isStreamDeleted(error)) return [];
      throw error;
    }
  }

  /** Implements {@link EventStore.readAll}. @throws Unavailable */
  async readAll({ after, limit, ...filter }: ReadAllOptions): Promise<StoredEvent[]> {
    const isPart = filter.types !== undefined || filter.except !== undefined;
    const isWanted = createTypeMatcher(filter);
    const found: StoredEvent[] = [];
    let foundBytes = 0;
    for (let seen = after; ;) {
      const size = isPart ? PAGE_SIZE : Math.min(PAGE_SIZE, limit - found.length + SYSTEM_EVENT_MARGIN);
      const page = await this.readPage(seen === BEGINNING ? 'start' : seen, 'forwards', size);
      for (const event of page) {
        if (event.position <= seen) continue; // a page includes its start position
        seen = event.position;
        if (isSystemEvent(event) || !isWanted(event.type)) continue;
        found.push(event);
        foundBytes += countBytes(event);
        if (found.length === limit || foundBytes >= MAX_PAGE_BYTES) return found;
      }
      if (!isFullPage(page, size)) return found;
    }
  }

  /** Implements {@link EventStore.readHead}. @throws Unavailable */
  async readHead(): Promise<Position> {
    return (await this.readLastEvent())?.position ?? BEGINNING;
  }

  /** Reads the newest event, except the server's own; null if there is none. @throws Unavailable */
  async readLastEvent(): Promise<StoredEvent | null> {
    let from: ReadStart = 'end';
    for (let size = SYSTEM_EVENT_MARGIN; ; size = PAGE_SIZE) {
      const page = await this.readPage(from, 'backwards', size);
      const newest = page.find((event) => !isSystemEvent(event));
      if (newest) return newest;
      const last = page.at(-1);
      if (!last || page.length < size) return null;
      from = last.position;
    }
  }

  /** Returns the position of the last event of any kind, or {@link BEGINNING}. @throws Unavailable */
  async readEnd(): Promise<Position> {
    const [last] = await this.readPage('end', 'backwards', 1);
    return last?.position ?? BEGINNING;
  }

  /**
   * Skips events that a filter does not select: returns the position of the last event that can be skipped, or the same
   * position if none can. Reads one small page.
   * @throws Unavailable
   */
  async skipUnwanted(after: Position, isWanted: (type: string) => boolean): Promise<Position> {
    const page = await this.readPage(after === BEGINNING ? 'start' : after, 'forwards', SYSTEM_EVENT_MARGIN);
    const isFound = (event: StoredEvent) => event.position > after && !isSystemEvent(event) && isWanted(event.type);
    const next = page.findIndex(isFound);
    return page.slice(0, next < 0 ? page.length : next).at(-1)?.position ?? after;
  }

  /**
   * Returns the position at which a subscription must start to receive everything after a position: the position itself
   * while its event exists. If that event was scavenged, the subscription starts at the last event before it, because
   * servers up to 23.10 skip the event after a scavenged one. The subscriber then drops events that it has already
   * seen.
   * @throws WrongPosition @throws Unavailable
   */
  async findSubscriptionStart(after: Position): Promise<ReadStart> {
    if (after === BEGINNING) return 'start';
    const [next] = await this.readPage(after, 'forwards', 1);
    if (!next || next.position === after) return after;
    const [previous] = await this.readPage(after, 'backwards', 1);
    return previous?.position ?? 'start';
  }

  /** Reads the metadata of a stream; empty if it has none. */
  async readMetadata(stream: string): Promise<Record<string, unknown>> {
    const [newest] = await this.readStream(`$$${stream}`, { direction: 'backwards', limit: 1 });
    return newest ? { ...readStreamMetadata(JSON.parse(newest.data) as Record<string, unknown>) } : {};
  }

  /** Reads a page of $all, up to {@link MAX_PAGE_BYTES}. `from` is inclusive forwards and exclusive backwards. */
  private readPage(from: ReadStart, direction: 'forwards' | 'backwards', count: number): Promise<StoredEvent[]> {
    return this.collectEvents(requestAll(from, direction, count), 'read $all', MAX_PAGE_BYTES);
  }

  /**
   * Collects the events that a read returns. The time limit applies to each message. Converts errors to port errors.
   * @param most size in bytes at which the read ends
   */
  private async collectEvents(request: streams.ReadReq, what: string, most = Infinity): Promise<StoredEvent[]> {
    try {
      const call = await withCallTimeout(openRead(this.clients.getClient(), request), this.timeoutMs, what);
      return await new Promise((resolve, reject) => {
        const found: StoredEvent[] = [];
        let bytes = 0;
        const expiry = setTimeout(() => {
          reject(new CallTimeout(what, this.timeoutMs));
          call.cancel();
        }, this.timeoutMs);
        call.on('data', (message: ReadMessage) => {
          expiry.refresh();
          if (message.kind !== 'event' || bytes >= most) return;
          found.push(message.event);
          bytes += countBytes(message.event);
          if (bytes < most) return;
          clearTimeout(expiry);
          resolve(found);
          call.cancel();
        });
        call.on('error', (error: Error) => {
          clearTimeout(expiry);
          reject(convertToCommandError(error));
        });
        call.on('end', () => {
          clearTimeout(expiry);
          resolve(found);
        });
      });
    } catch (error) {
      throw toPortError(error, what);
    }
  }
}

/**
 * Follows the log through a sequence of feeds. Whatever ends a feed, the next feed continues after the last position
 * that was read. Drops are normal: servers up to 24.2 drop any consumer that is briefly slow.
 * @throws WrongPosition if the log has no event at the position from which it continues
 */
export async function* followLog(options: SubscribeOptions, feeds: LogFeeds): AsyncGenerator<Batch> {
  const { signal, maxBatch = 500, types, except } = options;
  const filter = { ...(types && { types }), ...(except && { except }) };
  const backoff = new Backoff();
  let position = options.after;
  while (!signal.aborted) {
    const reader = feeds.join(position, filter);
    const leave = (): void => reader.leave();
    signal.addEventListener('abort', leave);
    try {
      for (let batch = await reader.readBatch(maxBatch); batch; batch = await reader.readBatch(maxBatch)) {
        if (signal.aborted) return;
        position = batch.position;
        backoff.reset();
        yield batch;
        if (feeds.isOvertaken(reader, filter)) break;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      reader.leave();
    }
    const { error } = reader.feed;
    if (signal.aborted) return;
    if (!error) continue; // another feed serves the reader
    if (isWrongPosition(error)) throw new WrongPosition(position, { cause: error });
    options.onDrop?.(toPortError(error, 'subscribe') as Error);
    await backoff.wait(signal);
  }
}

/** Lets identical concurrent calls share one call. */
export class SharedCalls<T> {
  private readonly inFlight = new Map<string, Promise<T>>();

  /** Joins the call in flight with this identity, or starts one. */
  share(identity: string, start: () => Promise<T>): Promise<T> {
    const joined = this.inFlight.get(identity);
    if (joined) return joined;
    const call = start();
    this.inFlight.set(identity, call);
    const forget = (): void => void this.inFlight.delete(identity);
    call.then(forget, forget); // before the callers continue
    return call;
  }
}
