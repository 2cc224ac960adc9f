import type { Instant } from '../../kernel/clock.js';
import { type Catalogue, type DomainEvent, withContent } from '../../kernel/events.js';
import type { WebhookKind } from '../webhook-output/webhook-output.events.js';

/** Statuses of a delivery (management-api.md). */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
/** One of the {@link DELIVERY_STATUSES}. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A body that is too large for its event, stored in parts in a separate stream named after the delivery (D-42). */
export interface BodyParts {
  readonly count: number;
  /** SHA-256 (hex) of the body's bytes. */
  readonly sha256: string;
}

/** The delivery of an event to a webhook output was scheduled (D-30). */
export type DeliveryScheduled = DomainEvent<
  'DeliveryScheduled',
  {
    readonly deliveryId: string;
    readonly outputId: string;
    readonly ownerId: string;
    readonly kind: WebhookKind;
    /** JSON text, byte for byte as it is signed and sent; null if it was stored in parts, or is erased (D-100). */
    readonly body: string | null;
    readonly parts: BodyParts | null;
    readonly at: Instant;
  }
>;
/** The customer's server confirmed the delivery. */
export type DeliverySucceeded = DomainEvent<
  'DeliverySucceeded',
  {
    readonly deliveryId: string;
    readonly outputId: string;
    /** Number of the attempt, from 1. */
    readonly attempt: number;
    /** Start of the attempt. */
    readonly at: Instant;
    readonly status: number;
    readonly latencyMs: number;
    /** Beginning of the response body; null once it is erased (D-100). */
    readonly answer: string | null;
  }
>;
/** An attempt failed. The next attempt starts at `retryAt` at the earliest; null if the delivery failed for good. */
export type DeliveryAttemptFailed = DomainEvent<
  'DeliveryAttemptFailed',
  {
    readonly deliveryId: string;
    readonly outputId: string;
    readonly attempt: number;
    readonly at: Instant;
    /** HTTP status; null if there was no response. */
    readonly status: number | null;
    readonly latencyMs: number;
    /** Beginning of the response body, or why there was no response; null once it is erased (D-100). */
    readonly answer: string | null;
    readonly retryAt: Instant | null;
    /** True if the whole server seems to be down: no response, or 5xx without `Retry-After`. */
    readonly isServerDown: boolean;
    /** True for a probe of a server that was down; probes do not count in the retry schedule. */
    readonly isProbe: boolean;
  }
>;
/** The owner requested an immediate attempt, with a new retry schedule. */
export type DeliveryRetryRequested = DomainEvent<
  'DeliveryRetryRequested',
  { readonly deliveryId: string; readonly outputId: string; readonly at: Instant }
>;

/** A part of a large body was stored, as base64; it has no effect until the delivery is scheduled. */
export type DeliveryBodyPartStored = DomainEvent<
  'DeliveryBodyPartStored',
  { readonly deliveryId: string; readonly index: number; readonly chunk: string | null }
>;

/** Events of a delivery's stream. */
export type DeliveryEvent = DeliveryScheduled | DeliverySucceeded | DeliveryAttemptFailed | DeliveryRetryRequested;

export const deliveryEvents = {
  DeliveryScheduled: withContent(['body']),
  DeliverySucceeded: withContent(['answer']),
  DeliveryAttemptFailed: withContent(['answer']),
  DeliveryRetryRequested: { version: 1 },
  DeliveryBodyPartStored: withContent(['chunk']),
} satisfies Catalogue & Record<DeliveryEvent['type'] | DeliveryBodyPartStored['type'], unknown>;
