import type { RecordedEvent } from '../../kernel/events.js';
import { int4Array, int8Array } from '../../postgres/binary-array.js';
import type { Tx } from '../engine/projection.js';
import { ALL_OWNERS, hashType, TALLY_EVENTS } from './audit.tables.js';

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
