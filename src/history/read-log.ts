import { isFullPage } from '../event-store/page-size.js';
import type { EventStore, Position, StoredEvent } from '../event-store/port.js';

/** Maximum number of events in a page. */
export const PAGE = 500;

/** Reads the log in pages, from `after`, exclusive, to `until`, inclusive. @throws Unavailable */
export async function* readLog(
  store: Pick<EventStore, 'readAll'>,
  { after, until, pageSize = PAGE }: { after: Position; until: Position; pageSize?: number },
): AsyncGenerator<readonly StoredEvent[], void> {
  for (let from = after; from < until;) {
    const page = await store.readAll({ after: from, limit: pageSize });
    yield page.filter(({ position }) => position <= until);
    if (!isFullPage(page, pageSize)) return;
    from = page.at(-1)!.position;
  }
}
