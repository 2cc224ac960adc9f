import type { NewOutput } from '../../../commands/webhook-output.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../domain/delivery/delivery.events.js';
import {
  type OutputDisabledBy,
  WEBHOOK_KINDS,
  type WebhookKind,
} from '../../../domain/webhook-output/webhook-output.events.js';
import { ifLater, type Instant, iso, isoOrNull } from '../../../kernel/clock.js';
import type { Json } from '../../../kernel/ids.js';
import { oneOf } from '../../../kernel/message.js';
import { type AddressPolicy, findFetchUrlProblem } from '../../../outbound-http/url-rules.js';
import type { WebhookOutputRow } from '../../../projections/discovery/discovery.tables.js';
import type { DeliveryWithBody } from '../../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { Schema } from '../../../validation/json-schema.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { describeValue } from '../../../validation/wording.js';
import { type BodyReader, fieldsReader, isCursorOf, PageQuery } from '../../transport/fields.js';
import { isTime } from '../common-fields.js';
import { BODY_MESSAGES } from '../messages.js';

const DEFAULT_KINDS: readonly WebhookKind[] = ['post.published'];

/** Fields of PATCH /webhook-outputs/{id}. */
export class WebhookOutputPatchBody {
  /** An https URL on port 443 of a public address. */
  @Must.beText()
  readonly url: string | undefined;

  /** All event kinds to deliver. Default for a new webhook output: only `post.published`. */
  @Schema.items(() => ({ type: 'string', enum: [...WEBHOOK_KINDS] }))
  @Schema.is(() => ({ minItems: 1, uniqueItems: true }))
  @Must.beArray('event kinds')
  readonly kinds: readonly WebhookKind[] | undefined;
}

/** Fields of POST /webhook-outputs. */
export class WebhookOutputBody extends WebhookOutputPatchBody {
  /** The project whose events are delivered. */
  @Must.match(/^\w{1,64}$/, 'an id such as "prj_…"')
  @Must.bePresent('the id of its project, such as "prj_…"')
  readonly project_id!: string;

  @Must.bePresent('an address such as "https://example.org/webhooks"')
  declare readonly url: string;
}

type OutputFields = Omit<NewOutput, 'outputId' | 'signingSecret'>;

/** Creates the reader for the body of POST /webhook-outputs. */
export const createWebhookOutputReader =
  (policy: AddressPolicy): BodyReader<OutputFields> =>
  (sent, problems) => {
    const { project_id, url, kinds = DEFAULT_KINDS } = fieldsReader(WebhookOutputBody)(sent, problems);
    checkUrl(url, policy, problems);
    checkKinds(kinds, problems);
    return { projectId: project_id, url, kinds };
  };

/** Creates the reader for the body of PATCH /webhook-outputs/{id}. Missing fields stay unchanged. */
export const createWebhookOutputChangeReader =
  (policy: AddressPolicy): BodyReader<Partial<Pick<OutputFields, 'url' | 'kinds'>>> =>
  (sent, problems) => {
    const { url, kinds } = fieldsReader(WebhookOutputPatchBody)(sent, problems);
    checkUrl(url, policy, problems);
    checkKinds(kinds, problems);
    return { ...(url !== undefined && { url }), ...(kinds !== undefined && { kinds }) };
  };

const checkUrl = (url: unknown, policy: AddressPolicy, problems: ProblemList): void => {
  const problem = typeof url === 'string' ? findFetchUrlProblem(url, policy) : undefined;
  if (problem) problems.add(422, 'url', problem.code, problem.predicate);
};

const checkKinds = (kinds: unknown, problems: ProblemList): void => {
  if (!Array.isArray(kinds)) return;
  if (kinds.length === 0) problems.add(422, 'kinds', 'empty', BODY_MESSAGES.noKinds);
  const values = oneOf(WEBHOOK_KINDS);
  for (const [index, kind] of (kinds as unknown[]).entries()) {
    const path = `kinds[${index}]`;
    const value = describeValue(kind);
    if (!WEBHOOK_KINDS.includes(kind as WebhookKind))
      problems.add(422, path, 'unknown_value', FIELD_MESSAGES.notOneOf({ values, value }));
    else if (kinds.indexOf(kind) < index)
      problems.add(422, path, 'duplicate', BODY_MESSAGES.duplicateId({ id: value }));
  }
};

/** Body of …/retry-failed. */
export class RetryFailedBody {
  /** Retries only deliveries whose last attempt failed at or after this time. */
  @isTime()
  @Must.bePresent('a time such as "2026-11-21T14:05:03.000Z"')
  readonly since!: string;
}

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
    this.is_active = row.is_active;
    this.disabled_by = row.disabled_by;
    this.previous_secret_until = ifLater(row.previous_secret?.until, now);
    this.created_at = row.created_at;
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

/** One attempt at a delivery. */
export interface DeliveryAttemptView {
  /** Start of the attempt: ISO 8601, UTC. */
  readonly at: string;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly latency_ms: number;
  /** The beginning of the response body, or the reason why there was no response; null once it is erased. */
  readonly answer: string | null;
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
  /** True if the body was erased: it is null, and the delivery is never sent again. Absent otherwise. */
  readonly content_erased?: true;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: DeliveryWithBody, body: string | null, isBodyTruncated = false) {
    this.id = row.delivery_id;
    this.webhook_output_id = row.output_id;
    this.kind = row.kind;
    this.state = row.state;
    this.attempts = row.attempts.map(({ at, status, latency_ms, answer }) => ({
      at: iso(at),
      status,
      latency_ms,
      answer,
    }));
    this.next_attempt_at = isoOrNull(row.next_at);
    this.body = body === null ? null : (JSON.parse(body) as Json);
    if (row.content_erased) this.content_erased = true;
    else if (isBodyTruncated) this.body_truncated = true;
    this.created_at = iso(row.created_at);
  }
}

/** Query parameters of a webhook output's delivery list. */
export class DeliveriesQuery extends PageQuery {
  @isCursorOf('position')
  declare readonly cursor: string | undefined;

  /** Only deliveries in this state. */
  @Must.beOneOf(DELIVERY_STATUSES)
  readonly state: DeliveryStatus | undefined;
}
