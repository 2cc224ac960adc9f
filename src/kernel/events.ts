import type { Instant } from './instant.js';

/** A fact in the language of the domain: past tense, plain data, what was decided and never a secret. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** Who did something: `operator`, `owner:own_…`, `endpoint:ep_…`, `system:<saga>` (management-api.md: Manners). */
export type Actor = string;

/** Where a command came from; every event that it causes carries it. */
export interface Origin {
  readonly actor: Actor;
  /** The request that led here, `req_…`; empty for work without one. */
  readonly requestId: string;
  /** The id of the event or command that caused this one. */
  readonly causationId: string;
  /** The id that ties a whole story together: the first command's. */
  readonly correlationId: string;
}

/** An event as the application reads it back, at its current schema version. */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> extends Origin {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: E['type'];
  /** Schema version that it was written with. */
  readonly version: number;
  readonly at: Instant;
  /** SHA-256 (hex), chained to the stream's event before it. */
  readonly hash: string;
  readonly data: E['data'];
}

/** A recorded event of a union, narrowed by its type. */
export type RecordedEventOf<E extends DomainEvent> = E extends DomainEvent ? RecordedEvent<E> : never;
