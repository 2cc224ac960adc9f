import type { DeliveryStatus } from '../../domain/delivery/delivery.events.js';
import type { OutputDisabledBy, WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import {
  bigint,
  bigintDigits,
  boolean,
  defineTable,
  fixed,
  int,
  jsonb,
  nullable,
  readSchema,
  type RowOfTable,
  text,
} from '../engine/projection.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const DELIVERIES_VERSION = 5;
export const DELIVERIES = readSchema('webhook-deliveries', DELIVERIES_VERSION);

/**
 * Name of the `ops_setting` row with a cut-off time, in ms since 1970. Retention deletes the bodies of finished
 * deliveries that were scheduled before that time, so they may be missing from `delivery_body` (ADR-218).
 */
export const BODIES_EXPIRED_BEFORE = 'delivery_bodies_expired_before';

/** An attempt (management-api.md: delivery). */
export interface DeliveryAttempt {
  /** Start of the attempt. */
  readonly at: number;
  readonly status: number | null;
  readonly latency_ms: number;
  /** Null once it is erased (D-100). */
  readonly answer: string | null;
  /** Month of the event with the answer, if it is not that of `at` (D-100). */
  readonly month?: string;
}

export const outputRows = defineTable(
  { name: 'output', key: 'output_id', computed: ['next_due bigint'] },
  {
    output_id: text(),
    owner_id: fixed(text()),
    url: text(),
    secret_id: text(),
    previous_secret_id: nullable(text()),
    previous_until: bigint(),
    disabled_by: nullable(text<OutputDisabledBy>()),
    /** `slow` if the last attempt failed or took too long; slow outputs share separate capacity. */
    pace: text<'prompt' | 'slow'>(),
    /** Start of the current run of failures; null if there is none. */
    failing_since: nullable(bigint()),
    /** The last delivery attempted, while the server seems to be down. */
    down_delivery_id: nullable(text()),
  },
);
/** What a delivery needs to know about a webhook output. */
export type DeliveryOutputRow = RowOfTable<typeof outputRows>;

export const deliveryRows = defineTable(
  { name: 'delivery', key: 'delivery_id', isHot: true },
  {
    delivery_id: text(),
    output_id: fixed(text()),
    owner_id: fixed(text()),
    kind: fixed(text<WebhookKind>()),
    state: text<DeliveryStatus>(),
    /** Position of the event that scheduled it; deliveries are ordered by this position. */
    position: fixed(bigintDigits()),
    created_at: fixed(bigint()),
    /** Earliest time of the next attempt; null if there is none. */
    next_at: nullable(bigint()),
    /** Number of the last attempt; 0 before the first. */
    attempt: int(),
    /** Number of failed attempts in the current retry schedule. */
    failed: int(),
    /** Start of the last failed attempt. */
    failed_at: nullable(bigint()),
    /** True if the server seemed to be down at the last attempt. */
    was_server_down: boolean(),
    attempts: jsonb<readonly DeliveryAttempt[]>(),
    /** Number of parts if the body is stored in parts; null if it is in `delivery_body`. */
    parts: fixed(nullable(int())),
    /** Revision and hash of its last event, so that the next one can be appended without a read. */
    revision: text(),
    hash: text(),
    /** Ids of the event that scheduled the delivery, of the original request, and of the story. */
    event_id: fixed(text()),
    request_id: fixed(text()),
    correlation_id: fixed(text()),
    content_erased: boolean(),
  },
);
/** A row of {@link deliveryRows}. */
export type DeliveryRow = RowOfTable<typeof deliveryRows>;

/** Tables of webhook outputs and their deliveries. Times are milliseconds since 1970. */
export const deliveriesTables = `
  ${outputRows.ddl}
  create index output_due on output (pace, next_due) where next_due is not null;

  ${deliveryRows.ddl}
  create index delivery_list on delivery (output_id, position);
  create index delivery_pending on delivery (output_id, position) where state = 'pending';
  create index delivery_due on delivery (output_id, next_at) where state = 'pending';
  create index delivery_failed on delivery (output_id, position) where state = 'failed';

  create table delivery_body (delivery_id text primary key, body text not null);
`;
