import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptPost, type AcceptPostResult } from '../../commands/post/accept-post.js';
import type { Replay } from '../../commands/post/key-claims.js';
import { originOfRequest } from '../../commands/origin.js';
import { ConditionFailed } from '../../event-store/port.js';
import { iso } from '../../kernel/instant.js';
import { measureBody } from '../transport/raw-body.js';
import type { NewPost } from './gate/admitted-requests.js';
import type { ManagedEndpoint } from './gate/gate-request.js';
import { Gate } from './gate/gate.js';
import type { ParsedPost } from './gate/parsed-post.js';
import { measureLatency, readRoute, readUserAgent, type RequestLogEntry } from './gate/request-log-entry.js';
import { PublishView } from './publish.view.js';

/** The clients' route as the request log shows it. A constant: reading it from the framework would allocate an object per request. */
const PUBLISH = 'POST /v1/webhooks/{slug}';

/** Accepts posts that pass the gate, and answers (publish-api.md: POST /v1/webhooks/{slug}). */
@Injectable()
export class PostReceiver {
  constructor(
    private readonly gate: Gate,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Answers a request to publish a post.
   * @param to the slug that the request's path names, or the endpoint that a management key may use
   * @throws GateRejection
   */
  async receive(request: FastifyRequest, reply: FastifyReply, to: string | ManagedEndpoint): Promise<void> {
    const admitted = await this.gate.admitPost(request, to);
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
    const { sender } = newPost.gateRequest;
    const facts = {
      ip: request.clientAddress,
      userAgent: readUserAgent(request),
      route: sender === null ? PUBLISH : readRoute(request),
      payloadBytes: measureBody(request),
      latencyMs: measureLatency(request),
    };
    const origin = originOfRequest(sender ?? `endpoint:${endpoint.endpoint_id}`, request);
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
