import type { EventStore, Position, StoredEvent } from '../event-store/port.js';

/** Maximum number of events in a page. */
export const PAGE = 500;
/** Approximate maximum size of a page, in bytes: large payloads have parts of 900 KB. */
const PAGE_BYTES = 8_388_608;

/** Reads the log in pages, from `after`, exclusive, to `until`, inclusive. @throws Unavailable */
export async function* readLog(
  store: Pick<EventStore, 'readAll'>,
  { after, until, pageSize = PAGE }: { after: Position; until: Position; pageSize?: number },
): AsyncGenerator<readonly StoredEvent[], void> {
  let limit = pageSize;
  for (let from = after; from < until;) {
    const page = await store.readAll({ after: from, limit });
    yield page.filter(({ position }) => position <= until);
    if (page.length < limit) return;
    from = page.at(-1)!.position;
    const bytes = page.reduce((sum, { data }) => sum + data.length, 0);
    limit = Math.max(1, Math.min(pageSize, Math.floor((limit * PAGE_BYTES) / Math.max(bytes, 1))));
  }
}
