import type { QueryConfig } from 'pg';
import type { RecordedEvent } from '../../kernel/events.js';
import { hexInt8Array, int4Array, int8Array, textArray } from '../../postgres/binary-array.js';
import type { Projection, Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { Rows, type RowTable } from '../engine/rows.js';
import { executeWrites, type Write } from '../engine/writes.js';
import {
  AUDIT_VERSION,
  AUDITED_TYPES,
  auditReadIndexes,
  auditTables,
  hash64,
  hashEventId,
  hashType,
  nameThing,
  SPAN_EVENTS,
  thingOf,
} from './audit.tables.js';

interface ResourceRow {
  readonly resource_id: string;
  readonly kind: string;
  readonly owner_no: number;
  readonly paused: boolean;
}

const resourceRows: RowTable<ResourceRow> = {
  name: 'resource',
  key: 'resource_id',
  columns: ['resource_id', 'kind', 'owner_no', 'paused'],
  fixed: ['kind', 'owner_no'],
};

interface SpanRow {
  readonly number: number;
  events: number;
  readonly first_position: string;
  last_position: string;
  first_at: number;
  last_at: number;
}

/** Members of events that name a resource, and through it an owner. */
interface Naming {
  readonly ownerId?: string;
  readonly channelId?: string;
  readonly projectId?: string;
  readonly endpointId?: string;
  readonly outputId?: string;
}

const ENTRY_COLUMNS =
  'position, revision, at, event_hash, thing_hash, correlation_hash, actor_hash, owner_no, type_hash, stream, envelope';

/** Most entries that one statement inserts: encoding more at a time would block the event loop. */
const MAX_INSERTED = 2_000;

const TYPES: ReadonlySet<string> = new Set(AUDITED_TYPES);

/** Kinds of resources by the events that create them, and the member that holds their id. */
const CREATIONS: Readonly<Record<string, readonly [kind: string, member: keyof Naming]>> = {
  OwnerRegistered: ['owner', 'ownerId'],
  ChannelConnected: ['channel', 'channelId'],
  ProjectCreated: ['project', 'projectId'],
  EndpointCreated: ['endpoint', 'endpointId'],
  WebhookOutputCreated: ['webhook-output', 'outputId'],
};

/** Types of the events by which a resource is paused first. */
const PAUSES: Readonly<Record<string, keyof Naming>> = { ProjectPaused: 'projectId', ChannelPaused: 'channelId' };

/** Types of events whose streams the gateway deletes (ADR-109). */
const DELETED_LATER: ReadonlySet<string> = new Set(['TranslationStored', 'TranslationAbandoned', 'PayloadPartStored']);

/** The index of the audit trail: where the events of an owner, a thing, an actor, a type, a time and a story are. */
export const audit: Projection = {
  name: 'audit',
  version: AUDIT_VERSION,
  tables: auditTables,
  readIndexes: auditReadIndexes,
  views: ['resource', 'entry', 'span', 'request_story'],
  handles: (type) => TYPES.has(type),
  batchIntervalMs: 100,

  async apply(tx, events, cache) {
    const resources = await loadResources(tx, events, cache);
    const owners: (number | null)[] = [];
    let lastOwner = events.some(({ type }) => type === 'OwnerRegistered') ? await readLastOwner(tx) : 0;
    for (const event of events) {
      const data = event.data as Naming;
      const creation = CREATIONS[event.type];
      if (creation) {
        const [kind, member] = creation;
        const owner_no =
          kind === 'owner' ? (resources.get(data.ownerId!)?.owner_no ?? ++lastOwner) : ownerOf(event, resources);
        if (owner_no !== null) resources.put({ resource_id: data[member]!, kind, owner_no, paused: false });
      }
      const paused = PAUSES[event.type] && resources.get(data[PAUSES[event.type]!]!);
      if (paused && !paused.paused) resources.put({ ...paused, paused: true });
      owners.push(ownerOf(event, resources));
    }
    await resources.flush();
    const hashed = rememberHashes();
    await insertEntries(tx, events, await completeOwners(tx, events, owners, hashed), hashed);
    await insertRequestStories(tx, events);
    await extendSpans(tx, events);
  },

  async carryOver(tx, from, until, isGone) {
    const { rows } = await tx.query<{ position: bigint; stream: string; envelope: string }>(
      `select position, stream, envelope from ${from}.entry f where envelope is not null and position <= $1
         and not exists (select from entry e where e.position = f.position) order by position`,
      [until],
    );
    const gone = new Map<string, boolean>();
    for (const { stream } of rows) if (!gone.has(stream)) gone.set(stream, await isGone(stream));
    const missing = rows.filter(({ stream }) => gone.get(stream));
    if (missing.length === 0) return;
    await tx.query(
      `insert into entry (${ENTRY_COLUMNS}) select ${ENTRY_COLUMNS} from ${from}.entry where position = any($1)`,
      [missing.map(({ position }) => position)],
    );
    await insertRequestStories(
      tx,
      missing.map(({ envelope }) => JSON.parse(envelope) as Pick<RecordedEvent, 'requestId' | 'correlationId'>),
    );
    await divideSpansAgain(tx, missing[0]!.position);
  },
};

/** Members that may name a resource, the one that says most about an event's owner first. */
const NAMING = ['ownerId', 'channelId', 'projectId', 'endpointId', 'outputId'] as const;

const ENDPOINT_ACTOR = 'endpoint:';

/** Returns the endpoint that has acted; undefined if another actor has. */
const endpointOfActor = ({ actor }: RecordedEvent): string | undefined =>
  actor.startsWith(ENDPOINT_ACTOR) ? actor.slice(ENDPOINT_ACTOR.length) : undefined;

const loadResources = (tx: Tx, events: readonly RecordedEvent[], cache?: RowCache): Promise<Rows<ResourceRow>> => {
  const named = new Set<string>();
  for (const event of events) {
    const data = event.data as Naming;
    for (const member of NAMING) {
      const id = data[member];
      if (id !== undefined) named.add(id);
    }
    const endpointId = endpointOfActor(event);
    if (endpointId !== undefined) named.add(endpointId);
  }
  return Rows.load(tx, resourceRows, named, cache);
};

const ownerOf = (event: RecordedEvent, resources: Rows<ResourceRow>): number | null => {
  const data = event.data as Naming;
  for (const member of NAMING) {
    const id = data[member];
    const row = id === undefined ? undefined : resources.get(id);
    if (row) return row.owner_no;
  }
  const endpointId = endpointOfActor(event);
  return (endpointId === undefined ? undefined : resources.get(endpointId)?.owner_no) ?? null;
};

const readLastOwner = async (tx: Tx): Promise<number> => {
  const text = 'select coalesce(max(owner_no), 0) as last from resource';
  return (await tx.query<{ last: number }>(text)).rows[0]!.last;
};

/** Finds the owners of events that name none, such as a translation's: they belong to the owner of their story. */
const completeOwners = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
  hashed: HashName,
): Promise<readonly (number | null)[]> => {
  const unknown = events.filter((_, i) => owners[i] === null);
  if (unknown.length === 0) return owners;
  const ofStory = new Map<string, number>();
  const { rows } = await tx.query<{ story: string; owner_no: number }>({
    name: 'find owners of stories',
    text: `
      select encode(int8send(c.hash), 'hex') as story, e.owner_no from unnest($1::bigint[]) c(hash)
      cross join lateral (
        select owner_no from entry where correlation_hash = c.hash and owner_no is not null order by position limit 1) e`,
    values: [hexInt8Array([...new Set(unknown.map(({ correlationId }) => hashed(correlationId)))])],
  });
  for (const { story, owner_no } of rows) ofStory.set(story, owner_no);
  return events.map((event, i) => {
    const story = hashed(event.correlationId);
    const owner = owners[i] ?? ofStory.get(story) ?? null;
    if (owner !== null && !ofStory.has(story)) ofStory.set(story, owner);
    return owner;
  });
};

const envelopeOf = (event: RecordedEvent): string | null => {
  if (!DELETED_LATER.has(event.type)) return null;
  const { id, type, version, at, actor, requestId, causationId, correlationId, clientAddress, hash } = event;
  return JSON.stringify({ id, type, version, at, actor, requestId, causationId, correlationId, clientAddress, hash });
};

const insertEntries = (
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

/** Returns the hash of a name, like {@link hash64}. */
type HashName = (name: string) => string;

/** Returns a hash function that computes the hash of each name once: the events of a post have many names in common. */
const rememberHashes = (): HashName => {
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
  text: `
      insert into entry (${ENTRY_COLUMNS})
      select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::int[], $9::int[], $10::text[], $11::text[])`,
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

const insertRequestStories = async (
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

/** Builds the spans again that contain entries from a position on. */
const divideSpansAgain = async (tx: Tx, from: bigint): Promise<void> => {
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

const extendSpans = async (tx: Tx, events: readonly RecordedEvent[]): Promise<void> => {
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
