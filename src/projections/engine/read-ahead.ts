import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, EventStore, StoredEvent, SubscribeOptions } from '../../event-store/port.js';

/** Maximum size of the events that are applied in one transaction ({@link sizeOf}); a single event may be larger. */
const MAX_SIZE = 4_000_000;

/** Size of a target in an event that lists it, in characters. */
const TARGET_SIZE = 180;
/** Finds how many targets an event queues without listing them. */
const TARGET_COUNT = /"targetCount":(\d+)/;

/** Returns a measure of the work and memory that an event takes: its characters, and those of targets that it implies. */
export const sizeOf = ({ type, data, metadata }: StoredEvent): number => {
  const implied = type === 'PostReleased' ? Number(TARGET_COUNT.exec(data)?.[1] ?? 0) * TARGET_SIZE : 0;
  return data.length + metadata.length + implied;
};

/** Divides large batches, so that each transaction is small. Only the last part of a batch can be live. */
export async function* divideBatches(batches: AsyncIterable<Batch>): AsyncIterable<Batch> {
  for await (const { events, position, isLive } of batches) {
    let from = 0;
    let size = 0;
    for (const [i, event] of events.entries()) {
      const next = sizeOf(event);
      if (i > from && size + next > MAX_SIZE) {
        yield { events: events.slice(from, i), position: events[i - 1]!.position, isLive: false };
        [from, size] = [i, 0];
      }
      size += next;
    }
    yield { events: from === 0 ? events : events.slice(from), position, isLive };
  }
}

/**
 * Batch limits while a reader catches up: number of events, and their total size ({@link sizeOf}). Larger batches are not
 * faster, and all read models may catch up at once, after a long outage.
 */
const MOST: { readonly events: number; readonly size: number } = { events: 2_000, size: 2_000_000 };

/** Minimum interval, in ms, between two batches without events, which only move the checkpoint. */
const UNREAD_INTERVAL_MS = 50;

/**
 * Reads the log like {@link EventStore.subscribe}, but faster for a reader that is far behind: while the reader applies
 * a batch, the next batch is read, prepared and collected from several pages (ADR-171). A row that changes several
 * times within a batch is written once. Once the reader has reached the end of the log, each batch is read on demand,
 * and events accumulate in between. A batch without events is held back until its interval has elapsed or the next
 * batch arrives.
 * @param prepare called for each event that is read ahead
 */
export async function* readAhead(
  store: Pick<EventStore, 'subscribe'>,
  { signal, ...options }: SubscribeOptions,
  prepare: (event: StoredEvent) => void,
): AsyncIterable<Batch> {
  const ended = new AbortController();
  const pages = store
    .subscribe({ ...options, signal: AbortSignal.any([signal, ended.signal]) })
    [Symbol.asyncIterator]();
  let unreadAt = -Infinity;
  try {
    for (let reading = gather(pages, prepare); ;) {
      const batch = await reading;
      if (!batch) return;
      const isOnDemand = batch.isLive && batch.events.length > 0;
      if (isOnDemand) yield batch;
      reading = gather(pages, prepare);
      reading.catch(() => undefined); // the error is thrown when the promise is awaited
      if (isOnDemand) continue;
      if (batch.isLive) {
        // A new post must not wait for a checkpoint that only moves past events irrelevant to the reader.
        if (await settlesWithin(reading, unreadAt + UNREAD_INTERVAL_MS - performance.now())) continue;
        unreadAt = performance.now();
      }
      yield batch;
    }
  } finally {
    ended.abort();
    // Not awaited: a page that is still being read may take a while and is no longer needed.
    pages.return?.().catch(() => undefined);
  }
}

const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  if (ms <= 0) return false;
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, sleep(ms, false)]);
};

/** Collects pages into one batch, up to the end of the log. @returns null if there are no more pages */
const gather = async (pages: AsyncIterator<Batch>, prepare: (event: StoredEvent) => void): Promise<Batch | null> => {
  const events: StoredEvent[] = [];
  let size = 0;
  for (;;) {
    const page = await pages.next();
    if (page.done) return null;
    const { position, isLive } = page.value;
    if (isLive && events.length === 0) return page.value;
    for (const event of page.value.events) {
      events.push(event);
      size += sizeOf(event);
      if (!isLive) prepare(event);
    }
    if (isLive || events.length >= MOST.events || size >= MOST.size) return { events, position, isLive };
  }
};
