import type { Batch, EventStore, StoredEvent, SubscribeOptions } from '../../event-store/port.js';

/** Bounds of a batch that is gathered while a reader catches up. */
interface BatchBounds {
  readonly events: number;
  /** Characters of the events' data and metadata. */
  readonly characters: number;
}

const LARGE: BatchBounds = { events: 8_000, characters: 8_000_000 };
/** Bounds while another reader gathers large batches. */
const SMALL: BatchBounds = { events: 2_000, characters: 2_000_000 };

/** The reader of this process that gathers large batches. Six at a time, as after a long outage, would need 700 MB more. */
let gatherer: symbol | null = null;

/**
 * Reads the log like {@link EventStore.subscribe}, faster for a reader that is far behind: while it applies a batch, the next
 * one is read, prepared and gathered from several pages (ADR-171). A row that changes several times within a batch is written
 * once. When the reader has reached the end of the log, each batch is read when it is asked for, so that events gather
 * meanwhile. One reader of a process gathers large batches at a time, the others small ones.
 * @param prepare called with each event that is read ahead
 */
export async function* readAhead(
  store: Pick<EventStore, 'subscribe'>,
  { signal, ...options }: SubscribeOptions,
  prepare: (event: StoredEvent) => void,
): AsyncIterable<Batch> {
  const ended = new AbortController();
  const self = Symbol('reader');
  const bounds = (): BatchBounds => (!ended.signal.aborted && (gatherer ??= self) === self ? LARGE : SMALL);
  const stopGathering = (): void => {
    if (gatherer === self) gatherer = null;
  };
  const pages = store
    .subscribe({ ...options, signal: AbortSignal.any([signal, ended.signal]) })
    [Symbol.asyncIterator]();
  try {
    for (let reading = gather(pages, prepare, bounds); ;) {
      const batch = await reading;
      if (!batch) return;
      if (batch.isLive) {
        stopGathering();
        yield batch;
      }
      reading = gather(pages, prepare, bounds);
      reading.catch(() => undefined); // it is thrown when it is waited for
      if (!batch.isLive) yield batch;
    }
  } finally {
    ended.abort();
    stopGathering();
    // Not waited for: a page that is being read may take long, and is not needed any more.
    pages.return?.().catch(() => undefined);
  }
}

/** Gathers pages to one batch, up to the end of the log at most. @returns null if there are no more */
const gather = async (
  pages: AsyncIterator<Batch>,
  prepare: (event: StoredEvent) => void,
  bounds: () => BatchBounds,
): Promise<Batch | null> => {
  const events: StoredEvent[] = [];
  let characters = 0;
  for (;;) {
    const page = await pages.next();
    if (page.done) return null;
    const { position, isLive } = page.value;
    if (isLive && events.length === 0) return page.value;
    for (const event of page.value.events) {
      events.push(event);
      characters += event.data.length + event.metadata.length;
      if (!isLive) prepare(event);
    }
    const most = bounds();
    if (isLive || events.length >= most.events || characters >= most.characters) return { events, position, isLive };
  }
};
