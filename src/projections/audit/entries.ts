import type { QueryConfig } from 'pg';
import { ownerOfActor, type RecordedEvent } from '../../kernel/events.js';
import { hexInt8Array, int4Array, int8Array, textArray } from '../../postgres/binary-array.js';
import { executeWrites, type Tx, type Write } from '../engine/projection.js';
import { AUDITED_TYPES, entryColumns, hash64, hashEventId, hashType, nameThing, thingOf } from './audit.tables.js';
import { DELETED_LATER } from './audited-types.js';

/** Names of an entry's columns, as SQL. */
export const ENTRY_COLUMNS = Object.keys(entryColumns).join(', ');
const ENTRY_ARRAYS = Object.values(entryColumns).map(({ type }, i) => `$${i + 1}::${type}[]`);

/** Maximum number of entries per insert statement. Encoding more at a time would block the event loop. */
const MAX_INSERTED = 2_000;

const envelopeOf = (event: RecordedEvent): string | null => {
  if (!DELETED_LATER.has(event.type)) return null;
  const { id, type, version, at, actor, requestId, causationId, correlationId, clientAddress, hash } = event;
  return JSON.stringify({ id, type, version, at, actor, requestId, causationId, correlationId, clientAddress, hash });
};

/** Inserts the entries of events. */
export const insertEntries = (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
  hashed: HashName,
): Promise<void> => {
  const writes: Write[] = [];
  for (let from = 0; from < events.length; from += MAX_INSERTED) {
    const until = from + MAX_INSERTED;
    writes.push({ encode: () => insertSome(events.slice(from, until), owners.slice(from, until), hashed) });
  }
  return executeWrites(tx, writes);
};

/** Hashes a name like {@link hash64}. */
export type HashName = (name: string) => string;

/** Returns a function that computes each hash once, because the events of a post have many names in common. */
export const rememberHashes = (): HashName => {
  const known = new Map<string, string>();
  return (name) => {
    let hashed = known.get(name);
    if (hashed === undefined) known.set(name, (hashed = hash64(name)));
    return hashed;
  };
};

const insertSome = (
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
  hashed: HashName,
): QueryConfig => ({
  name: 'insert audit entries',
  text: `insert into entry (${ENTRY_COLUMNS}) select * from unnest(${ENTRY_ARRAYS.join(', ')})`,
  values: [
    int8Array(events.map(({ position }) => position)),
    int8Array(events.map(({ revision }) => revision)),
    int8Array(events.map(({ at }) => at)),
    hexInt8Array(events.map(({ id }) => hashEventId(id))),
    hexInt8Array(
      events.map((event) => {
        const { aggregate, id } = thingOf(event);
        return id === null ? null : hashed(nameThing(aggregate, id));
      }),
    ),
    hexInt8Array(events.map(({ correlationId }) => hashed(correlationId))),
    hexInt8Array(events.map(({ actor }) => hashed(actor))),
    int4Array(owners),
    int4Array(events.map(({ type }) => hashOf(type))),
    textArray(events.map(({ stream }) => stream)),
    textArray(events.map(envelopeOf)),
  ],
});

const typeHashes: ReadonlyMap<string, number> = new Map(AUDITED_TYPES.map((type) => [type, hashType(type)]));
const hashOf = (type: string): number => typeHashes.get(type)!;

/** Inserts the stories of requests whose events belong to the story of another request. */
export const insertRequestStories = async (
  tx: Tx,
  events: readonly Pick<RecordedEvent, 'requestId' | 'correlationId'>[],
): Promise<void> => {
  const inOthers = events.filter(({ requestId, correlationId }) => requestId !== '' && requestId !== correlationId);
  if (inOthers.length === 0) return;
  await tx.query({
    name: 'insert request stories',
    text: `insert into request_story (request_hash, correlation_hash)
           select * from unnest($1::bigint[], $2::bigint[]) on conflict do nothing`,
    values: [
      hexInt8Array(inOthers.map(({ requestId }) => hash64(requestId))),
      hexInt8Array(inOthers.map(({ correlationId }) => hash64(correlationId))),
    ],
  });
};

/** True for the operator and owners. */
const isPerson = (actor: string): boolean => actor === 'operator' || ownerOfActor(actor) !== null;

/** Inserts the events whose author is a person, except payload parts, because their post's event is enough. */
export const insertPersonChanges = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
): Promise<void> => {
  const rows = events.flatMap((event, i) => {
    const { position, at, actor, type, id: event_id } = event;
    if (!isPerson(actor) || DELETED_LATER.has(type)) return [];
    const { aggregate, id: aggregate_id } = thingOf(event);
    return [{ position: String(position), owner_no: owners[i], at, actor, type, event_id, aggregate, aggregate_id }];
  });
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert changes of persons',
    text: 'insert into person_change select * from json_populate_recordset(null::person_change, $1::json)',
    values: [JSON.stringify(rows)],
  });
};
