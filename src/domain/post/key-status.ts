import type { Instant } from '../../kernel/clock.js';
import type { KeyClaim, PostState } from './post.decider.js';
import type { Place } from './post.events.js';

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
