import { hash } from 'node:crypto';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import { type CheckedKey, validateIdempotencyKey } from '../../../payload/idempotency-key.js';
import type { JsonBody } from '../../../validation/json-body.js';
import { LIMITS, type PublishPayload } from '../../../payload/payload.js';
import { charactersIn } from '../../../validation/text-measure.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { mediaLeftOf, type PlacedMedium } from '../media-check.js';
import { checkPayload, readJson } from '../read-payload.js';
import type { ReceivedBody } from '../../transport/raw-body.js';

/** What a request to publish says. It is read once, early; what is wrong with it is told in its turn (D-7). */
export interface SentPost {
  /** Idempotency-Key, then `external_id` (D-19); those alone that can be keys. */
  readonly keys: readonly string[];
  readonly traceId: string | null;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  readonly content:
    | { readonly ok: true; readonly payload: PublishPayload }
    | { readonly ok: false; readonly problem: HttpProblem; readonly mediaLeft?: readonly PlacedMedium[] };
}

const MAX_TRACE_ID = 1_024;

/** @param keyHeader Idempotency-Key as it was sent */
export const readSentPost = (
  body: ReceivedBody,
  keyHeader: string | undefined,
  addresses: AddressPolicy,
): SentPost | Promise<SentPost> => {
  const header = validateIdempotencyKey(keyHeader);
  if (!body.ok) return { keys: keysOf(header, undefined), traceId: null, bodyHash: '', content: body };
  const json = readJson(body.bytes);
  const judged = (said: JsonBody) => judge(said, body.bytes, header, addresses);
  return json instanceof Promise ? json.then(judged) : judged(json);
};

const judge = (json: JsonBody, bytes: Buffer, header: CheckedKey, addresses: AddressPolicy): SentPost => {
  const bodyHash = hash('sha256', bytes);
  const said = checkPayload(json, header, addresses);
  if (said.ok) {
    const { external_id, trace_id = null } = said.payload;
    return { keys: keysOf(header, external_id), traceId: trace_id, bodyHash, content: said };
  }
  const { external_id, trace_id } = (said.sent ?? {}) as Readonly<Record<string, unknown>>;
  const traceId = typeof trace_id === 'string' ? trace_id.slice(0, MAX_TRACE_ID) : null;
  const problem = new HttpProblem(said.status, 'invalid_payload', said.problems);
  const content = { ok: false, problem, mediaLeft: mediaLeftOf(said) } as const;
  return { keys: keysOf(header, external_id), traceId, bodyHash, content };
};

const keysOf = (header: CheckedKey, externalId: unknown): string[] => {
  if (!header.ok) return [];
  const isKey = typeof externalId === 'string' && externalId !== '' && charactersIn(externalId) <= LIMITS.keyLength;
  if (header.key === undefined) return isKey ? [externalId] : [];
  return isKey && externalId !== header.key ? [header.key, externalId] : [header.key];
};
