import type { Instant } from './instant.js';

/** A domain fact: named in the past tense, plain data. Records what was decided; never contains a secret. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** Author of a change: `operator`, `owner:own_…`, `endpoint:ep_…`, `system:<saga>` (management-api.md: Manners). */
export type Actor = string;

const OWNER_ACTOR = 'owner:';

/** Returns the actor for an owner's own requests. */
export const ownerActor = (ownerId: string): Actor => `${OWNER_ACTOR}${ownerId}`;

/** Returns the owner behind an actor; null for the operator, endpoints and the gateway itself. */
export const ownerOfActor = (actor: Actor): string | null =>
  actor.startsWith(OWNER_ACTOR) ? actor.slice(OWNER_ACTOR.length) : null;

/** Origin of a command, carried by every event that the command causes. */
export interface Origin {
  readonly actor: Actor;
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
export interface RecordedEvent<E extends DomainEvent = DomainEvent> extends Origin {
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
  readonly data: E['data'];
}

/** The recorded form of each event in a union, so that checking `type` narrows `data`. */
export type RecordedEventOf<E extends DomainEvent> = E extends DomainEvent ? RecordedEvent<E> : never;
