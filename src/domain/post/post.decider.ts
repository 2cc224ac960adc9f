import { type Decider, never } from '../../kernel/decider.js';
import type { Instant } from '../../kernel/instant.js';
import { reject } from '../../kernel/result.js';
import type { PostAccepted, PostEvent, PostPassedOver } from './post.events.js';

export type PostCommand =
  | ({ readonly type: 'AcceptPost' } & PostAccepted['data'])
  | ({ readonly type: 'PassPostOver' } & PostPassedOver['data']);

/** What was answered under this key, and when. */
export type PostState = null | {
  readonly at: Instant;
  readonly bodyHash: string;
  readonly answer: PostAnswer;
};

/** What the stored answer is made of (D-10); the same for the first answer and for every replay (D-9). */
export interface PostAnswer {
  readonly postId: string | null;
  readonly traceId: string | null;
  readonly queuedTargets: number;
}

/** Spec: Limits, idempotency cache. */
export const KEY_LIFETIME_MS = 24 * 3_600_000;

/** True while a key that was used at `usedAt` still names its post. */
export const keyIsTaken = (usedAt: Instant, at: Instant): boolean => at < usedAt + KEY_LIFETIME_MS;

/**
 * The stream of one idempotency key of one endpoint, or of one post without a key: claim, acceptance and stored answer
 * are one event (D-19). After 24 hours the key may take another post.
 */
export const post: Decider<PostCommand, PostState, PostEvent, 'replay'> = {
  category: 'post',
  initial: null,

  decide(command, state) {
    if (state && keyIsTaken(state.at, command.acceptedAt))
      return reject('replay', 'This key was used within the last 24 hours.');
    switch (command.type) {
      case 'AcceptPost': {
        const { type: _, ...data } = command;
        return [{ type: 'PostAccepted', data }];
      }
      case 'PassPostOver': {
        const { type: _, ...data } = command;
        return [{ type: 'PostPassedOver', data }];
      }
      default:
        return never(command);
    }
  },

  evolve(_, event) {
    switch (event.type) {
      case 'PostAccepted': {
        const { postId, traceId, targets, bodyHash, acceptedAt: at } = event.data;
        return { at, bodyHash, answer: { postId, traceId, queuedTargets: targets.length } };
      }
      case 'PostPassedOver': {
        const { traceId, bodyHash, acceptedAt: at } = event.data;
        return { at, bodyHash, answer: { postId: null, traceId, queuedTargets: 0 } };
      }
      default:
        return never(event);
    }
  },
};
