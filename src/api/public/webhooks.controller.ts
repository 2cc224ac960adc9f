import { Controller, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptPost, type AcceptPostResult } from '../../commands/post/accept-post.js';
import type { Replay } from '../../commands/post/key-claims.js';
import { originOfRequest } from '../../commands/origin.js';
import { ConditionFailed } from '../../event-store/port.js';
import { iso } from '../../kernel/instant.js';
import type { NewPost } from './gate/admitted-requests.js';
import { Gate } from './gate/gate.js';
import { measureLatency, type RequestLogEntry, readUserAgent } from './gate/request-log-entry.js';
import type { ParsedPost } from './gate/parsed-post.js';
import { measureBody } from '../transport/raw-body.js';
import { PublishView } from './publish.view.js';
import { PublishPayloadDto } from '../../payload/payload.dto.js';
import { Documented } from '../documentation/documented.js';

/** The route as the request log shows it. A constant: reading it from the framework would allocate an object per request. */
const PUBLISH = 'POST /v1/webhooks/{slug}';

/** Publishes posts (publish-api.md: POST /v1/webhooks/{slug}). */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly gate: Gate,
    private readonly commands: CommandBus,
  ) {}

  @Documented({
    summary: 'Publish a post',
    body: PublishPayloadDto,
    answer: PublishView,
    alsoAnswers: { 202: 'The stored answer to an earlier request with the same key' },
    codes: { 402: ['quota_exhausted'], 422: ['invalid_targets'], 429: ['probe_budget'] },
  })
  @Post(':slug')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const admitted = await this.gate.admitPost(request, slug);
    const { post } = admitted;
    const result: AcceptPostResult = admitted.replay
      ? { outcome: 'replay', replay: admitted.replay }
      : await this.accept(request, admitted);
    recordResult(request.logEntry!, result, post);
    if (result.outcome !== 'replay') return void reply.send(serializeAnswer(result.answer));
    void reply.code(202);
    if (isMismatch(result.replay, post)) void reply.header('idempotency-payload-mismatch', 'true');
    void reply.send(serializeAnswer(result.replay.answer));
  }

  /**
   * Accepts a post. A post that is not accepted, because another request with its key came first or the store is unavailable,
   * gets its rate-limit tokens back.
   */
  private async accept(request: FastifyRequest, newPost: NewPost): Promise<AcceptPostResult> {
    let result: AcceptPostResult | null = null;
    try {
      result = await this.executeAcceptPost(request, newPost);
      if (result.outcome === 'replay') await this.gate.admitReplay(newPost);
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const readmitted = await this.gate.readmitPost(newPost);
      if (readmitted.replay) return { outcome: 'replay', replay: readmitted.replay };
      return await this.accept(request, readmitted);
    } finally {
      if (result === null || result.outcome === 'replay') await this.gate.releaseTokens(newPost);
    }
  }

  private executeAcceptPost(request: FastifyRequest, newPost: NewPost): Promise<AcceptPostResult> {
    const { endpoint, payload, channelIds, knownKeys, post, condition } = newPost;
    const facts = {
      ip: request.clientAddress,
      userAgent: readUserAgent(request),
      route: PUBLISH,
      payloadBytes: measureBody(request),
      latencyMs: measureLatency(request),
    };
    const origin = originOfRequest(`endpoint:${endpoint.endpoint_id}`, request);
    return this.commands.execute(
      new AcceptPost(endpoint, payload, channelIds, knownKeys, post.bodyHash, facts, origin, condition),
    );
  }
}

/** Serializes an answer: the same answer always has the same bytes (D-9, D-10). */
const serializeAnswer = (answer: Replay['answer']): string => JSON.stringify(new PublishView(answer));

/** True if another payload was sent with a known key (D-19). */
const isMismatch = (replay: Replay, post: ParsedPost): boolean => replay.bodyHash !== post.bodyHash;

/** Adds the result of a request to its log entry. */
const recordResult = (logEntry: RequestLogEntry, result: AcceptPostResult, post: ParsedPost): void => {
  if (result.outcome !== 'replay') {
    logEntry.decision = result.outcome;
    logEntry.postId = result.answer.postId;
    // The event of a post, or of a key, stores the log entry.
    logEntry.isStored = result.outcome === 'accepted' || post.keys.length > 0;
    return;
  }
  const { answer, eventId, at, keys } = result.replay;
  const mismatch = isMismatch(result.replay, post);
  logEntry.decision = 'accepted_idempotent_replay';
  logEntry.reason = mismatch ? 'payload_mismatch' : null;
  const figures = { keys, first_at: iso(at), payload_mismatch: mismatch };
  logEntry.why = { rule: 'idempotency_key', figures, event_id: eventId };
  logEntry.postId = answer.postId;
};
