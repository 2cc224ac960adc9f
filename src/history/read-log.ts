import { type EventStore, isFullPage, type Position, type StoredEvent } from '../event-store/port.js';
import type { RecordedEvent } from '../kernel/events.js';
import { type AuditedThing, thingOf } from '../projections/audit/audit.tables.js';

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

/** An event as shown in history, with the aggregate that it belongs to. */
export type HistoricEvent = RecordedEvent & { readonly thing: AuditedThing };

/** Matches an event's id: a UUID in lower case. */
export const EVENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Adds the aggregate to an event.
 * @param data as it is shown; if ids of erased secrets in it are replaced, the stored form is not shown
 */
export const toHistoricEvent = (event: RecordedEvent, data: unknown = event.data): HistoricEvent => {
  const { sealedData, ...rest } = event;
  const isAsStored = data === event.data || JSON.stringify(data) === JSON.stringify(event.data);
  return { ...rest, ...(isAsStored && sealedData !== undefined && { sealedData }), data, thing: thingOf(event) };
};

/** Thrown for an event that is damaged or was written by a newer version of the program. */
export { UndecodableEvent as UnreadableHistory } from '../event-store/codec.js';
