import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { PublishPayload } from '../../payload/payload.js';
import type { Platform } from '../channel/channel.events.js';

/** One place that a post goes to. */
export interface Target {
  readonly publicationId: string;
  readonly channelId: string;
  readonly platform: Platform;
  /** The project whose processing counts (D-27). */
  readonly projectId: string;
}

/** What the request log needs of the request that brought a post (D-33), so that it costs no second write. */
export interface RequestFacts {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly route: string;
  readonly payloadBytes: number;
  /** Milliseconds until the post was ready to be appended. */
  readonly latencyMs: number;
  /** Of a post that goes nowhere: the channels that it was meant for, all of them switched off. Absent of all others. */
  readonly switchedOff?: readonly string[];
}

/** D-42: a payload too large for one append lies in parts, in a stream of its own named after the post. */
export interface PayloadParts {
  readonly count: number;
  /** SHA-256 (hex) of the payload's JSON text. */
  readonly sha256: string;
}

/** A post was answered with 200: claim of its key, acceptance and stored answer in one (D-19). */
export type PostAccepted = DomainEvent<
  'PostAccepted',
  {
    readonly postId: string;
    readonly acceptedAt: Instant;
    readonly endpointId: string;
    readonly ownerId: string;
    /** The idempotency key: header, else `external_id`; null where neither was sent. It is claimed, and so is the next. */
    readonly key: string | null;
    readonly externalId: string | null;
    readonly traceId: string | null;
    /** SHA-256 (hex) of the request body: tells a replay with another payload (D-19). */
    readonly bodyHash: string;
    readonly payload: PublishPayload | null;
    readonly parts: PayloadParts | null;
    readonly targets: readonly Target[];
    readonly request: RequestFacts;
  }
>;

/** An endpoint bound to no project took a post with a key: nothing is published, but the answer is remembered (D-10, D-19). */
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

/** The next event of a stream, as long as it is not written: what is written there decides for all that is tied to it. */
export interface Place {
  readonly stream: string;
  readonly revision: number;
}

/**
 * A request has two keys (D-19), and a post is accepted by one event in one stream. So the key whose stream sorts later
 * is tied to the place where the event will stand: if a post that claims the key is accepted there, the key is taken by
 * it; if anything else comes to stand there, the key is free again. Until then whoever has the key decides there too, so
 * that a request that is never finished blocks nobody.
 */
export type PostKeyReserved = DomainEvent<
  'PostKeyReserved',
  { readonly endpointId: string; readonly place: Place; readonly at: Instant }
>;

/** One part of a large payload; harmless without an accepting event. `chunk` is base64 of the JSON text's bytes. */
export type PayloadPartStored = DomainEvent<
  'PayloadPartStored',
  { readonly postId: string; readonly index: number; readonly chunk: string }
>;

/** What the stream of an idempotency key holds. */
export type PostEvent = PostAccepted | PostSkipped | PostKeyReserved;

/** Versions of these events, and of the parts that lie beside them. */
export const postEvents = {
  PostAccepted: { version: 1 },
  PostSkipped: { version: 1 },
  PostKeyReserved: { version: 1 },
  PayloadPartStored: { version: 1 },
} satisfies Catalogue & Record<PostEvent['type'] | PayloadPartStored['type'], unknown>;
