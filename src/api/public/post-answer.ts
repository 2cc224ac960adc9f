import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Replay } from '../../commands/post/key-claims.js';
import { iso } from '../../kernel/instant.js';
import type { AnsweredPost, ReceivedPost } from './gate/gate.js';
import type { ParsedPost } from './gate/parsed-post.js';
import type { RequestLogEntry } from './gate/request-log-entry.js';
import { PublishView } from './publish.view.js';

/** Responds to a publish request and completes its log entry (publish-api.md: POST /v1/webhooks/{slug}). */
export const answerPost = (request: FastifyRequest, reply: FastifyReply, { post, result }: ReceivedPost): void => {
  recordResult(request.logEntry!, result, post);
  if (result.outcome !== 'replay') return void reply.send(serializeAnswer(result.answer));
  void reply.code(202);
  if (isMismatch(result.replay, post)) void reply.header('idempotency-payload-mismatch', 'true');
  void reply.send(serializeAnswer(result.replay.answer));
};

/** Serializes the response body. A replay must have the same bytes as the original (D-9, D-10). */
const serializeAnswer = (answer: Replay['answer']): string => JSON.stringify(new PublishView(answer));

/** True if a known key was sent with a different payload (D-19). */
const isMismatch = (replay: Replay, post: ParsedPost): boolean => replay.bodyHash !== post.bodyHash;

const recordResult = (logEntry: RequestLogEntry, result: AnsweredPost, post: ParsedPost): void => {
  if (result.outcome !== 'replay') {
    logEntry.decision = result.outcome;
    logEntry.postId = result.answer.postId;
    // The event that records the post or its keys also stores the log entry.
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
