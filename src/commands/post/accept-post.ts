import { hash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PostAnswer, PostCommand } from '../../domain/post/post.decider.js';
import type { PayloadPartStored, PostAccepted, RequestFacts, Target } from '../../domain/post/post.events.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import type { AppendCondition } from '../../event-store/port.js';
import { emptyAggregate, AggregateStore } from '../../event-store/aggregate-store.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { newId } from '../../kernel/ids.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { type PublishPayload, STORED_APART_BYTES } from '../../payload/payload.js';
import type { SnapshotProject } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { payloadStreamName } from '../../projections/posts/post-payloads.js';
import { AcceptanceLimit } from './acceptance-limit.js';
import { KeyClaims, type KnownKeys, type Replay } from './key-claims.js';
import { newCommandContext } from '../origin.js';

/** The endpoint snapshot by which the gate has checked the request. */
export interface AcceptingEndpoint {
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly projects: readonly SnapshotProject[];
}

/** The response to a post; a replay gets the first response again (D-9). */
export type AcceptPostResult =
  | { readonly outcome: 'accepted' | 'accepted_no_project'; readonly answer: PostAnswer }
  | { readonly outcome: 'replay'; readonly replay: Replay };

/** Accepts a valid post. Once this has succeeded, the post is never lost. */
export class AcceptPost extends Command<AcceptPostResult> {
  constructor(
    readonly endpoint: AcceptingEndpoint,
    readonly payload: PublishPayload,
    /** Channels of the endpoint that the post addresses (pause/resolve-targets.ts). */
    readonly channelIds: readonly string[],
    /** The latest known state of the request's keys; the first is the key, `external_id` is claimed as well (D-19). */
    readonly knownKeys: KnownKeys,
    /** SHA-256 (hex) of the body. */
    readonly bodyHash: string,
    readonly request: RequestFacts,
    readonly origin: Origin,
    /** Requires that the endpoint snapshot is current; null if that is confirmed already. */
    readonly condition: AppendCondition | null,
  ) {
    super();
  }
}

/** Factor by which JSON may grow when it is serialised again (`1e20`); avoids measuring small payloads. */
const MAX_GROWTH = 8;
/** Delay in ms after which parts without an accepted post are erased. */
const PARTS_LOOKED_AT_MS = 3_600_000;
/** The same for parts that no post will use, as far as this process knows: longer than an append may be under way. */
const UNNEEDED_PARTS_LOOKED_AT_MS = 120_000;
/** Time in ms from the first part on in which the post must be accepted: so no post is accepted whose parts may be erased. */
const ACCEPTED_WITHIN_MS = 600_000;
/** Bytes of the payload in one part: 900 KB as base64. */
const PART_BYTES = 660_000;

/** True if a post is accepted by one append, without parts written before. @param payloadBytes size of the body */
export const isSingleAppend = (payloadBytes: number): boolean => payloadBytes * MAX_GROWTH <= STORED_APART_BYTES;

type Acceptance = Extract<PostCommand, { readonly type: 'AcceptPost' | 'SkipPost' }>;

@CommandHandler(AcceptPost)
export class AcceptPostHandler implements ICommandHandler<AcceptPost> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly claims: KeyClaims,
    private readonly notes: ErasureNotes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws Unavailable the outcome may be unknown; a repeat of the request with its key resolves it.
   * @throws ConditionFailed nothing was accepted: read the endpoint again
   */
  execute(command: AcceptPost): Promise<AcceptPostResult> {
    const { endpoint, payload, request, origin } = command;
    if (endpoint.projects.length === 0) return this.skipPost(command);
    const postId = newId('post');
    if (isSingleAppend(request.payloadBytes)) return this.acceptPost(command, postId, { payload, parts: null });
    return this.acceptLarge(command, postId, payload, origin);
  }

  private async acceptLarge(
    command: AcceptPost,
    postId: string,
    payload: PublishPayload,
    origin: Origin,
  ): Promise<AcceptPostResult> {
    await yieldToEventLoop();
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length <= STORED_APART_BYTES) return this.acceptPost(command, postId, { payload, parts: null });
    const limit = new AcceptanceLimit(ACCEPTED_WITHIN_MS, this.clock);
    // Noted before the first part: whatever happens, parts without a post are found.
    const streams = this.claims.listDecidingStreams(command.knownKeys, postId);
    const note = (inMs: number) => this.notes.add('payload', payloadStreamName(postId), { inMs }, streams);
    await note(PARTS_LOOKED_AT_MS);
    // A failed note changes nothing: the first one stands.
    const noteUnneeded = () => note(UNNEEDED_PARTS_LOOKED_AT_MS).catch(() => undefined);
    let parts: PostAccepted['data']['parts'];
    try {
      parts = await this.storeParts(postId, bytes, origin, limit);
    } catch (error) {
      await noteUnneeded();
      throw error;
    }
    const result = await this.acceptPost(command, postId, { payload: null, parts }, limit);
    if (result.outcome === 'replay') await noteUnneeded();
    return result;
  }

  private acceptPost(
    { endpoint, payload, channelIds, knownKeys, bodyHash, request, origin, condition }: AcceptPost,
    postId: string,
    stored: Pick<PostAccepted['data'], 'payload' | 'parts'>,
    limit: AcceptanceLimit | null = null,
  ): Promise<AcceptPostResult> {
    const targets = selectTargets(endpoint.projects, channelIds);
    // Field by field: object spreads here would cost as much as the rest of this function.
    const data = {
      postId,
      acceptedAt: this.clock.now(),
      endpointId: endpoint.endpoint_id,
      ownerId: endpoint.owner_id,
      key: knownKeys.keys[0] ?? null,
      externalId: payload.external_id ?? null,
      traceId: payload.trace_id ?? null,
      bodyHash,
      payload: stored.payload,
      parts: stored.parts,
      targets,
      request: targets.length > 0 ? request : { ...request, switchedOff: channelIds },
    };
    return this.claimKeys(knownKeys, postId, { type: 'AcceptPost', data }, origin, condition, limit);
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
  }: AcceptPost): Promise<AcceptPostResult> {
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
    command: Acceptance,
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

  /**
   * Writes a large payload in parts first (D-42): an event may have at most 1 MiB. Heavy payloads below that limit are written in
   * parts as well, because the event has many readers that do not need the payload.
   */
  private async storeParts(
    postId: string,
    bytes: Buffer,
    origin: Origin,
    limit: AcceptanceLimit,
  ): Promise<NonNullable<PostAccepted['data']['parts']>> {
    const stream = payloadStreamName(postId);
    const at = this.clock.now();
    let after = emptyAggregate({ initial: null });
    let count = 0;
    for (let from = 0; from < bytes.length; from += PART_BYTES, count++) {
      await yieldToEventLoop();
      const chunk = bytes.subarray(from, from + PART_BYTES).toString('base64');
      const part: PayloadPartStored = { type: 'PayloadPartStored', data: { postId, index: count, chunk } };
      const encoded = this.aggregates.encodeEvents(
        stream,
        [part],
        after,
        newCommandContext(origin, `part ${count}`, at),
      );
      limit.check();
      const { revision, position } = await this.aggregates.appendWithRetry(stream, after.revision, encoded.events);
      after = { state: null, revision, position, hash: encoded.hash };
    }
    return { count, sha256: hash('sha256', bytes) };
  }
}

/**
 * Selects the enabled ones among these channels, each once, with its first project (D-27), in the order of the projects and
 * their channels (D-57).
 */
const selectTargets = (projects: readonly SnapshotProject[], channelIds: readonly string[]): Target[] => {
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
