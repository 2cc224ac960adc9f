import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { PublishPayload } from '../../payload/payload.js';
import type { Platform } from '../channel/channel.events.js';

/** One destination of a post. */
export interface Target {
  readonly publicationId: string;
  readonly channelId: string;
  readonly platform: Platform;
  /** The project whose processing applies (D-27). */
  readonly projectId: string;
}

/** Facts about a post's request for the request log (D-33), so that the log needs no second write. */
export interface RequestFacts {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly route: string;
  readonly payloadBytes: number;
  /** Milliseconds until the post was ready to be appended. */
  readonly latencyMs: number;
  /** The channels of a post without targets, all of them disabled. Absent if the post has targets. */
  readonly switchedOff?: readonly string[];
}

/** The parts of a payload that is too large for one append, in a separate stream named after the post (D-42). */
export interface PayloadParts {
  readonly count: number;
  /** SHA-256 (hex) of the payload's JSON text. */
  readonly sha256: string;
}

/** A post was accepted and answered with 200: claim of its key, acceptance and stored response in one event (D-19). */
export type PostAccepted = DomainEvent<
  'PostAccepted',
  {
    readonly postId: string;
    readonly acceptedAt: Instant;
    readonly endpointId: string;
    readonly ownerId: string;
    /** The idempotency key: the header's, else `external_id`; null if neither was sent. It and `externalId` are claimed. */
    readonly key: string | null;
    readonly externalId: string | null;
    readonly traceId: string | null;
    /** SHA-256 (hex) of the request body, by which a replay with another payload is recognised (D-19). */
    readonly bodyHash: string;
    readonly payload: PublishPayload | null;
    readonly parts: PayloadParts | null;
    /** In the order of the endpoint's projects and their channels (D-57). */
    readonly targets: readonly Target[];
    readonly request: RequestFacts;
  }
>;

/** An endpoint without a project received a post with a key: nothing is published, but the response is stored (D-10, D-19). */
export type PostSkipped = DomainEvent<
  'PostSkipped',
  {
    readonly acceptedAt: Instant;
    readonly endpointId: string;
    readonly ownerId: string;
    readonly key: string;
    readonly externalId: string | null;
    readonly traceId: string | null;
    readonly bodyHash: string;
    readonly request: RequestFacts;
  }
>;

/** A place in a stream for an event that is not written yet. That event decides all reservations that name the place. */
export interface Place {
  readonly stream: string;
  readonly revision: number;
}

/**
 * A key was reserved. A request may have two keys (D-19), while a post is accepted by one event in one stream. So the key
 * whose stream sorts later is reserved for the place of that event. If a post that claims the key is accepted there, the
 * key is taken; after any other event there, the key is free again. Until then other requests with the key also write to
 * that place, so that an unfinished request blocks none of them.
 */
export type PostKeyReserved = DomainEvent<
  'PostKeyReserved',
  { readonly endpointId: string; readonly place: Place; readonly at: Instant }
>;

/** A part of a large payload was stored; without an accepted post it has no effect. `chunk`: base64 of the JSON text's bytes. */
export type PayloadPartStored = DomainEvent<
  'PayloadPartStored',
  { readonly postId: string; readonly index: number; readonly chunk: string }
>;

/** Events of an idempotency key's stream. */
export type PostEvent = PostAccepted | PostSkipped | PostKeyReserved;

/** Versions of these events and of the payload parts. */
export const postEvents = {
  PostAccepted: { version: 1 },
  PostSkipped: { version: 1 },
  PostKeyReserved: { version: 1 },
  PayloadPartStored: { version: 1 },
} satisfies Catalogue & Record<PostEvent['type'] | PayloadPartStored['type'], unknown>;
