import { hash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PostAnswer, PostCommand } from '../../domain/post/post.decider.js';
import type { PayloadPartStored, PostAccepted, RequestFacts, Target } from '../../domain/post/post.events.js';
import type { AppendCondition } from '../../event-store/port.js';
import { nothingYet, Streams } from '../../event-store/aggregate-store.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { newId } from '../../kernel/ids.js';
import { nextTurn } from '../../runtime/cooperative-work.js';
import { HEAVY_BYTES, type PublishPayload } from '../../payload/payload.js';
import type { AccessProject } from '../../projections/discovery/endpoint-access.queries.js';
import { payloadStream } from '../../projections/posts/post-payloads.js';
import { KeyClaims, type KeysSeen, type Replay } from './key-claims.js';
import { execution } from '../origin.js';

/** The endpoint as the gate has just seen it. */
export interface AcceptingEndpoint {
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly projects: readonly AccessProject[];
}

/** What a post is answered with; a replay gets the first answer again (D-9). */
export type AcceptPostResult =
  | { readonly outcome: 'accepted' | 'accepted_no_project'; readonly answer: PostAnswer }
  | { readonly outcome: 'replay'; readonly replay: Replay };

/** Takes a valid post in: from here on it is never lost. */
export class AcceptPost extends Command<AcceptPostResult> {
  constructor(
    readonly endpoint: AcceptingEndpoint,
    readonly payload: PublishPayload,
    /** Those of the endpoint's channels that it is meant for (named-targets.ts). */
    readonly channelIds: readonly string[],
    /** Where the request's keys stood a moment ago; the first is the key, `external_id` is claimed as well (D-19). */
    readonly seen: KeysSeen,
    /** SHA-256 (hex) of the body. */
    readonly bodyHash: string,
    readonly request: RequestFacts,
    readonly origin: Origin,
    /** That the endpoint stands as it was seen, where nobody has confirmed that yet. */
    readonly condition: AppendCondition | null,
  ) {
    super();
  }
}

/** By how much JSON may grow when it is written again (`1e20`); saves measuring what is small anyway. */
const GROWTH = 8;
/** Of the payload's bytes in one part: 900 KB as base64. */
const PART_BYTES = 660_000;

/** Whether a post is accepted by one append: nothing has to be written before. @param payloadBytes of its body */
export const isOneAppend = (payloadBytes: number): boolean => payloadBytes * GROWTH <= HEAVY_BYTES;

type Acceptance = Extract<PostCommand, { readonly type: 'AcceptPost' | 'PassPostOver' }>;

@CommandHandler(AcceptPost)
export class AcceptPostHandler implements ICommandHandler<AcceptPost> {
  constructor(
    private readonly streams: Streams,
    private readonly claims: KeyClaims,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws Unavailable the outcome may be unknown; the same request, with its key, finds out.
   * @throws ConditionFailed nothing was accepted: the endpoint is to be looked at again
   */
  execute(command: AcceptPost): Promise<AcceptPostResult> {
    const { endpoint, payload, request, origin } = command;
    if (endpoint.projects.length === 0) return this.passOver(command);
    const postId = newId('post');
    if (isOneAppend(request.payloadBytes)) return this.accept(command, postId, { payload, parts: null });
    return this.store(postId, payload, origin).then((stored) => this.accept(command, postId, stored));
  }

  private accept(
    { endpoint, payload, channelIds, seen, bodyHash, request, origin, condition }: AcceptPost,
    postId: string,
    stored: Pick<PostAccepted['data'], 'payload' | 'parts'>,
  ): Promise<AcceptPostResult> {
    const targets = targetsOf(endpoint.projects, channelIds);
    // Field by field: to spread objects into one another would cost as much as all the rest here.
    const data = {
      postId,
      acceptedAt: this.clock.now(),
      endpointId: endpoint.endpoint_id,
      ownerId: endpoint.owner_id,
      key: seen.keys[0] ?? null,
      externalId: payload.external_id ?? null,
      traceId: payload.trace_id ?? null,
      bodyHash,
      payload: stored.payload,
      parts: stored.parts,
      targets,
      request: targets.length > 0 ? request : { ...request, switchedOff: channelIds },
    };
    return this.claim(seen, postId, { type: 'AcceptPost', data }, origin, condition);
  }

  /** D-10: the answer is remembered where there is a key to ask for it by, and nothing else. */
  private async passOver({
    endpoint,
    payload,
    seen,
    bodyHash,
    request,
    origin,
    condition,
  }: AcceptPost): Promise<AcceptPostResult> {
    const [key] = seen.keys;
    const { external_id: externalId = null, trace_id: traceId = null } = payload;
    if (key === undefined)
      return { outcome: 'accepted_no_project', answer: { postId: null, traceId, queuedTargets: 0 } };
    const { endpoint_id: endpointId, owner_id: ownerId } = endpoint;
    const data = { acceptedAt: this.clock.now(), endpointId, ownerId, key, externalId, traceId, bodyHash, request };
    return this.claim(seen, newId('post'), { type: 'PassPostOver', data }, origin, condition);
  }

  private claim(
    seen: KeysSeen,
    postId: string,
    command: Acceptance,
    origin: Origin,
    condition: AppendCondition | null,
  ): Promise<AcceptPostResult> {
    return this.claims.claim(seen, postId, command, origin, condition).then((claimed) => {
      if (claimed.outcome === 'replay') return claimed;
      const outcome = command.type === 'AcceptPost' ? 'accepted' : 'accepted_no_project';
      return { outcome, answer: claimed.answered.answer };
    });
  }

  /**
   * D-42: an event may be 1 MiB, so what is larger is written in parts first. It is for what is merely heavy as well:
   * whoever reads the event, and there are many, is spared the payload.
   */
  private async store(
    postId: string,
    payload: PublishPayload,
    origin: Origin,
  ): Promise<Pick<PostAccepted['data'], 'payload' | 'parts'>> {
    await nextTurn();
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length <= HEAVY_BYTES) return { payload, parts: null };
    const stream = payloadStream(postId);
    const at = this.clock.now();
    let after = nothingYet({ initial: null });
    let count = 0;
    for (let from = 0; from < bytes.length; from += PART_BYTES, count++) {
      await nextTurn();
      const chunk = bytes.subarray(from, from + PART_BYTES).toString('base64');
      const part: PayloadPartStored = { type: 'PayloadPartStored', data: { postId, index: count, chunk } };
      const encoded = this.streams.encode(stream, [part], after, execution(origin, `part ${count}`, at));
      const { revision, position } = await this.streams.appendSurely(stream, after.revision, encoded.events);
      after = { state: null, revision, position, hash: encoded.hash };
    }
    return { payload: null, parts: { count, sha256: hash('sha256', bytes) } };
  }
}

/** Of these channels those that are enabled, each once: the project that stands first decides (D-27). */
const targetsOf = (projects: readonly AccessProject[], channelIds: readonly string[]): Target[] => {
  const left = new Set(channelIds);
  const targets: Target[] = [];
  for (const { project_id: projectId, channels } of projects) {
    for (const { channel_id: channelId, platform, enabled } of channels) {
      if (!enabled || !left.delete(channelId)) continue;
      targets.push({ publicationId: newId('pub'), channelId, platform, projectId });
    }
  }
  return targets;
};
