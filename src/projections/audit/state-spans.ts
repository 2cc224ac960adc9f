import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { textArray } from '../../postgres/binary-array.js';
import type { Tx } from '../engine/projection.js';
import { SPAN_EVENTS, type StateSpanKind } from './audit.tables.js';

interface StateSpanRow {
  readonly resource_id: string;
  readonly kind: StateSpanKind;
  /** Position of the event that began the span. */
  readonly first_position: string;
  readonly owner_no: number | null;
  readonly from_at: Instant;
  readonly until_at: Instant | null;
  readonly ended_at: Instant | null;
  readonly event_id: string;
  readonly actor: string;
}

type Member = 'projectId' | 'channelId' | 'endpointId';

/** Events that begin a span or extend it, with the member that holds the resource's id. */
const BEGINNINGS: Readonly<Record<string, readonly [kind: StateSpanKind, member: Member]>> = {
  ProjectPaused: ['project_pause', 'projectId'],
  ChannelPaused: ['channel_pause', 'channelId'],
  ChannelNeedsAttention: ['needs_attention', 'channelId'],
  EndpointDisabled: ['endpoint_disabled', 'endpointId'],
};

/** Events that end spans. A deleted resource is no longer paused or disabled. */
const ENDS: Readonly<Record<string, readonly [kinds: readonly StateSpanKind[], member: Member]>> = {
  ProjectResumed: [['project_pause'], 'projectId'],
  ProjectDeleted: [['project_pause'], 'projectId'],
  ChannelResumed: [['channel_pause'], 'channelId'],
  ChannelAttentionCleared: [['needs_attention'], 'channelId'],
  ChannelCredentialsReplaced: [['needs_attention'], 'channelId'],
  ChannelDeleted: [['channel_pause', 'needs_attention'], 'channelId'],
  EndpointEnabled: [['endpoint_disabled'], 'endpointId'],
  EndpointDeleted: [['endpoint_disabled'], 'endpointId'],
};

/** Begins, extends and ends the spans of resources. */
export const changeStateSpans = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
): Promise<void> => {
  const steps = events.flatMap((event, i) => stepsOf(event, owners[i]!));
  if (steps.length === 0) return;
  const last = await loadLastSpans(tx, steps);
  const changed = new Map<string, StateSpanRow>();
  for (const step of steps) {
    const key = keyOf(step);
    const next = applyStep(last.get(key), step);
    if (!next) continue;
    last.set(key, next);
    changed.set(`${key}/${next.first_position}`, next);
  }
  if (changed.size === 0) return;
  await tx.query({
    name: 'write state spans',
    text: `
      insert into state_span select * from json_populate_recordset(null::state_span, $1::json)
      on conflict (resource_id, kind, first_position) do update
        set until_at = excluded.until_at, ended_at = excluded.ended_at`,
    values: [JSON.stringify([...changed.values()])],
  });
};

/** An event that begins, extends or ends a span of one kind. */
interface Step {
  readonly resource_id: string;
  readonly kind: StateSpanKind;
  readonly isEnd: boolean;
  readonly event: RecordedEvent;
  readonly owner_no: number | null;
}

const stepsOf = (event: RecordedEvent, owner_no: number | null): Step[] => {
  const beginning = BEGINNINGS[event.type];
  const [kinds, member] = beginning ? [[beginning[0]], beginning[1]] : (ENDS[event.type] ?? [[], 'channelId']);
  const resource_id = (event.data as Partial<Record<Member, string>>)[member];
  if (resource_id === undefined) return [];
  return kinds.map((kind) => ({ resource_id, kind, isEnd: !beginning, event, owner_no }));
};

const keyOf = ({ resource_id, kind }: Pick<StateSpanRow, 'resource_id' | 'kind'>): string => `${kind}/${resource_id}`;

const loadLastSpans = async (tx: Tx, steps: readonly Step[]): Promise<Map<string, StateSpanRow>> => {
  const wanted = [...new Map(steps.map((step) => [keyOf(step), step])).values()];
  const { rows } = await tx.query<{ span: StateSpanRow }>({
    name: 'find the last state spans',
    text: `
      select to_jsonb(s) || jsonb_build_object('first_position', s.first_position::text) as span
      from unnest($1::text[], $2::text[]) w(resource_id, kind)
      cross join lateral (select * from state_span
        where resource_id = w.resource_id and kind = w.kind order by first_position desc limit 1) s`,
    values: [textArray(wanted.map(({ resource_id }) => resource_id)), textArray(wanted.map(({ kind }) => kind))],
  });
  return new Map(rows.map(({ span }) => [keyOf(span), span]));
};

/** Returns the span that a step changes or begins; undefined if it changes nothing. */
const applyStep = (last: StateSpanRow | undefined, step: Step): StateSpanRow | undefined => {
  const { resource_id, kind, isEnd, event, owner_no } = step;
  const isRunning =
    last !== undefined && last.ended_at === null && (last.until_at === null || last.until_at > event.at);
  if (isEnd) return isRunning ? { ...last, ended_at: Math.max(event.at, last.from_at) } : undefined;
  const until_at = (event.data as { readonly until?: Instant }).until ?? null;
  if (isRunning) return { ...last, until_at };
  const { at: from_at, id: event_id, actor } = event;
  const first_position = String(event.position);
  return { resource_id, kind, first_position, owner_no, from_at, until_at, ended_at: null, event_id, actor };
};

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
