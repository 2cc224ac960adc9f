import type { Instant } from '../../kernel/instant.js';
import { type Answered, keyIsTaken, type PostState } from './post.decider.js';
import type { Place } from './post.events.js';

/** Where an idempotency key stands. */
export type Standing =
  /** A post of the last 24 hours has claimed it: a request with it is a replay. */
  | { readonly kind: 'taken'; readonly by: Answered }
  /** What comes next in its own stream decides. */
  | { readonly kind: 'free' }
  /** What comes to stand at another place decides. */
  | { readonly kind: 'tied' };

/**
 * @param own what the last event of the key's stream says
 * @param there where that is a reservation: what the event at the place that it names says, `unwritten` where there is
 * none yet
 */
export const standingOf = (key: string, own: PostState, there: PostState | 'unwritten', at: Instant): Standing => {
  const decided = own !== null && 'place' in own ? there : own;
  if (decided === 'unwritten') return { kind: 'tied' };
  const isTaken = decided !== null && 'keys' in decided && decided.keys.includes(key) && keyIsTaken(decided.at, at);
  return isTaken ? { kind: 'taken', by: decided } : { kind: 'free' };
};

/** A key of a request, and the place where its fate is decided; null: it was. */
export interface KeyInHand<P extends Place> {
  readonly standing: Standing;
  readonly place: P | null;
}

/** What a request with these keys does next. */
export type Step<P extends Place> =
  | { readonly kind: 'replay' }
  /** Tie what is decided at `at` to what is decided at `to`. */
  | { readonly kind: 'reserve'; readonly at: P; readonly to: P }
  | { readonly kind: 'accept'; readonly at: P }
  /** What was read of the keys does not fit together: something was written between the reads. */
  | { readonly kind: 'look_again' };

/**
 * The way of a request to its acceptance (D-19). Its keys are tied together until one place decides for all of them: the
 * one whose stream sorts first. Ties lead to streams that sort earlier and nowhere else, so that requests with crossed
 * keys meet at one place instead of chasing each other: between two acceptances each stream can be tied only so many
 * times as there are streams before it, and whoever loses a place loses it to another's progress.
 *
 * @param keys at least one
 */
export const nextStep = <P extends Place>(keys: readonly KeyInHand<P>[]): Step<P> => {
  const places: P[] = [];
  for (const { standing, place } of keys) {
    if (standing.kind === 'taken') return { kind: 'replay' };
    places.push(place!);
  }
  const first = places.reduce((lowest, place) => (place.stream < lowest.stream ? place : lowest));
  const other = places.find(({ stream, revision }) => stream !== first.stream || revision !== first.revision);
  if (!other) return { kind: 'accept', at: first };
  return other.stream === first.stream ? { kind: 'look_again' } : { kind: 'reserve', at: other, to: first };
};
