import type { OutputDisabledBy, WebhookKind } from '../../../domain/webhook-output/webhook-output.events.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import type { WebhookOutputRow } from '../../../projections/discovery/discovery.tables.js';

/** A webhook output as the API shows it (management-api.md: Routes). Its signing secret is never shown again. */
export class WebhookOutputView {
  /** `whk_…` */
  readonly id: string;
  readonly owner_id: string;
  readonly project_id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly is_active: boolean;
  /** Null if the webhook output is active. */
  readonly disabled_by: OutputDisabledBy | null;
  /**
   * End of the period in which deliveries are also signed with the previous secret (D-40; ISO 8601, UTC); null if they
   * are not.
   */
  readonly previous_secret_until: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: WebhookOutputRow, now: Instant) {
    this.id = row.webhook_output_id;
    this.owner_id = row.owner_id;
    this.project_id = row.project_id;
    this.url = row.url;
    this.kinds = row.kinds;
    this.is_active = row.disabled_by === null;
    this.disabled_by = row.disabled_by;
    this.previous_secret_until = row.previous_until > now ? iso(row.previous_until) : null;
    this.created_at = iso(row.created_at);
  }
}

/** A webhook output with its new secret: the response to its creation and to `rotate-secret`. */
export class WebhookOutputWithSecretView extends WebhookOutputView {
  /** Its UTF-8 bytes are the key of both signatures. Null in a replayed response: a secret is shown once (D-47). */
  declare readonly secret: string | null;
  /** The same key for Standard Webhooks libraries: `whsec_` and base64. Null in a replayed response. */
  declare readonly secret_whsec: string | null;
}

/** The response to `retry-failed`. */
export class RetriedOutputView extends WebhookOutputView {
  /** Number of deliveries that will be resent. */
  declare readonly retried: number;
}
