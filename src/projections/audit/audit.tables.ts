import { hash } from 'node:crypto';
import { readSchema } from '../engine/projection.js';

export { AUDITED_AGGREGATES, AUDITED_TYPES, type AuditedThing, thingOf, typesOf } from './audited-types.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const AUDIT_VERSION = 3;

/** Schema of the views that queries read: the columns are those of this version. */
export const AUDIT = readSchema('audit', AUDIT_VERSION);

/** Number of events in a span. */
export const SPAN_EVENTS = 10_000;

/**
 * Index of the audit trail (ADR-139). An entry says where an event is, never what it contains: events are read from their streams.
 * Names are stored as hashes of 64 bits (the type's: 32), so that an entry with all its index entries stays below 400 bytes;
 * readers compare the names of the events that they find. Owners are numbered: what an owner may see depends on no hash.
 *
 * A `resource` is an owner, channel, project, endpoint or webhook output. `paused` is true once its pauses have a stream. A `span` holds the
 * times of 10,000 entries in order: a search by time begins and ends with spans. `request_story` names the story of a request
 * that belongs to another one, such as a decision about a publication. `envelope` is set for events whose streams the gateway
 * deletes when nothing needs them any more (D-56).
 */
export const auditTables = `
  create table resource (
    resource_id text primary key,
    kind text not null,
    owner_no int not null,
    paused boolean not null
  );
  create index resource_owner on resource (owner_no, kind);

  create table entry (
    position bigint primary key,
    revision bigint not null,
    at bigint not null,
    event_hash bigint not null,
    thing_hash bigint,
    correlation_hash bigint not null,
    actor_hash bigint not null,
    owner_no int,
    type_hash int not null,
    stream text not null,
    envelope text
  );
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
`;

/** Indexes of entries for readers; an entry finds its owner by {@link auditTables}' own. */
export const auditReadIndexes = `
  create index if not exists entry_event on entry (event_hash);
  create index if not exists entry_thing on entry (thing_hash, position) where thing_hash is not null;
  create index if not exists entry_owner on entry (owner_no, type_hash, position) where owner_no is not null;
  create index if not exists entry_owner_actor on entry (owner_no, type_hash, actor_hash, position)
    where owner_no is not null;
  create index if not exists entry_type on entry (type_hash, position);
  create index if not exists entry_enveloped on entry (position) where envelope is not null;
  create index if not exists entry_actor on entry (type_hash, actor_hash, position);
`;

/** Returns the hash of a name, 16 hex digits: the bits of a signed number. */
export const hash64 = (name: string): string => hash('sha256', name).slice(0, 16);

/** Returns the name whose hash stands for an aggregate. */
export const nameThing = (aggregate: string, id: string): string => `${aggregate}/${id}`;

/** Returns the hash of an aggregate's name and id, like {@link hash64}. */
export const hashThing = (aggregate: string, id: string): string => hash64(nameThing(aggregate, id));

/** Returns the part of an event's id that is indexed, in the form of {@link hash64}: ids are random already. */
export const hashEventId = (id: string): string => id.replaceAll('-', '').slice(0, 16);

/** Returns the number that stands for an event type. */
export const hashType = (type: string): number => Buffer.from(hash64(type), 'hex').readInt32BE(0);

/** Returns a hash of 16 hex digits as the signed number that is stored. */
export const toInt8 = (hexDigits: string): bigint => BigInt.asIntN(64, BigInt(`0x${hexDigits}`));
