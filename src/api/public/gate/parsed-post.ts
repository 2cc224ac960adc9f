import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { rejectTooManyTargets } from '../../../commands/plan-limits.js';
import { audienceOf, resolveTargets } from '../../../commands/resolve-targets.js';
import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { Instant } from '../../../kernel/clock.js';
import { isRejection, type Rejection } from '../../../kernel/result.js';
import type { AddressPolicy } from '../../../outbound-http/url-rules.js';
import { type Audience, listAddressed } from '../../../payload/content-layers.js';
import { type ContentTarget, listMedia } from '../../../payload/overrides.js';
import { LIMITS, type PublishPayload, TRACE_ID_LENGTH } from '../../../payload/payload.js';
import { codeOfRefusal } from '../../../payload/publish-at.js';
import { listUploadIds } from '../../../payload/uploads.js';
import { type CheckedKey, validateIdempotencyKey } from '../../../payload/validate.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { JsonBody } from '../../../validation/json-body.js';
import { countCharacters } from '../../../validation/text-measure.js';
import type { ReceivedBody } from '../../transport/body-reader.js';
import { HttpProblem } from '../../transport/problem.view.js';
import {
  type CheckableList,
  checkPayload,
  MediaCheck,
  ProbePayments,
  readJson,
  selectCheckableMedia,
} from '../payload-check.js';
import { bodyRejection, targetsRejection } from './rejections.js';

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

/** The content of a post that may be accepted. */
export interface AcceptableContent {
  readonly payload: PublishPayload;
  /** The channels that the post goes to, each once. */
  readonly channelIds: readonly string[];
}

/** The gate's steps 9 and 10: the body, its media and the targets. */
@Injectable()
export class ContentCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly media: MediaCheck,
    private readonly payments: ProbePayments,
    private readonly catalogue: PlatformCatalogue,
  ) {}

  /**
   * Returns the content of an acceptable post; null if {@link check} will reject it or must probe its media first.
   * @param areMediaProbed true if the media of this post passed {@link check}
   */
  findAcceptable(
    endpoint: EndpointSnapshot,
    { content }: ParsedPost,
    areMediaProbed = false,
  ): AcceptableContent | null {
    if (!content.ok || (!areMediaProbed && this.hasMedia(endpoint, content.payload))) return null;
    const channelIds = resolveChannels(endpoint, content.payload, this.settings.limitsProfile);
    return isRejection(channelIds) ? null : { payload: content.payload, channelIds };
  }

  /**
   * Rejects a post that is not acceptable, or checks its media.
   * @returns the post, with the types of its uploads
   * @throws GateRejection
   */
  async check(endpoint: EndpointSnapshot, post: ParsedPost, areMediaProbed: boolean): Promise<ParsedPost> {
    const { content } = post;
    if (!content.ok) return this.rejectContent(endpoint, content);
    if (!areMediaProbed && this.hasMedia(endpoint, content.payload)) {
      const pay = this.payments.open(endpoint);
      const addressed = this.listAddressed(endpoint, content.payload);
      const checked = await this.media.checkPayload(endpoint.owner_id, pay, content.payload, addressed);
      const { payload, problems, status } = checked;
      if (problems.length > 0) throw bodyRejection(endpoint, new HttpProblem(status, 'invalid_payload', problems));
      return { ...post, content: { ok: true, payload } };
    }
    const { payload } = content;
    const channelIds = resolveChannels(endpoint, payload, this.settings.limitsProfile);
    if (isRejection(channelIds)) throw targetsRejection(endpoint, channelIds);
    return post;
  }

  /** True if there are media to check: those that the post's targets will get (D-61), and all its uploads. */
  private hasMedia(endpoint: EndpointSnapshot, payload: PublishPayload): boolean {
    if (!payload.media && !payload.overrides) return false;
    return listMedia(payload, this.listAddressed(endpoint, payload)).length > 0 || listUploadIds(payload).length > 0;
  }

  private listAddressed(endpoint: EndpointSnapshot, payload: PublishPayload): readonly ContentTarget[] {
    return payload.overrides ? listAddressed(payload, audienceOf(endpoint, this.catalogue.ids)) : [];
  }

  /** Rejects invalid content, reporting problems with its media as well (D-6). @throws GateRejection */
  private async rejectContent(
    endpoint: EndpointSnapshot,
    { problem, checkableMedia = [] }: Extract<ParsedPost['content'], { readonly ok: false }>,
  ): Promise<never> {
    const more =
      checkableMedia.length > 0
        ? await this.media.findProblems(endpoint.owner_id, this.payments.open(endpoint), checkableMedia)
        : [];
    throw bodyRejection(endpoint, new HttpProblem(problem.status, problem.code, [...problem.problems, ...more]));
  }
}

/** Returns the channels that a post goes to. Without projects, any target is valid and nothing is published (D-10). */
export const resolveChannels = (
  { projects, plan }: EndpointSnapshot,
  { targets = [] }: PublishPayload,
  { plans }: LimitsProfile,
): readonly string[] | Rejection<'invalid_targets' | 'too_many_targets'> => {
  if (projects.length === 0) return [];
  const resolved = resolveTargets(
    projects,
    targets.map(({ id }) => id),
  );
  if (isRejection(resolved)) return resolved;
  const { channelIds } = resolved;
  return rejectTooManyTargets(channelIds.length, plans[plan].resources.targetsPerPost) ?? channelIds;
};
