import type { CreateWebhookOutput } from '../../../commands/webhook-output/create-webhook-output.js';
import { WEBHOOK_KINDS, type WebhookKind } from '../../../domain/webhook-output/webhook-output.events.js';
import { oneOf } from '../../../kernel/message.js';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import { findFetchUrlProblem } from '../../../outbound-http/url-rules.js';
import { Schema } from '../../../validation/json-schema.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { describeValue } from '../../../validation/wording.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { BODY_MESSAGES } from '../messages.js';
import { isTime } from '../time.js';

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

type NewOutput = Omit<CreateWebhookOutput['output'], 'outputId' | 'signingSecret'>;

/** Creates the reader for the body of POST /webhook-outputs. */
export const createWebhookOutputReader =
  (policy: AddressPolicy): BodyReader<NewOutput> =>
  (sent, problems) => {
    const { project_id, url, kinds = DEFAULT_KINDS } = fieldsReader(WebhookOutputBody)(sent, problems);
    checkUrl(url, policy, problems);
    checkKinds(kinds, problems);
    return { projectId: project_id, url, kinds };
  };

/** Creates the reader for the body of PATCH /webhook-outputs/{id}. Missing fields stay unchanged. */
export const createWebhookOutputChangeReader =
  (policy: AddressPolicy): BodyReader<Partial<Pick<NewOutput, 'url' | 'kinds'>>> =>
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
