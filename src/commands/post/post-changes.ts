import { Inject, Injectable } from '@nestjs/common';
import { PLANNED_POST_MESSAGES } from '../../domain/messages.js';
import {
  type ChangeAuthor,
  type PlannedPostCommand,
  type PlannedPostRejection,
  type PostDecision,
} from '../../domain/post/planned-post.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type Clock, type Instant, SHARED_CLOCK } from '../../kernel/clock.js';
import { newUuid } from '../../kernel/ids.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import type { PublishPayload } from '../../payload/payload.js';
import { parsePublishAt } from '../../payload/publish-at.js';
import { listUploadIds } from '../../payload/uploads.js';
import type { SnapshotProject } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import type { AcceptanceLimit } from '../plan-limits.js';
import { selectTargets } from './accept-post.js';
import { LargePayloads } from './large-payloads.js';
import { type ChangedPost, PlannedPosts, type PostPlace } from './planned-posts.js';
import { UploadHolds } from './upload-holds.js';

export type { ChangeAuthor, PostDecision };

/**
 * Maximum size of a new payload in the event that replaces the content. Most texts fit, and lists show their beginning
 * without another read. Larger ones are stored in parts: a post may have hundreds of revisions in one stream (D-79).
 */
const INLINE_BYTES = 2_048;

/** Author of a change, and the post revisions that it may apply to; null for any. */
export interface PostChange {
  readonly author: ChangeAuthor;
  readonly ifRevision: readonly number[] | null;
}

/** A new payload for a planned post, and the channels to publish it to. */
export interface Replacement {
  readonly payload: PublishPayload;
  readonly projects: readonly SnapshotProject[];
  readonly channelIds: readonly string[];
}

/** The outcome of a change; null if there is no such post. */
export type PostChangeResult = ChangedPost | Rejection<PlannedPostRejection | 'unknown_media'> | null;

/** Changes planned posts for clients, owners and the operator (D-63). */
@Injectable()
export class PostChanges {
  constructor(
    private readonly posts: PlannedPosts,
    private readonly large: LargePayloads,
    private readonly holds: UploadHolds,
    /** Decides whether a change makes a post due. */
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
  ) {}

  /** Reschedules a post. @param publishAt null for as soon as possible @throws Unavailable */
  reschedule(
    place: PostPlace,
    publishAt: Instant | null,
    change: PostChange,
    context: CommandContext,
  ): Promise<PostChangeResult> {
    return this.posts.execute(place, { type: 'ReschedulePost', at: this.clock.now(), publishAt, ...change }, context);
  }

  /** Approves a post, and releases it if its publication time has passed, or rejects it (D-62). @throws Unavailable */
  decide(place: PostPlace, decision: PostDecision, context: CommandContext): Promise<PostChangeResult> {
    return this.posts.execute(place, { ...decision, at: this.clock.now() }, context);
  }

  /** Cancels a post's planned publications. @throws Unavailable */
  cancel(place: PostPlace, ifRevision: PostChange['ifRevision'], context: CommandContext): Promise<PostChangeResult> {
    const command = { type: 'CancelPlanned', at: context.at, publicationIds: null, ifRevision } as const;
    return this.posts.execute(place, command, context);
  }

  /** Replaces a post's payload, and stores all but a short one in parts (D-42, D-79). @throws Unavailable */
  async replace(
    place: PostPlace,
    { payload, projects, channelIds }: Replacement,
    change: PostChange,
    context: CommandContext,
  ): Promise<PostChangeResult> {
    const loaded = await this.posts.load(place);
    if (!loaded) return null;
    const { externalId, ownerId } = loaded.state;
    // The post keeps its own external_id, whatever the payload contains.
    const { external_id: _, ...rest } = payload;
    const stored: PublishPayload = externalId === null ? rest : { ...rest, external_id: externalId };
    const { publish_at, trace_id: traceId = null } = payload;
    const content = {
      traceId,
      targets: selectTargets(projects, channelIds),
      publishAt: publish_at === undefined ? null : parsePublishAt(publish_at),
    };
    const command = (kept: KeptPayload): RevisePost => ({
      type: 'RevisePost',
      at: this.clock.now(),
      content: { ...content, ...kept },
      ...change,
    });
    return this.executeWithPayload(place, stored, command, { ...context, contentOwner: ownerId });
  }

  /** Executes a command that replaces the payload, and stores all but a short one in parts. @throws Unavailable */
  async executeWithPayload(
    place: PostPlace,
    payload: PublishPayload,
    command: (kept: KeptPayload) => PlannedPostCommand,
    context: OwnedContext,
  ): Promise<PostChangeResult> {
    await yieldToEventLoop();
    const mediaIds = listUploadIds(payload);
    if (mediaIds.length === 0) return this.store(place, payload, command, context, null);
    const naming = (kept: KeptPayload) => command({ ...kept, mediaIds });
    return this.holds.holdWhile<PostChangeResult>(place.postId, mediaIds, async (limit) => {
      const result = await this.store(place, payload, naming, context, limit);
      return { result, isUsed: result !== null && !isRejection(result) };
    });
  }

  private async store(
    place: PostPlace,
    payload: PublishPayload,
    command: (kept: KeptPayload) => PlannedPostCommand,
    context: OwnedContext,
    within: AcceptanceLimit | null,
  ): Promise<PostChangeResult> {
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length <= INLINE_BYTES)
      return this.posts.execute(place, command({ payload, parts: null }), context, within);
    const { postId, stream } = place;
    const id = `${postId}.${newUuid().replaceAll('-', '')}`;
    const large = { postId, ownerId: context.contentOwner, id, bytes, streams: [stream] };
    return this.large.storeAndUse<PostChangeResult>(large, context, async (parts, limit) => {
      const result = await this.posts.execute(place, command({ payload: null, parts }), context, limit);
      return { result, isUsed: result !== null && !isRejection(result) };
    });
  }
}

/**
 * Rejects changes to a post if its endpoint was deleted: the deletion cancelled its planned publications.
 * @param releasedAt null if the post was never released
 */
export const refuseWithoutEndpoint = (releasedAt: Instant | null): Rejection<PlannedPostRejection> =>
  releasedAt === null
    ? reject('post_ended', PLANNED_POST_MESSAGES.ended)
    : reject('already_released', PLANNED_POST_MESSAGES.alreadyReleased);

/** The context of a command whose content belongs to the post's owner. */
type OwnedContext = CommandContext & { readonly contentOwner: string };
type KeptPayload = Pick<RevisePost['content'], 'payload' | 'parts' | 'mediaIds'>;
type RevisePost = Extract<PlannedPostCommand, { readonly type: 'RevisePost' }>;
