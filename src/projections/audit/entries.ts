import type { QueryConfig } from 'pg';
import { isPerson, type RecordedEvent } from '../../kernel/events.js';
import { hexInt8Array, int4Array, int8Array, textArray } from '../../postgres/binary-array.js';
import { executeWrites, type Tx, type Write } from '../engine/projection.js';
import {
  ALL_OWNERS,
  AUDITED_TYPES,
  entryColumns,
  hash64,
  hashEventId,
  hashType,
  nameThing,
  TALLY_EVENTS,
  thingOf,
} from './audit.tables.js';
import { DELETED_LATER } from './audited-types.js';

/** Names of an entry's columns, as SQL. */
export const ENTRY_COLUMNS = Object.keys(entryColumns).join(', ');
const ENTRY_ARRAYS = Object.values(entryColumns).map(({ type }, i) => `$${i + 1}::${type}[]`);

/** Maximum number of entries per insert statement. Encoding more at a time would block the event loop. */
const MAX_INSERTED = 2_000;

const envelopeOf = (event: RecordedEvent): string | null => {
  if (!DELETED_LATER.has(event.type)) return null;
  const { id, type, version, at, actor, actorName, requestId, causationId, correlationId, clientAddress, hash } = event;
  return JSON.stringify({
    id,
    type,
    version,
    at,
    actor,
    actorName,
    requestId,
    causationId,
    correlationId,
    // A copy of what is sealed in the event would outlive its key (D-100).
    clientAddress: event.sealedData === undefined ? clientAddress : null,
    hash,
  });
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

/** Outcomes that a tally counts, by event type; all other events have outcome 0. */
const OUTCOMES: Readonly<Record<string, number>> = {
  PublicationSucceeded: 1,
  PublicationFailed: 2,
  PublicationInDoubt: 3,
};

/**
 * SQL: adds events to tallies and to their moments.
 * @param events SQL for the rows (owner_no, number, position, moment)
 */
const addEvents = (events: string): string => `
  with added as (
    select owner_no, number, min(position) as first_position, count(*) as events,
      count(*) filter (where moment & 3 = 1) as published, count(*) filter (where moment & 3 = 2) as failed,
      count(*) filter (where moment & 3 = 3) as in_doubt, min(moment >> 2) as first_at, max(moment >> 2) as last_at,
      array_agg(moment order by position) as moments
    from ${events} group by owner_no, number),
  counted as (
    insert into tally as t
    select owner_no, number, first_position, events, published, failed, in_doubt, first_at, last_at from added
    on conflict (owner_no, number) do update set events = t.events + excluded.events,
      published = t.published + excluded.published, failed = t.failed + excluded.failed,
      in_doubt = t.in_doubt + excluded.in_doubt, first_at = least(t.first_at, excluded.first_at),
      last_at = greatest(t.last_at, excluded.last_at))
  insert into tally_moments as t select owner_no, number, moments from added
  on conflict (owner_no, number) do update set moments = t.moments || excluded.moments`;

/** Adds events to the tallies of their owners and to the tallies of all owners together. */
export const extendTallies = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
): Promise<void> => {
  const places = await findPlaces(tx, owners);
  const rows: { readonly owner: number; readonly number: number; readonly event: RecordedEvent }[] = [];
  events.forEach((event, i) => {
    for (const owner of owners[i] === null ? [ALL_OWNERS] : [ALL_OWNERS, owners[i]!]) {
      const place = places.get(owner) ?? 0;
      places.set(owner, place + 1);
      rows.push({ owner, number: Math.floor(place / TALLY_EVENTS) + 1, event });
    }
  });
  await tx.query({
    name: 'write tallies',
    text: addEvents(
      'unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) as r(owner_no, number, position, moment)',
    ),
    values: [
      int4Array(rows.map(({ owner }) => owner)),
      int4Array(rows.map(({ number }) => number)),
      int8Array(rows.map(({ event }) => event.position)),
      int8Array(rows.map(({ event: { at, type } }) => at * 4 + (OUTCOMES[type] ?? 0))),
    ],
  });
};

/** Counts the events in all tallies of each owner. */
const findPlaces = async (tx: Tx, owners: readonly (number | null)[]): Promise<Map<number, number>> => {
  const named = new Set([ALL_OWNERS, ...owners.filter((owner) => owner !== null)]);
  const { rows } = await tx.query<{ owner_no: number; number: number; events: number }>({
    name: 'find the last tallies',
    text: `
      select t.* from unnest($1::int[]) o(no) cross join lateral (
        select owner_no, number, events from tally where owner_no = o.no order by number desc limit 1) t`,
    values: [int4Array([...named])],
  });
  return new Map(rows.map(({ owner_no, number, events }) => [owner_no, (number - 1) * TALLY_EVENTS + events]));
};

const MOMENT = `e.at * 4 + case e.type_hash ${Object.entries(OUTCOMES)
  .map(([type, outcome]) => `when ${hashType(type)} then ${outcome}`)
  .join(' ')} else 0 end`;

/**
 * Rebuilds the tallies of each affected owner, starting with the tally of the first inserted entry.
 * @param positions positions of the inserted entries, in order
 */
export const divideTalliesAgain = async (tx: Tx, positions: readonly bigint[]): Promise<void> => {
  // An owner without an earlier tally starts with the first tally.
  const { rows } = await tx.query<{ owner_no: number; number: number; first_position: bigint }>(
    `select o.owner_no, coalesce(t.number, 1) as number, coalesce(t.first_position, 0) as first_position
     from (select owner_no, min(position) as position from entry where position = any($1) and owner_no is not null group by 1
           union all select ${ALL_OWNERS}, $2) o
     left join lateral (select number, first_position from tally
       where owner_no = o.owner_no and first_position < o.position order by number desc limit 1) t on true`,
    [positions, positions[0]],
  );
  for (const { owner_no, number, first_position } of rows) {
    for (const table of ['tally', 'tally_moments'])
      await tx.query(`delete from ${table} where owner_no = $1 and number >= $2`, [owner_no, number]);
    await tx.query(
      addEvents(`(
        select $1::int as owner_no, position, ${MOMENT} as moment,
          ($2::int + (row_number() over (order by position) - 1) / ${TALLY_EVENTS})::int as number
        from entry e where position >= $3 and (owner_no = $1 or $1 = ${ALL_OWNERS})) r`),
      [owner_no, number, first_position],
    );
  }
};
