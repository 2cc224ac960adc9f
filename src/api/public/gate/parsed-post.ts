import { hash } from 'node:crypto';
import { resolveTargets } from '../../../commands/pause/resolve-targets.js';
import { rejectTooManyTargets } from '../../../commands/post/target-cap.js';
import type { LimitsProfile } from '../../../config/limits-profile.js';
import { isRejection, type Rejection } from '../../../kernel/result.js';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import { type CheckedKey, validateIdempotencyKey } from '../../../payload/idempotency-key.js';
import type { JsonBody } from '../../../validation/json-body.js';
import { LIMITS, type PublishPayload, TRACE_ID_LENGTH } from '../../../payload/payload.js';
import { countCharacters } from '../../../validation/text-measure.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { selectCheckableMedia, type IndexedMedium } from '../media-check.js';
import { checkPayload, readJson } from '../read-payload.js';
import type { ReceivedBody } from '../../transport/body-reader.js';

/** The content of a request to publish. It is parsed once, early; its problems are reported in the order of D-7. */
export interface ParsedPost {
  /** Idempotency-Key, then `external_id` (D-19), without values that cannot be keys. */
  readonly keys: readonly string[];
  readonly traceId: string | null;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  readonly content:
    | { readonly ok: true; readonly payload: PublishPayload }
    | { readonly ok: false; readonly problem: HttpProblem; readonly checkableMedia?: readonly IndexedMedium[] };
}

/** Parses and checks the body of a request to publish. @param keyHeader Idempotency-Key as it was sent */
export const parsePost = (
  body: ReceivedBody,
  keyHeader: string | undefined,
  addresses: AddressPolicy,
): ParsedPost | Promise<ParsedPost> => {
  const header = validateIdempotencyKey(keyHeader);
  if (!body.ok) return { keys: collectKeys(header, undefined), traceId: null, bodyHash: '', content: body };
  const json = readJson(body.bytes);
  const check = (parsed: JsonBody) => checkPost(parsed, body.bytes, header, addresses);
  return json instanceof Promise ? json.then(check) : check(json);
};

const checkPost = (json: JsonBody, bytes: Buffer, header: CheckedKey, addresses: AddressPolicy): ParsedPost => {
  const bodyHash = hash('sha256', bytes);
  const checked = checkPayload(json, header, addresses);
  if (checked.ok) {
    const { external_id, trace_id = null } = checked.payload;
    return { keys: collectKeys(header, external_id), traceId: trace_id, bodyHash, content: checked };
  }
  const { external_id, trace_id } = (checked.sent ?? {}) as Readonly<Record<string, unknown>>;
  const traceId = typeof trace_id === 'string' ? trace_id.slice(0, TRACE_ID_LENGTH) : null;
  const problem = new HttpProblem(checked.status, 'invalid_payload', checked.problems);
  const content = { ok: false, problem, checkableMedia: selectCheckableMedia(checked) } as const;
  return { keys: collectKeys(header, external_id), traceId, bodyHash, content };
};

const collectKeys = (header: CheckedKey, externalId: unknown): string[] => {
  if (!header.ok) return [];
  const isKey = typeof externalId === 'string' && externalId !== '' && countCharacters(externalId) <= LIMITS.keyLength;
  if (header.key === undefined) return isKey ? [externalId] : [];
  return isKey && externalId !== header.key ? [header.key, externalId] : [header.key];
};

/** A rejection of a post's targets. */
export type TargetsRejection = Rejection<'invalid_targets' | 'too_many_targets'>;

/** Returns the channels that a post goes to. Without a project nothing is published, and no target is wrong (D-10). */
export const resolveChannels = (
  { projects, plan }: EndpointSnapshot,
  { targets = [] }: PublishPayload,
  { plans }: LimitsProfile,
): readonly string[] | TargetsRejection => {
  if (projects.length === 0) return [];
  const resolved = resolveTargets(
    projects,
    targets.map(({ id }) => id),
  );
  if (isRejection(resolved)) return resolved;
  const { channelIds } = resolved;
  return rejectTooManyTargets(channelIds.length, plans[plan].resources.targetsPerPost) ?? channelIds;
};

/**
 * True if a post will be accepted for this snapshot of its endpoint, provided that the limits pass. This is certain for a post
 * with media only after they were checked.
 */
export const isAcceptable = (
  { content }: ParsedPost,
  endpoint: EndpointSnapshot,
  profile: LimitsProfile,
  isMediaChecked = false,
): boolean =>
  content.ok &&
  (isMediaChecked || content.payload.media === undefined) &&
  !isRejection(resolveChannels(endpoint, content.payload, profile));
