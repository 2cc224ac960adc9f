import { hash } from 'node:crypto';
import type { Steps } from '../../kernel/turns.js';
import type { AddressPolicy } from '../../payload/address-policy.js';
import { validateIdempotencyKey } from '../../payload/idempotency-key.js';
import { HEAVY_BYTES, LIMITS, type PublishPayload } from '../../payload/payload.js';
import { charactersIn } from '../../payload/text-measure.js';
import { HttpProblem } from '../http-problem.js';
import { mediaLeftOf, type PlacedMedium } from '../media-check.js';
import { read, readingPayload } from '../read-payload.js';
import type { ReceivedBody } from '../raw-body.js';

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
): SentPost | Promise<SentPost> =>
  body.ok ? read(body.bytes, readingSentPost(body.bytes, keyHeader, addresses)) : unread(body, keyHeader);

const unread = (content: ReceivedBody & { readonly ok: false }, keyHeader: string | undefined): SentPost => ({
  keys: keysOf(validateIdempotencyKey(keyHeader), undefined),
  traceId: null,
  bodyHash: '',
  content,
});

function* readingSentPost(bytes: Buffer, keyHeader: string | undefined, addresses: AddressPolicy): Steps<SentPost> {
  const header = validateIdempotencyKey(keyHeader);
  const bodyHash = hash('sha256', bytes);
  if (bytes.length > HEAVY_BYTES) yield;
  const said = yield* readingPayload(bytes, keyHeader, addresses);
  if (said.ok) {
    const { external_id, trace_id = null } = said.payload;
    return { keys: keysOf(header, external_id), traceId: trace_id, bodyHash, content: said };
  }
  const { external_id, trace_id } = (said.sent ?? {}) as Readonly<Record<string, unknown>>;
  const traceId = typeof trace_id === 'string' ? trace_id.slice(0, MAX_TRACE_ID) : null;
  const problem = new HttpProblem(said.status, 'invalid_payload', said.problems);
  const content = { ok: false, problem, mediaLeft: mediaLeftOf(said) } as const;
  return { keys: keysOf(header, external_id), traceId, bodyHash, content };
}

const keysOf = (header: ReturnType<typeof validateIdempotencyKey>, externalId: unknown): string[] => {
  if (!header.ok) return [];
  const isKey = typeof externalId === 'string' && externalId !== '' && charactersIn(externalId) <= LIMITS.keyLength;
  if (header.key === undefined) return isKey ? [externalId] : [];
  return isKey && externalId !== header.key ? [header.key, externalId] : [header.key];
};
