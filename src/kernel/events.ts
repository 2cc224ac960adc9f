import { type Instant, iso } from './clock.js';
import type { JsonObject } from './ids.js';
import type { Rejection } from './result.js';

/** A domain fact: named in the past tense, plain data. Records what was decided; never contains a secret. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** Author of a change: `operator`, `owner:own_…`, `key:key_…`, `endpoint:ep_…`, `system:<saga>` (D-93). */
export type Actor = string;

const OWNER_ACTOR = 'owner:';
const KEY_ACTOR = 'key:';

/** Returns the actor for an owner's own requests. */
export const ownerActor = (ownerId: string): Actor => `${OWNER_ACTOR}${ownerId}`;

/** Returns the owner behind an actor; null for the operator, named keys, endpoints and the gateway itself. */
export const ownerOfActor = (actor: Actor): string | null =>
  actor.startsWith(OWNER_ACTOR) ? actor.slice(OWNER_ACTOR.length) : null;

/** Returns the owner on whose behalf a command is executed; null for the operator, endpoints and the gateway itself. */
export const ownerOfOrigin = ({ actor, rights }: Pick<Origin, 'actor' | 'rights'>): string | null =>
  rights?.ownerId ?? ownerOfActor(actor);

/** Returns the actor of requests with an endpoint's token. */
export const endpointActor = (endpointId: string): Actor => `endpoint:${endpointId}`;

/** Returns the actor for the requests with a named key. */
export const keyActor = (keyId: string): Actor => `${KEY_ACTOR}${keyId}`;

/** True for a named key. */
export const isKeyActor = (actor: Actor): boolean => actor.startsWith(KEY_ACTOR);

/** True for the operator, owners and named keys. */
export const isPerson = (actor: Actor): boolean =>
  actor === 'operator' || actor.startsWith(OWNER_ACTOR) || isKeyActor(actor);

/** What a key may do; `manage` includes all others but `audit`, and each includes `read` (D-93). */
export const SCOPES = ['read', 'post', 'approve', 'manage', 'audit'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a named key may do. Every command is checked against it where it is decided, like the owner (D-93). */
export type KeyRights = {
  readonly ownerId: string | null;
  readonly scopes: readonly Scope[];
  /** The only endpoints that it may use; null for all. */
  readonly endpointIds: readonly string[] | null;
};

/** True if a key with these scopes may do what needs a scope. */
export const hasScope = (scopes: readonly Scope[], needed: Scope): boolean =>
  scopes.includes(needed) || (needed !== 'audit' && scopes.includes('manage')) || needed === 'read';

/** Origin of a command, carried by every event that the command causes. */
export interface Origin {
  readonly actor: Actor;
  /** Name of the actor's key at that time; absent unless a named key acted. */
  readonly actorName?: string;
  /** What the actor's key may do; absent unless a named key acts. */
  readonly rights?: KeyRights;
  /** Id of the request that led to the command, `req_…`; empty for work that no request started. */
  readonly requestId: string;
  /** Id of the event or command that caused this one. */
  readonly causationId: string;
  /** Id of the first command in the chain, shared by everything that followed from it. */
  readonly correlationId: string;
  /** Address of the client whose request directly led to the command; null for the gateway's own work. */
  readonly clientAddress: string | null;
}

/** An event read from the store, with its data converted to the current schema version. */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> extends Omit<Origin, 'rights'> {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: E['type'];
  /** Schema version that the event was written with. */
  readonly version: number;
  readonly at: Instant;
  /** SHA-256 (hex), chained to the stream's previous event. */
  readonly hash: string;
  /** Set if the event's content was erased (D-100): the members that held it are null. */
  readonly contentErased?: true;
  /** Text of the data as stored, which the hash covers, if content in it is sealed; the stored address is then null. */
  readonly sealedData?: string;
  readonly data: E['data'];
}

/** The recorded form of each event in a union, so that checking `type` narrows `data`. */
export type RecordedEventOf<E extends DomainEvent> = E extends DomainEvent ? RecordedEvent<E> : never;

/**
 * An aggregate, built from pure functions. `decide` returns the events that a command causes (none if nothing changes)
 * or a rejection. `evolve` applies an event to the state. Time and ids arrive in the command.
 */
export interface Decider<Command, State, Event extends DomainEvent, Code extends string = never> {
  /** First part of the stream name, in camelCase; a hyphen follows. */
  readonly category: string;
  readonly initial: State;
  /**
   * Number of events that determine the state: folding a stream's last events gives the same state as folding all of
   * them. Only these are read, so that a stream can grow without limit. If absent, all events are needed.
   */
  readonly memory?: number;
  /** The scope that a command needs. Default: `manage`. */
  scopeOf?(command: Command): Scope;
  /**
   * Version of the snapshot format; absent if the aggregate has no snapshots. Snapshots avoid reading a long stream
   * from its start. The state must be JSON. Raise the version whenever the state or `evolve` changes, so that older
   * snapshots are ignored.
   */
  readonly snapshotVersion?: number;
  /**
   * Returns the owner of the aggregate; null if there is no aggregate. An owner's command on another owner's aggregate
   * is rejected with `not_found` before and after the decision, so that no use case can forget the check. Absent if the
   * owner is not part of the state.
   */
  ownerOf?(state: State, id: string): string | null;
  /** Returns the endpoint that the aggregate belongs to; null if there is no aggregate. Absent if it has none. */
  endpointOf?(state: State, id: string): string | null;
  decide(command: Command, state: State): readonly Event[] | Rejection<Code>;
  evolve(state: State, event: Event): State;
}

/** Returns the name of an aggregate's stream: `channelPause-tgt_…`. */
export const streamOf = (decider: { readonly category: string }, id: string): string => `${decider.category}-${id}`;

/** Folds events into a state, starting from the initial state. */
export const fold = <S, E extends DomainEvent>(
  decider: Pick<Decider<never, S, E, string>, 'initial' | 'evolve'>,
  events: Iterable<E>,
): S => {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
};

/**
 * An aggregate as the API shows it: a pure fold of its events into a state. Its members are named as in the management
 * API, and times are in ISO 8601. Only events change a state: an expired pause remains until the next event.
 */
export interface ShownAggregate<S extends JsonObject = JsonObject, E extends DomainEvent = DomainEvent> {
  /** Name in paths and responses, such as `project-pause` (management-api.md: `GET /history`). */
  readonly name: string;
  /** First part of its streams' names. */
  readonly category: string;
  /** Version of the state's format, for history's snapshots and `discovery`; raised whenever the fold changes. */
  readonly version: number;
  /** Applies an event. @param state null before the first event */
  evolve(state: S | null, event: RecordedEventOf<E>): S | null;
}

/** Author, time and address of an event, as recorded in a state. */
export type Deed = {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Actor: `operator`, `owner:own_…`, `key:key_…`, `endpoint:ep_…` or `system:<saga>`. */
  readonly by: string;
  /** The client's address; null if no request caused the event directly. */
  readonly ip: string | null;
  readonly request_id: string;
};

/** Returns the author, time and address of an event. */
export const deedOf = ({ at, actor, clientAddress, requestId }: RecordedEvent): Deed => ({
  at: iso(at),
  by: actor,
  ip: clientAddress,
  request_id: requestId,
});

/** Proves at compile time that every member of a union is handled. */
export const assertNever = (value: never): never => {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
};

/**
 * Versions of one event type: the current version, and the upcasters that turn data of version n into version n + 1.
 */
export interface EventSchema {
  readonly version: number;
  readonly upcasters?: Readonly<Record<number, (data: never) => unknown>>;
  /**
   * Members that hold what people wrote, or where they wrote from: `payload`, or `request.ip` for a member of a member.
   * They are sealed, and null once they are erased (D-100).
   */
  readonly content?: readonly string[];
}

/**
 * Declares the content of an event type. Raises its version, because an older program would take sealed content for
 * absent; its data stays the same.
 */
export const withContent = (
  content: readonly string[],
  { version, upcasters }: Omit<EventSchema, 'content'> = { version: 1 },
): EventSchema => ({
  version: version + 1,
  upcasters: { ...upcasters, [version]: (data: unknown) => data },
  content,
});

/** Event types of one aggregate, or of all aggregates. A type that is not listed cannot be written or read. */
export type Catalogue = Readonly<Record<string, EventSchema>>;
