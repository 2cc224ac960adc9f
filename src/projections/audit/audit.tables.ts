import { hash } from 'node:crypto';
import {
  bigint,
  boolean,
  defineTable,
  describeColumns,
  fixed,
  int,
  nullable,
  readSchema,
  text,
} from '../engine/projection.js';

export { AUDITED_AGGREGATES, AUDITED_TYPES, type AuditedThing, thingOf, typesOf } from './audited-types.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const AUDIT_VERSION = 8;
export const AUDIT = readSchema('audit', AUDIT_VERSION);

/** Number of events in a span. */
export const SPAN_EVENTS = 10_000;

/** Number of events in a tally. Until a tally is full, every batch rewrites its rows. */
export const TALLY_EVENTS = 64;

/** The state that a span records (management-api.md: `GET /history/ticks`). */
export type StateSpanKind = 'project_pause' | 'channel_pause' | 'needs_attention' | 'endpoint_disabled';

/** Represents all owners in `tally`: owners are numbered from 1. */
export const ALL_OWNERS = 0;

export const resourceTable = defineTable(
  { name: 'resource', key: 'resource_id' },
  { resource_id: text(), kind: fixed(text()), owner_no: fixed(int()), paused: boolean() },
);

export const entryColumns = {
  position: bigint(),
  revision: bigint(),
  at: bigint(),
  event_hash: bigint(),
  thing_hash: nullable(bigint()),
  correlation_hash: bigint(),
  actor_hash: bigint(),
  owner_no: nullable(int()),
  type_hash: int(),
  stream: text(),
  envelope: nullable(text()),
};

/**
 * Index of the audit trail (ADR-139). An entry gives an event's location, never its data, which readers load from the
 * event's stream. Names are stored as 64-bit hashes (32 bits for the type), so that an entry with all its index entries
 * stays below 400 bytes; readers compare the names in the events that they find. Owners are numbered, so that an
 * owner's access never depends on a hash.
 *
 * A `resource` is an owner, channel, project, endpoint or webhook output. `paused` is true once the resource has been
 * paused, after which its pauses have a stream. A `span` holds the times of 10,000 entries in order, so that a search
 * by time reads only part of the index. `request_story` maps a request to the other story that its events belong to,
 * such as a decision about a publication. `envelope` is set for events whose streams the gateway deletes once nothing
 * needs them (D-56).
 *
 * The other tables are for timelines (ADR-206). A `tally` counts 64 consecutive entries of one owner, or of all owners.
 * `tally_moments` has a number for each of these entries: its time × 4, plus its outcome. A `state_span` is a period in
 * which a resource was paused, needed attention or was disabled: `until_at` is the end that was set when the period
 * began or was last extended, `ended_at` the time at which an event ended it. A `person_change` is an event whose
 * author is a person.
 */
export const auditTables = `
  ${resourceTable.ddl}
  create index resource_owner on resource (owner_no, kind);

  create table entry (${describeColumns(entryColumns)}, primary key (position));
  create index entry_correlation on entry (correlation_hash, position);

  create table span (
    number int primary key,
    events int not null,
    first_position bigint not null,
    last_position bigint not null,
    first_at bigint not null,
    last_at bigint not null
  );

  create table request_story (request_hash bigint primary key, correlation_hash bigint not null);

  create table tally (
    owner_no int not null,
    number int not null,
    first_position bigint not null,
    events int not null,
    published int not null,
    failed int not null,
    in_doubt int not null,
    first_at bigint not null,
    last_at bigint not null,
    primary key (owner_no, number)
  );

  create table tally_moments (
    owner_no int not null,
    number int not null,
    moments bigint[] not null,
    primary key (owner_no, number)
  );

  create table state_span (
    resource_id text not null,
    kind text not null,
    first_position bigint not null,
    owner_no int,
    from_at bigint not null,
    until_at bigint,
    ended_at bigint,
    event_id text not null,
    actor text not null,
    primary key (resource_id, kind, first_position)
  );

  create table person_change (
    position bigint primary key,
    owner_no int,
    at bigint not null,
    actor text not null,
    type text not null,
    event_id text not null,
    aggregate text not null,
    aggregate_id text
  );
`;

/** Indexes for readers. The index of stories is in {@link auditTables}, because the projection itself reads it. */
export const auditReadIndexes = `
  create index if not exists entry_event on entry (event_hash);
  create index if not exists entry_thing on entry (thing_hash, position) where thing_hash is not null;
  create index if not exists entry_owner on entry (owner_no, type_hash, position) where owner_no is not null;
  create index if not exists entry_owner_actor on entry (owner_no, type_hash, actor_hash, position)
    where owner_no is not null;
  create index if not exists entry_type on entry (type_hash, position);
  create index if not exists entry_enveloped on entry (position) where envelope is not null;
  create index if not exists entry_actor on entry (type_hash, actor_hash, position);
  create index if not exists tally_first_at on tally (owner_no, first_at);
  create index if not exists state_span_owner on state_span (owner_no, from_at);
  create index if not exists state_span_from on state_span (from_at);
  create index if not exists person_change_owner on person_change (owner_no, at);
  create index if not exists person_change_at on person_change (at);
`;

/** Matches a name that ends in a UUID v7 without hyphens, and captures the time in it. */
const TIME_OF_NAME = /([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;
/** How many low-order hex digits of the time the hash begins with: 40 bits of milliseconds. */
const TIME_DIGITS = 10;

/**
 * Returns the hash of a name as 16 hex digits, the bits of a signed 64-bit number. If the name ends with a time-ordered
 * id, its hash begins with the id's time, so that new names are neighbours in an index (ADR-236).
 */
export const hash64 = (name: string): string => {
  const digits = hash('sha256', name);
  const time = TIME_OF_NAME.exec(name)?.[1];
  return time === undefined ? digits.slice(0, 16) : time.slice(-TIME_DIGITS) + digits.slice(0, 16 - TIME_DIGITS);
};

/** Returns the name whose hash identifies an aggregate. */
export const nameThing = (aggregate: string, id: string): string => `${aggregate}/${id}`;

/** Returns the hash of an aggregate's name and id, like {@link hash64}. */
export const hashThing = (aggregate: string, id: string): string => hash64(nameThing(aggregate, id));

/** Returns the indexed part of an event's id, its first 16 hex digits. Ids are random, so they need no hash. */
export const hashEventId = (id: string): string => id.replaceAll('-', '').slice(0, 16);

/** Returns the 32-bit hash of an event type. */
export const hashType = (type: string): number => Buffer.from(hash64(type), 'hex').readInt32BE(0);

/** Converts a hash of 16 hex digits to the signed number that is stored. */
export const toInt8 = (hexDigits: string): bigint => BigInt.asIntN(64, BigInt(`0x${hexDigits}`));
