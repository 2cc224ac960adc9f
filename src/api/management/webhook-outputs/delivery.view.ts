import type { DeliveryStatus } from '../../../domain/delivery/delivery.events.js';
import type { WebhookKind } from '../../../domain/webhook-output/webhook-output.events.js';
import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { Json } from '../../../kernel/json.js';
import type { DeliveryWithBody } from '../../../projections/webhook-deliveries/webhook-deliveries.queries.js';

/** One attempt at a delivery. */
export interface DeliveryAttemptView {
  /** Start of the attempt: ISO 8601, UTC. */
  readonly at: string;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly latency_ms: number;
  /** The beginning of the response body, or the reason why there was no response. */
  readonly answer: string;
}

/** A delivery as the API shows it (management-api.md: delivery). */
export class DeliveryView {
  /** `dlv_…`; its UUID is the `webhook-id` of every attempt. */
  readonly id: string;
  readonly webhook_output_id: string;
  readonly kind: WebhookKind;
  readonly state: DeliveryStatus;
  /** The last 50, oldest first. */
  readonly attempts: readonly DeliveryAttemptView[];
  /** ISO 8601, UTC; null if no further attempt is planned. */
  readonly next_attempt_at: string | null;
  /** The JSON that is sent; null if the stored body differs from the scheduled one, or if `body_truncated` is true. */
  readonly body: Json;
  /** True if the body is too large for a list, or older than `DELIVERY_BODY_DAYS`; `GET /deliveries/{id}` shows it. */
  readonly body_truncated?: true;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: DeliveryWithBody, body: string | null, isBodyTruncated = false) {
    this.id = row.delivery_id;
    this.webhook_output_id = row.output_id;
    this.kind = row.kind;
    this.state = row.state;
    this.attempts = row.attempts.map(({ at, ...attempt }) => ({ at: iso(at), ...attempt }));
    this.next_attempt_at = isoOrNull(row.next_at);
    this.body = body === null ? null : (JSON.parse(body) as Json);
    if (isBodyTruncated) this.body_truncated = true;
    this.created_at = iso(row.created_at);
  }
}
