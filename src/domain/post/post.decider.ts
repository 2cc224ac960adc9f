import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { reject } from '../../kernel/result.js';
import { STATE_MESSAGES } from '../messages.js';
import {
  isPlanned,
  type KeyEvent,
  type Place,
  type PostAccepted,
  type PostApprovalRequested,
  type PostKeyReserved,
  type PostSkipped,
} from './post.events.js';

/** How long a key stays taken after a post has claimed it (publish-api.md: Limits), in ms. */
export const KEY_LIFETIME_MS = 24 * 3_600_000;

/** True if a key that was used at `usedAt` is still taken at `at`. */
export const isKeyTaken = (usedAt: Instant, at: Instant): boolean => at < usedAt + KEY_LIFETIME_MS;

/** The status of an idempotency key. */
export type KeyStatus =
  /** A post claimed the key within the last {@link KEY_LIFETIME_MS}: another request with it is a replay. */
  | { readonly kind: 'taken'; readonly by: KeyClaim }
  /** The next event in the key's own stream can claim or reserve it. */
  | { readonly kind: 'free' }
  /** The key is reserved for an event that has not been written yet; only that event can claim it. */
  | { readonly kind: 'reserved' };

/**
 * Resolves the status of a key.
 * @param own state of the key's stream
 * @param there only used if `own` is a reservation: state set by the event at the reserved place, or `unwritten` if
 * there is no event there yet
 */
export const resolveKeyStatus = (
  key: string,
  own: PostState,
  there: PostState | 'unwritten',
  at: Instant,
): KeyStatus => {
  const decided = own !== null && 'place' in own ? there : own;
  if (decided === 'unwritten') return { kind: 'reserved' };
  const isTaken = decided !== null && 'keys' in decided && decided.keys.includes(key) && isKeyTaken(decided.at, at);
  return isTaken ? { kind: 'taken', by: decided } : { kind: 'free' };
};

/** One of a request's keys. `place`: where the event that decides the key's status will go; null if already decided. */
export interface RequestKey<P extends Place> {
  readonly status: KeyStatus;
  readonly place: P | null;
}

/** The next step towards accepting a request. */
export type ClaimStep<P extends Place> =
  | { readonly kind: 'replay' }
  /** Write a reservation at `at`; the event at `to` then decides whether its key is taken. */
  | { readonly kind: 'reserve'; readonly at: P; readonly to: P }
  | { readonly kind: 'accept'; readonly at: P }
  /** The keys were read inconsistently: an event was appended between the reads. */
  | { readonly kind: 'reread' };

/**
 * Chooses the next step towards accepting a request (D-19). The request's keys are reserved until a single place
 * decides all of them: the place whose stream sorts first. A reservation only names a stream that sorts earlier, so
 * requests with crossed keys converge on one place. This cannot livelock: between two acceptances, a stream can be
 * reserved at most once for each stream before it, and a request loses a place only when another request makes
 * progress.
 * @param keys at least one
 */
export const chooseClaimStep = <P extends Place>(keys: readonly RequestKey<P>[]): ClaimStep<P> => {
  const places: P[] = [];
  for (const { status, place } of keys) {
    if (status.kind === 'taken') return { kind: 'replay' };
    places.push(place!);
  }
  const first = places.reduce((lowest, place) => (place.stream < lowest.stream ? place : lowest));
  const other = places.find(({ stream, revision }) => stream !== first.stream || revision !== first.revision);
  if (!other) return { kind: 'accept', at: first };
  return other.stream === first.stream ? { kind: 'reread' } : { kind: 'reserve', at: other, to: first };
};

/** Commands to the stream of an idempotency key. */
export type PostCommand =
  | { readonly type: 'AcceptPost'; readonly data: PostAccepted['data'] }
  | { readonly type: 'SkipPost'; readonly data: PostSkipped['data'] }
  | { readonly type: 'ReservePostKey'; readonly data: PostKeyReserved['data'] };

/** State of a key's stream, as set by the last event that affects the key; null if the stream is empty. */
export type PostState = null | KeyClaim | KeyReservation;

/** An accepted or skipped post's claim to its keys. */
export interface KeyClaim {
  readonly at: Instant;
  readonly keys: readonly string[];
  /** Null once it is erased (D-100): no payload equals it. */
  readonly bodyHash: string | null;
  readonly answer: PostAnswer;
}

/** A key reservation: an event at another place decides whether the key is taken. */
export interface KeyReservation {
  readonly place: Place;
}

/** Contents of the stored response (D-10), the same for the first response and every replay (D-9). */
export interface PostAnswer {
  readonly postId: string | null;
  readonly traceId: string | null;
  readonly queuedTargets: number;
  /** Absent unless the post is planned. */
  readonly planned?: { readonly publishAt: Instant | null };
}

/** Lists the keys that a request claims (D-19): the header's key, `external_id`, or both. */
export const listClaimedKeys = ({ key, externalId }: Pick<PostAccepted['data'], 'key' | 'externalId'>): string[] => {
  if (externalId === null || externalId === key) return key === null ? [] : [key];
  return key === null ? [externalId] : [key, externalId];
};

/**
 * An endpoint's idempotency key, or a post without a key. Claim, acceptance and stored response are one event (D-19).
 * After 24 hours, the key may be used for another post. Another stream decides whether a reservation is still valid
 * (see `resolveKeyStatus`), so writers read that stream before they append after a reservation.
 */
export const post: Decider<PostCommand, PostState, KeyEvent | PostApprovalRequested, 'replay'> = {
  category: 'post',
  initial: null,

  decide(command, state) {
    switch (command.type) {
      case 'AcceptPost':
        return isReplay(command.data, state) ? REPLAY : acceptPost(command.data);
      case 'SkipPost':
        return isReplay(command.data, state) ? REPLAY : [{ type: 'PostSkipped', data: command.data }];
      case 'ReservePostKey':
        return [{ type: 'PostKeyReserved', data: command.data }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'PostAccepted': {
        const { postId, traceId, targets, bodyHash, acceptedAt: at } = event.data;
        const accepted = { postId, traceId, queuedTargets: targets.length };
        const answer = isPlanned(event.data)
          ? { ...accepted, planned: { publishAt: event.data.plan!.publishAt } }
          : accepted;
        return { at, keys: listClaimedKeys(event.data), bodyHash, answer };
      }
      case 'PostSkipped': {
        const { traceId, bodyHash, acceptedAt: at } = event.data;
        const answer = { postId: null, traceId, queuedTargets: 0 };
        return { at, keys: listClaimedKeys(event.data), bodyHash, answer };
      }
      case 'PostKeyReserved':
        return { place: event.data.place };
      case 'PostApprovalRequested':
        return state;
      default:
        return assertNever(event);
    }
  },
};

/** Accepts a post. If it must be approved, the same append requests the approval. */
const acceptPost = (data: PostAccepted['data']): readonly (PostAccepted | PostApprovalRequested)[] => {
  const accepted: PostAccepted = { type: 'PostAccepted', data };
  if (!data.plan?.requiresApproval) return [accepted];
  const { postId, endpointId, ownerId, acceptedAt: at, plan } = data;
  const request = { postId, endpointId, ownerId, at, publishAt: plan.publishAt };
  return [accepted, { type: 'PostApprovalRequested', data: request }];
};

const REPLAY = reject('replay', STATE_MESSAGES.keyUsed);

const isReplay = (data: PostAccepted['data'] | PostSkipped['data'], state: PostState): boolean =>
  state !== null &&
  'keys' in state &&
  isKeyTaken(state.at, data.acceptedAt) &&
  listClaimedKeys(data).some((key) => state.keys.includes(key));
