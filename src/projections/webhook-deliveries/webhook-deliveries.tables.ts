import type { DeliveryStatus } from '../../domain/delivery/delivery.events.js';
import type { OutputDisabledBy, WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import { readSchema } from '../engine/projection.js';
import type { RowTable } from '../engine/rows.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const DELIVERIES_VERSION = 2;

/** Schema of the views that queries read: the columns are those of this version. */
export const DELIVERIES = readSchema('webhook-deliveries', DELIVERIES_VERSION);

/**
 * Name in `ops_setting` of the time, ms since 1970, before which bodies in `delivery_body` may be gone: a retention deletes those of
 * deliveries that were scheduled before it and have ended (ADR-218).
 */
export const BODIES_EXPIRED_BEFORE = 'delivery_bodies_expired_before';

/**
 * Tables of webhook outputs as they are delivered to, and of their deliveries. Times are milliseconds since 1970. `pace` is
 * `slow` while the last attempt failed or took long: such outputs share capacity of their own. `down_delivery_id` names the
 * delivery of the last attempt, while the server seems to be down. `failing_since` is set while attempts fail alone. `next_due`
 * follows from the deliveries.
 */
export const deliveriesTables = `
  create table output (
    output_id text primary key,
    url text not null,
    secret_id text not null,
    previous_secret_id text,
    previous_until bigint not null,
    disabled_by text,
    pace text not null,
    failing_since bigint,
    down_delivery_id text,
    next_due bigint
  );
  create index output_due on output (pace, next_due) where next_due is not null;

  create table delivery (
    delivery_id text primary key,
    output_id text not null,
    owner_id text not null,
    kind text not null,
    state text not null,
    position bigint not null,
    created_at bigint not null,
    next_at bigint,
    attempt int not null,
    failed int not null,
    failed_at bigint,
    was_server_down boolean not null,
    attempts jsonb not null,
    parts int,
    revision text not null,
    hash text not null,
    event_id text not null,
    request_id text not null,
    correlation_id text not null
  );
  create index delivery_list on delivery (output_id, position);
  create index delivery_pending on delivery (output_id, position) where state = 'pending';
  create index delivery_due on delivery (output_id, next_at) where state = 'pending';
  create index delivery_failed on delivery (output_id, position) where state = 'failed';

  create table delivery_body (delivery_id text primary key, body text not null);
`;

/** A webhook output as it is delivered to. */
export interface DeliveryOutputRow {
  readonly output_id: string;
  readonly url: string;
  readonly secret_id: string;
  readonly previous_secret_id: string | null;
  readonly previous_until: number;
  readonly disabled_by: OutputDisabledBy | null;
  readonly pace: OutputPace;
  readonly failing_since: number | null;
  readonly down_delivery_id: string | null;
}

/** Pace of an output: the group whose capacity it uses. */
export type OutputPace = 'prompt' | 'slow';

/** An attempt as answers show it (management-api.md: delivery). */
export interface DeliveryAttempt {
  /** Start of the attempt. */
  readonly at: number;
  readonly status: number | null;
  readonly latency_ms: number;
  readonly answer: string;
}

/** A delivery. */
export interface DeliveryRow {
  readonly delivery_id: string;
  readonly output_id: string;
  readonly owner_id: string;
  readonly kind: WebhookKind;
  readonly state: DeliveryStatus;
  /** Position of the event that scheduled it: the order of deliveries. */
  readonly position: string;
  readonly created_at: number;
  /** Earliest time of the next attempt; null if there is none. */
  readonly next_at: number | null;
  /** Number of the last attempt; 0 before the first. */
  readonly attempt: number;
  /** Failed attempts of the present schedule of retries. */
  readonly failed: number;
  /** Start of the last failed attempt; null if none failed. */
  readonly failed_at: number | null;
  /** True if the server seemed to be down at the last attempt. */
  readonly was_server_down: boolean;
  readonly attempts: readonly DeliveryAttempt[];
  /** Number of parts of a body that is stored in parts; null: it is in `delivery_body`. */
  readonly parts: number | null;
  /** Revision and hash of its last event, to which the next one is appended without a read. */
  readonly revision: string;
  readonly hash: string;
  /** Id of the event that scheduled it, and the request and story that it belongs to. */
  readonly event_id: string;
  readonly request_id: string;
  readonly correlation_id: string;
}

/** Definition of the table of outputs; `next_due` is computed from the deliveries. */
export const outputRows: RowTable<DeliveryOutputRow> = {
  name: 'output',
  key: 'output_id',
  columns: [
    ...(['output_id', 'url', 'secret_id', 'previous_secret_id', 'previous_until', 'disabled_by'] as const),
    ...(['pace', 'failing_since', 'down_delivery_id'] as const),
  ],
};

/** Definition of the table of deliveries. */
export const deliveryRows: RowTable<DeliveryRow> = {
  name: 'delivery',
  key: 'delivery_id',
  columns: [
    ...(['delivery_id', 'output_id', 'owner_id', 'kind', 'state', 'position', 'created_at', 'next_at'] as const),
    ...(['attempt', 'failed', 'failed_at', 'was_server_down', 'attempts', 'parts', 'revision', 'hash'] as const),
    ...(['event_id', 'request_id', 'correlation_id'] as const),
  ],
  fixed: [
    ...(['output_id', 'owner_id', 'kind', 'position', 'created_at', 'parts'] as const),
    ...(['event_id', 'request_id', 'correlation_id'] as const),
  ],
  types: {
    ...({ delivery_id: 'text', output_id: 'text', owner_id: 'text', kind: 'text', state: 'text' } as const),
    ...({ position: 'bigint', created_at: 'bigint', next_at: 'bigint', attempt: 'int', failed: 'int' } as const),
    ...({ failed_at: 'bigint', was_server_down: 'boolean', attempts: 'jsonb', parts: 'int' } as const),
    ...({ revision: 'text', hash: 'text', event_id: 'text', request_id: 'text', correlation_id: 'text' } as const),
  },
};
