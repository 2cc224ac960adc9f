import type { EventStore, StoredEvent } from './port.js';

/** Number of events in the first read, of which nothing is known, and in later ones. */
const PAGE = { first: 8, most: 200 };
/** Size that a later read is expected to have, in characters, if its events are as large as those before. */
const PAGE_SIZE = 256 * 1_024;

/**
 * Reads a stream backwards, in pages that are small if its events are large, until the caller stops iterating.
 * @param from revision at which to start, inclusive; default: the last event
 * @throws Unavailable
 */
export async function* readBackwards(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from?: bigint,
): AsyncGenerator<StoredEvent, void> {
  let limit = PAGE.first;
  for (let next = from; next === undefined || next >= 0n;) {
    const start = next === undefined ? {} : { from: next };
    const page = await store.readStream(stream, { direction: 'backwards', limit, ...start });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    next = last.revision - 1n;
    const size = page.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0) / page.length;
    limit = Math.min(Math.max(1, Math.floor(PAGE_SIZE / size)), PAGE.most);
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
