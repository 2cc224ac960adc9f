import { hash } from 'node:crypto';
import type { AddressPolicy } from '../../payload/address-policy.js';
import { validateIdempotencyKey } from '../../payload/idempotency-key.js';
import { LIMITS, type PublishPayload } from '../../payload/payload.js';
import { charactersIn } from '../../payload/text-measure.js';
import { HttpProblem } from '../http-problem.js';
import { readPayload } from '../read-payload.js';
import type { ReceivedBody } from '../raw-body.js';

/** What a request to publish says. It is read once, early; what is wrong with it is told in its turn (D-7). */
export interface SentPost {
  /** Idempotency-Key, then `external_id` (D-19); those alone that can be keys. */
  readonly keys: readonly string[];
  readonly traceId: string | null;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  readonly content:
    { readonly ok: true; readonly payload: PublishPayload } | { readonly ok: false; readonly problem: HttpProblem };
}

const MAX_TRACE_ID = 1_024;

/** @param keyHeader Idempotency-Key as it was sent */
export const readSentPost = (body: ReceivedBody, keyHeader: string | undefined, addresses: AddressPolicy): SentPost => {
  const header = validateIdempotencyKey(keyHeader);
  if (!body.ok) return { keys: keysOf(header, undefined), traceId: null, bodyHash: '', content: body };
  const bodyHash = hash('sha256', body.bytes);
  const read = readPayload(body.bytes, keyHeader, addresses);
  if (read.ok) {
    const { external_id, trace_id = null } = read.payload;
    return { keys: keysOf(header, external_id), traceId: trace_id, bodyHash, content: read };
  }
  const { external_id, trace_id } = (read.sent ?? {}) as Readonly<Record<string, unknown>>;
  const traceId = typeof trace_id === 'string' ? trace_id.slice(0, MAX_TRACE_ID) : null;
  const problem = new HttpProblem(read.status, 'invalid_payload', read.problems);
  return { keys: keysOf(header, external_id), traceId, bodyHash, content: { ok: false, problem } };
};

const keysOf = (header: ReturnType<typeof validateIdempotencyKey>, externalId: unknown): string[] => {
  if (!header.ok) return [];
  const isKey = typeof externalId === 'string' && externalId !== '' && charactersIn(externalId) <= LIMITS.keyLength;
  return [...new Set([header.key, isKey ? externalId : undefined].filter((key) => key !== undefined))];
};
