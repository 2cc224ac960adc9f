import type { EventStore, StoredEvent } from './port.js';

/** Number of events in one read. */
const PAGE = 200;

/**
 * Reads a stream backwards, page by page, until the caller stops iterating.
 * @param from revision at which to start, inclusive; default: the last event
 * @throws Unavailable
 */
export async function* readBackwards(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from?: bigint,
): AsyncGenerator<StoredEvent, void> {
  for (let next = from; next === undefined || next >= 0n;) {
    const start = next === undefined ? {} : { from: next };
    const page = await store.readStream(stream, { direction: 'backwards', limit: PAGE, ...start });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    next = last.revision - 1n;
  }
}

/** Returns the newest event of a stream that meets a condition; null if there is none. @throws Unavailable */
export const findLast = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  condition: (event: StoredEvent) => boolean,
  from?: bigint,
): Promise<StoredEvent | null> => {
  for await (const event of readBackwards(store, stream, from)) if (condition(event)) return event;
  return null;
};
