import { type Decider, never } from '../../kernel/decider.js';
import type { Instant } from '../../kernel/instant.js';
import { reject } from '../../kernel/result.js';
import type { Place, PostAccepted, PostEvent, PostKeyReserved, PostSkipped } from './post.events.js';

/** What can be asked of the stream of an idempotency key. */
export type PostCommand =
  | { readonly type: 'AcceptPost'; readonly data: PostAccepted['data'] }
  | { readonly type: 'PassPostOver'; readonly data: PostSkipped['data'] }
  | { readonly type: 'ReservePostKey'; readonly data: PostKeyReserved['data'] };

/** What the last event of a key's stream says. */
export type PostState = null | Answered | Reserved;

/** A post was answered, and claims these keys. */
export interface Answered {
  readonly at: Instant;
  readonly keys: readonly string[];
  readonly bodyHash: string;
  readonly answer: PostAnswer;
}

/** The key shares the fate that is decided at another place. */
export interface Reserved {
  readonly place: Place;
}

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

/** The keys that a request claims (D-19): the header, and `external_id` beside it or in its place. */
export const claimedKeys = ({
  key,
  externalId,
}: {
  readonly key: string | null;
  readonly externalId: string | null;
}): string[] => {
  if (externalId === null || externalId === key) return key === null ? [] : [key];
  return key === null ? [externalId] : [key, externalId];
};

/**
 * The stream of one idempotency key of one endpoint, or of one post without a key: claim, acceptance and stored answer
 * are one event (D-19). After 24 hours the key may take another post. That a reservation leads nowhere any more is seen
 * in another stream (see standing.ts): who writes after one has looked there.
 */
export const post: Decider<PostCommand, PostState, PostEvent, 'replay'> = {
  category: 'post',
  initial: null,

  decide(command, state) {
    switch (command.type) {
      case 'AcceptPost':
        return isReplay(command.data, state) ? REPLAY : [{ type: 'PostAccepted', data: command.data }];
      case 'PassPostOver':
        return isReplay(command.data, state) ? REPLAY : [{ type: 'PostSkipped', data: command.data }];
      case 'ReservePostKey':
        return [{ type: 'PostKeyReserved', data: command.data }];
      default:
        return never(command);
    }
  },

  evolve(_, event) {
    switch (event.type) {
      case 'PostAccepted': {
        const { postId, traceId, targets, bodyHash, acceptedAt: at } = event.data;
        const answer = { postId, traceId, queuedTargets: targets.length };
        return { at, keys: claimedKeys(event.data), bodyHash, answer };
      }
      case 'PostSkipped': {
        const { traceId, bodyHash, acceptedAt: at } = event.data;
        const answer = { postId: null, traceId, queuedTargets: 0 };
        return { at, keys: claimedKeys(event.data), bodyHash, answer };
      }
      case 'PostKeyReserved':
        return { place: event.data.place };
      default:
        return never(event);
    }
  },
};

const REPLAY = reject('replay', 'This key was used within the last 24 hours.');

const isReplay = (data: PostAccepted['data'] | PostSkipped['data'], state: PostState): boolean =>
  state !== null &&
  'keys' in state &&
  keyIsTaken(state.at, data.acceptedAt) &&
  claimedKeys(data).some((key) => state.keys.includes(key));
