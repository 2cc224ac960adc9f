import { hash } from 'node:crypto';
import type { Instant } from '../../../kernel/clock.js';
import type { AddressPolicy } from '../../../outbound-http/url-rules.js';
import type { Audience } from '../../../payload/content-layers.js';
import { LIMITS, type PublishPayload, TRACE_ID_LENGTH } from '../../../payload/payload.js';
import { codeOfRefusal } from '../../../payload/publish-at.js';
import { type CheckedKey, validateIdempotencyKey } from '../../../payload/validate.js';
import type { JsonBody } from '../../../validation/json-body.js';
import { countCharacters } from '../../../validation/text-measure.js';
import type { ReceivedBody } from '../../transport/body-reader.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { type CheckableList, selectCheckableMedia } from '../media-check.js';
import { checkPayload, readJson } from '../read-payload.js';

/** The content of a publish request. It is parsed early, but its problems are reported in the order of D-7. */
export interface ParsedPost {
  /** Idempotency-Key, then `external_id` (D-19); invalid keys are left out. */
  readonly keys: readonly string[];
  readonly traceId: string | null;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  readonly content:
    | { readonly ok: true; readonly payload: PublishPayload }
    | { readonly ok: false; readonly problem: HttpProblem; readonly checkableMedia?: readonly CheckableList[] };
}

/**
 * Parses and checks the body of a publish request.
 * @param keyHeader Idempotency-Key
 * @param audience the networks and targets that may have overrides
 * @param now the time against which `publish_at` is checked
 */
export const parsePost = (
  body: ReceivedBody,
  keyHeader: string | undefined,
  addresses: AddressPolicy,
  audience: Audience,
  now: Instant,
): ParsedPost | Promise<ParsedPost> => {
  const header = validateIdempotencyKey(keyHeader);
  if (!body.ok) return { keys: collectKeys(header, undefined), traceId: null, bodyHash: '', content: body };
  const json = readJson(body.bytes);
  const check = (parsed: JsonBody) => checkPost(parsed, body.bytes, header, addresses, audience, now);
  return json instanceof Promise ? json.then(check) : check(json);
};

const checkPost = (
  json: JsonBody,
  bytes: Buffer,
  header: CheckedKey,
  addresses: AddressPolicy,
  audience: Audience,
  now: Instant,
): ParsedPost => {
  const bodyHash = hash('sha256', bytes);
  const checked = checkPayload(json, header, addresses, audience, now);
  if (checked.ok) {
    const { external_id, trace_id = null } = checked.payload;
    return { keys: collectKeys(header, external_id), traceId: trace_id, bodyHash, content: checked };
  }
  const { external_id, trace_id } = (checked.sent ?? {}) as Readonly<Record<string, unknown>>;
  const traceId = typeof trace_id === 'string' ? trace_id.slice(0, TRACE_ID_LENGTH) : null;
  const problem = new HttpProblem(checked.status, codeOfRefusal(checked.problems), checked.problems);
  const content = { ok: false, problem, checkableMedia: selectCheckableMedia(checked, audience) } as const;
  return { keys: collectKeys(header, external_id), traceId, bodyHash, content };
};

const collectKeys = (header: CheckedKey, externalId: unknown): string[] => {
  if (!header.ok) return [];
  const isKey = typeof externalId === 'string' && externalId !== '' && countCharacters(externalId) <= LIMITS.keyLength;
  if (header.key === undefined) return isKey ? [externalId] : [];
  return isKey && externalId !== header.key ? [header.key, externalId] : [header.key];
};
