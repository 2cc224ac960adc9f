import { Inject, Injectable } from '@nestjs/common';
import type { PostAnswer } from '../../domain/post/post.decider.js';
import type { PostAccepted, RequestFacts, Target } from '../../domain/post/post.events.js';
import type { AppendCondition } from '../../event-store/port.js';
import { CLOCK, type Clock, SHARED_CLOCK } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { newId } from '../../kernel/ids.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { type PublishPayload, STORED_APART_BYTES } from '../../payload/payload.js';
import { planOf } from '../../payload/publish-at.js';
import { listUploadIds } from '../../payload/uploads.js';
import type { EndpointSnapshot, SnapshotProject } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { AcceptanceLimit, PlannedCap } from '../plan-limits.js';
import { type ClaimingCommand, KeyClaims, type KnownKeys, type Replay } from './key-claims.js';
import { LargePayloads } from './large-payloads.js';
import { UploadHolds } from './upload-holds.js';

/** The endpoint snapshot that the gate used to check the request. */
export type AcceptingEndpoint = Pick<
  EndpointSnapshot,
  'endpoint_id' | 'owner_id' | 'plan' | 'requires_approval' | 'projects'
>;

/** The response to a post; a replay returns the first response again (D-9). */
export type AcceptPostResult =
  | { readonly outcome: 'accepted' | 'accepted_no_project'; readonly answer: PostAnswer }
  | { readonly outcome: 'replay'; readonly replay: Replay }
  /** The owner has as many planned posts as its plan allows (D-79), or an upload was deleted a moment ago. */
  | { readonly outcome: 'rejected'; readonly rejection: Rejection<'resource_limit' | 'unknown_media'> };

/** A valid post that nothing forbids to accept. */
export interface NewPost {
  readonly endpoint: AcceptingEndpoint;
  readonly payload: PublishPayload;
  /** Channels of the endpoint that the post addresses (resolve-targets.ts). */
  readonly channelIds: readonly string[];
  /** Latest known state of the request's keys: first the post's key, then any `external_id` (D-19). */
  readonly knownKeys: KnownKeys;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  readonly request: RequestFacts;
  readonly origin: Origin;
  /** Requires that the endpoint snapshot is current; null if this has already been confirmed. */
  readonly condition: AppendCondition | null;
}

/**
 * Upper bound on how many times longer JSON gets when it is serialised again (`1e20`); saves measuring small payloads.
 */
const MAX_GROWTH = 8;
/** True if a post can be accepted with one append, without writing parts first. @param payloadBytes size of the body */
export const isSingleAppend = (payloadBytes: number): boolean => payloadBytes * MAX_GROWTH <= STORED_APART_BYTES;

/** Uploads that nothing can delete before the limit. */
interface HeldUploads {
  readonly mediaIds: readonly string[];
  readonly limit: AcceptanceLimit;
}

/** Accepts a valid post. Once this has succeeded, the post is never lost. */
@Injectable()
export class AcceptPost {
  constructor(
    private readonly claims: KeyClaims,
    private readonly large: LargePayloads,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SHARED_CLOCK) private readonly sharedClock: Clock,
    private readonly cap: PlannedCap,
    private readonly holds: UploadHolds,
  ) {}

  /**
   * @throws Unavailable the outcome may be unknown: send the request again with the same key
   * @throws ConditionFailed nothing was accepted: read the endpoint again
   */
  execute(post: NewPost): Promise<AcceptPostResult> {
    if (post.endpoint.projects.length === 0) return this.skipPost(post);
    const postId = newId('post');
    const mediaIds = listUploadIds(post.payload);
    return mediaIds.length === 0 ? this.acceptSized(post, postId) : this.acceptHolding(post, postId, mediaIds);
  }

  private async acceptHolding(post: NewPost, postId: string, mediaIds: readonly string[]): Promise<AcceptPostResult> {
    const result = await this.holds.holdWhile(postId, mediaIds, async (limit) => {
      const accepted = await this.acceptSized(post, postId, { mediaIds, limit });
      return { result: accepted, isUsed: accepted.outcome === 'accepted' };
    });
    return isRejection(result) ? { outcome: 'rejected', rejection: result } : result;
  }

  private acceptSized(post: NewPost, postId: string, held: HeldUploads | null = null): Promise<AcceptPostResult> {
    const { payload, request, origin } = post;
    if (!isSingleAppend(request.payloadBytes)) return this.acceptLarge(post, postId, payload, origin, held);
    return this.acceptPost(post, postId, { payload, parts: null }, held);
  }

  private async acceptLarge(
    post: NewPost,
    postId: string,
    payload: PublishPayload,
    origin: Origin,
    held: HeldUploads | null,
  ): Promise<AcceptPostResult> {
    await yieldToEventLoop();
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length <= STORED_APART_BYTES) return this.acceptPost(post, postId, { payload, parts: null }, held);
    const streams = this.claims.listDecidingStreams(post.knownKeys, postId);
    const large = { postId, ownerId: post.endpoint.owner_id, id: postId, bytes, streams };
    return this.large.storeAndUse(large, origin, async (parts, limit) => {
      const result = await this.acceptPost(post, postId, { payload: null, parts }, held, limit);
      return { result, isUsed: result.outcome === 'accepted' };
    });
  }

  private acceptPost(
    { endpoint, payload, channelIds, knownKeys, bodyHash, request, origin, condition }: NewPost,
    postId: string,
    stored: Pick<PostAccepted['data'], 'payload' | 'parts'>,
    held: HeldUploads | null,
    limit: AcceptanceLimit | null = held?.limit ?? null,
  ): Promise<AcceptPostResult> {
    const targets = selectTargets(endpoint.projects, channelIds);
    const acceptedAt = this.clock.now();
    const { requires_approval: requiresApproval } = endpoint;
    const plan = planOf(payload, requiresApproval, this.sharedClock.now());
    // Copied field by field, because object spreads would cost as much as the rest of this function.
    const data: PostAccepted['data'] = {
      postId,
      acceptedAt,
      endpointId: endpoint.endpoint_id,
      ownerId: endpoint.owner_id,
      key: knownKeys.keys[0] ?? null,
      externalId: payload.external_id ?? null,
      traceId: payload.trace_id ?? null,
      bodyHash,
      payload: stored.payload,
      parts: stored.parts,
      ...(held && { mediaIds: held.mediaIds }),
      targets,
      request: targets.length > 0 ? request : { ...request, switchedOff: channelIds },
    };
    const isWithPlan = plan !== null && targets.length > 0;
    const planned = isWithPlan ? { ...data, plan: { ...plan, requiresApproval } } : data;
    const accept = () =>
      this.claimKeys(knownKeys, postId, { type: 'AcceptPost', data: planned }, origin, condition, limit);
    return isWithPlan && !plan.isReleased ? this.acceptWithinCap(endpoint, postId, knownKeys, accept) : accept();
  }

  private async acceptWithinCap(
    endpoint: AcceptingEndpoint,
    postId: string,
    { endpointId, keys }: KnownKeys,
    accept: () => Promise<AcceptPostResult>,
  ): Promise<AcceptPostResult> {
    const place = await this.cap.reserve(endpoint, postId);
    if (!place) return accept();
    if (isRejection(place)) {
      // A replay takes precedence over limits (D-7), and the keys may only be assumed to be new.
      const { replay } = await this.claims.lookUpKeys(endpointId, keys, this.clock.now());
      return replay ? { outcome: 'replay', replay } : { outcome: 'rejected', rejection: place };
    }
    const result = await accept(); // if its outcome is unknown, the reservation expires
    place.release();
    return result;
  }

  /** Stores only the response, and only if there is a key to replay it by (D-10). */
  private async skipPost({
    endpoint,
    payload,
    knownKeys,
    bodyHash,
    request,
    origin,
    condition,
  }: NewPost): Promise<AcceptPostResult> {
    const [key] = knownKeys.keys;
    const { external_id: externalId = null, trace_id: traceId = null } = payload;
    if (key === undefined)
      return { outcome: 'accepted_no_project', answer: { postId: null, traceId, queuedTargets: 0 } };
    const { endpoint_id: endpointId, owner_id: ownerId } = endpoint;
    const data = { acceptedAt: this.clock.now(), endpointId, ownerId, key, externalId, traceId, bodyHash, request };
    return this.claimKeys(knownKeys, newId('post'), { type: 'SkipPost', data }, origin, condition);
  }

  private claimKeys(
    knownKeys: KnownKeys,
    postId: string,
    command: ClaimingCommand,
    origin: Origin,
    condition: AppendCondition | null,
    limit: AcceptanceLimit | null = null,
  ): Promise<AcceptPostResult> {
    return this.claims.claimKeys(knownKeys, postId, command, origin, condition, limit).then((claimed) => {
      if (claimed.outcome === 'replay') return claimed;
      const outcome = command.type === 'AcceptPost' ? 'accepted' : 'accepted_no_project';
      return { outcome, answer: claimed.claim.answer };
    });
  }
}

/**
 * Selects the enabled channels from the given ids, each with the first project that contains it (D-27), in the order of
 * the projects and their channels (D-57).
 */
export const selectTargets = (projects: readonly SnapshotProject[], channelIds: readonly string[]): Target[] => {
  const remaining = new Set(channelIds);
  const targets: Target[] = [];
  for (const { project_id: projectId, channels } of projects) {
    for (const { channel_id: channelId, platform, enabled } of channels) {
      if (!enabled || !remaining.delete(channelId)) continue;
      targets.push({ publicationId: newId('pub'), channelId, platform, projectId });
    }
  }
  return targets;
};
