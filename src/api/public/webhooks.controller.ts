import { Controller, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptPost, type AcceptPostResult } from '../../commands/post/accept-post.js';
import type { Replay } from '../../commands/post/key-claims.js';
import { originOfRequest } from '../../commands/origin.js';
import { ConditionFailed } from '../../event-store/port.js';
import { iso } from '../../kernel/instant.js';
import { Gate, type NewPost } from './gate/gate.js';
import { latencyOf, type RequestNotes, userAgentOf } from './gate/request-notes.js';
import type { SentPost } from './gate/parsed-post.js';
import { bodySizeOf } from '../transport/raw-body.js';

/** The route as the request log shows it, known here: the framework would make an object to tell it. */
const PUBLISH = 'POST /v1/webhooks/{slug}';

/** Publishing (publish-api.md: POST /v1/webhooks/{slug}). */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly gate: Gate,
    private readonly commands: CommandBus,
  ) {}

  @Post(':slug')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const admitted = await this.gate.admitPost(request, slug);
    const { sent } = admitted;
    const result: AcceptPostResult = admitted.replay
      ? { outcome: 'replay', replay: admitted.replay }
      : await this.accept(request, admitted);
    note(request.notes!, result, sent);
    if (result.outcome !== 'replay') return void reply.send(bodyOf(result.answer));
    void reply.code(202);
    if (isMismatch(result.replay, sent)) void reply.header('idempotency-payload-mismatch', 'true');
    void reply.send(bodyOf(result.replay.answer));
  }

  /** What is not accepted after all, because another was quicker or the store is away, has used nothing up. */
  private async accept(request: FastifyRequest, post: NewPost): Promise<AcceptPostResult> {
    let result: AcceptPostResult | null = null;
    try {
      result = await this.carryOut(request, post);
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const again = await this.gate.readmit(post);
      return again.replay ? { outcome: 'replay', replay: again.replay } : await this.accept(request, again);
    } finally {
      if (result === null || result.outcome === 'replay') await this.gate.giveBack(post);
    }
  }

  private carryOut(request: FastifyRequest, post: NewPost): Promise<AcceptPostResult> {
    const { endpoint, payload, channelIds, seen, sent, condition } = post;
    const facts = {
      ip: request.clientAddress,
      userAgent: userAgentOf(request),
      route: PUBLISH,
      payloadBytes: bodySizeOf(request),
      latencyMs: latencyOf(request),
    };
    const origin = originOfRequest(`endpoint:${endpoint.endpoint_id}`, request.id);
    return this.commands.execute(
      new AcceptPost(endpoint, payload, channelIds, seen, sent.bodyHash, facts, origin, condition),
    );
  }
}

/** D-10; of the same answer always the same bytes (D-9). */
const bodyOf = ({ postId, traceId, queuedTargets }: Replay['answer']): string =>
  JSON.stringify({ ok: true, id: postId, trace_id: traceId, queued_targets: queuedTargets });

/** Another payload under a known key (D-19). */
const isMismatch = (replay: Replay, sent: SentPost): boolean => replay.bodyHash !== sent.bodyHash;

const note = (notes: RequestNotes, result: AcceptPostResult, sent: SentPost): void => {
  if (result.outcome !== 'replay') {
    notes.decision = result.outcome;
    notes.postId = result.answer.postId;
    // Accepted under a key or with a post, the request is told of by the event itself.
    notes.isStored = result.outcome === 'accepted' || sent.keys.length > 0;
    return;
  }
  const { answer, eventId, at, keys } = result.replay;
  const mismatch = isMismatch(result.replay, sent);
  notes.decision = 'accepted_idempotent_replay';
  notes.reason = mismatch ? 'payload_mismatch' : null;
  const figures = { keys, first_at: iso(at), payload_mismatch: mismatch };
  notes.why = { rule: 'idempotency_key', figures, event_id: eventId };
  notes.postId = answer.postId;
};
