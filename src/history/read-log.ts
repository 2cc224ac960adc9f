import { isFullPage } from '../event-store/page-size.js';
import type { EventStore, Position, StoredEvent } from '../event-store/port.js';
import type { RecordedEvent } from '../kernel/events.js';
import type { Json, JsonObject } from '../kernel/json.js';
import { type AuditedThing, thingOf } from '../projections/audit/audit.tables.js';
import type { SecretVault } from '../secrets/vault.js';

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

/** Adds the aggregate to an event. */
export const toHistoricEvent = (event: RecordedEvent): HistoricEvent => ({ ...event, thing: thingOf(event) });

/** Thrown for an event that is damaged or was written by a newer version of the program. */
export { UndecodableEvent as UnreadableHistory } from '../event-store/codec.js';

/** Shown in place of anything erased: the id of a secret or the data of a deleted event. */
export const ERASED = 'erased';

/** Names of the members that hold ids of secrets, in events and in states. */
const SECRET_ID = /^(credentialsId|credentials_id|api_key_id|.*[sS]ecretI[dD]|.*secret_id)$/;

type Value = Json | undefined;

const collect = (value: Value, found: Set<string>): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value as JsonObject)) {
    if (typeof member === 'string' && SECRET_ID.test(name)) found.add(member);
    else collect(member, found);
  }
};

const replace = (value: Value, erased: ReadonlySet<string>): Value => {
  if (typeof value === 'string') return erased.has(value) ? ERASED : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((member) => replace(member, erased) as Json);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replace(member, erased)]));
};

/** Replaces the ids of erased secrets in JSON with `erased` (D-56). The names of members show which values are ids. */
export const maskErasedSecrets = async <T>(vault: Pick<SecretVault, 'findErased'>, values: T): Promise<T> => {
  const found = new Set<string>();
  collect(values as Value, found);
  if (found.size === 0) return values;
  const erased = await vault.findErased([...found]);
  return erased.size === 0 ? values : (replace(values as Value, erased) as T);
};
