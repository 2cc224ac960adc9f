import type { RecordedEvent } from '../../kernel/events.js';
import type { Tx } from '../engine/projection.js';
import { SPAN_EVENTS } from './audit.tables.js';

interface SpanRow {
  readonly number: number;
  events: number;
  readonly first_position: string;
  last_position: string;
  first_at: number;
  last_at: number;
}

/** Rebuilds the spans that contain entries at or after a position. */
export const divideSpansAgain = async (tx: Tx, from: bigint): Promise<void> => {
  const { rows } = await tx.query<{ number: number; last_position: bigint }>(
    `select number, last_position from span where last_position < $1 and events = ${SPAN_EVENTS} order by number desc limit 1`,
    [from],
  );
  const { number, last_position: after } = rows[0] ?? { number: 0, last_position: -1n };
  await tx.query('delete from span where number > $1', [number]);
  await tx.query(
    `insert into span (number, events, first_position, last_position, first_at, last_at)
     select $1::int + n, count(*), min(position), max(position), min(at), max(at)
     from (select position, at, (row_number() over (order by position) + ${SPAN_EVENTS - 1}) / ${SPAN_EVENTS} as n
           from entry where position > $2) e
     group by n`,
    [number, after],
  );
};

/** Adds entries to the last span and, once it is full, to new spans. */
export const extendSpans = async (tx: Tx, events: readonly RecordedEvent[]): Promise<void> => {
  const { rows } = await tx.query<{ span: SpanRow }>({
    name: 'read the last span',
    text: `select to_jsonb(s) || jsonb_build_object('first_position', s.first_position::text, 'last_position', s.last_position::text) as span
           from span s order by number desc limit 1`,
  });
  let last = rows[0]?.span;
  const changed = last && last.events < SPAN_EVENTS ? [last] : [];
  for (const { position, at } of events) {
    if (last && last.events < SPAN_EVENTS) {
      last.events += 1;
      last.last_position = String(position);
      if (at < last.first_at) last.first_at = at;
      if (at > last.last_at) last.last_at = at;
      continue;
    }
    const [place, number] = [String(position), (last?.number ?? 0) + 1];
    last = { number, events: 1, first_position: place, last_position: place, first_at: at, last_at: at };
    changed.push(last);
  }
  await tx.query({
    name: 'write spans',
    text: `
      insert into span as s select * from json_populate_recordset(null::span, $1::json)
      on conflict (number) do update set events = excluded.events, last_position = excluded.last_position,
        first_at = excluded.first_at, last_at = excluded.last_at`,
    values: [JSON.stringify(changed)],
  });
};
