import type { PublicationError, PublicationEvent } from '../../domain/publication/publication.events.js';
import { MAX_ATTEMPTS } from '../../domain/publication/retry-limits.js';
import { type EventCodec, isDamaged } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';

/** The latest attempt of an unfinished publication, which explains why it is waiting (D-36). */
export interface LastAttempt {
  /** Starts at 1. Counts only attempts that D-20 limits, not attempts that the network asked to repeat later. */
  readonly number: number;
  /** Maximum number of attempts (D-20). */
  readonly of: number;
  readonly isUnderWay: boolean;
  /**
   * The error of the latest finished attempt, with the response of the network or media host; null if there is none.
   */
  readonly error: PublicationError | null;
}

/** Maximum number of events to read: more than D-20 allows, even with day-long waits. */
const MAX_EVENTS = 2_000;

/** Reads a publication's latest attempt; null if there is none, or events are damaged (ADR-111). @throws Unavailable */
export const readLastAttempt = async (
  store: EventStore,
  codec: EventCodec,
  publicationId: string,
): Promise<LastAttempt | null> => {
  const stored = await store.readStream(`publication-${publicationId}`, { direction: 'backwards', limit: MAX_EVENTS });
  try {
    const events: readonly unknown[] = stored.toReversed().map((event) => codec.decode<PublicationEvent>(event));
    return findLastAttempt(events as readonly PublicationEvent[]);
  } catch (error) {
    if (isDamaged(error)) return null;
    throw error;
  }
};

/** Finds the latest attempt in a publication's events; null if there was none since it was queued. */
export const findLastAttempt = (events: readonly PublicationEvent[]): LastAttempt | null => {
  let failures = 0;
  let last: { isUnderWay: boolean; isFailed: boolean } | null = null;
  let error: PublicationError | null = null;
  for (const { type, data } of events) {
    if (type === 'PublicationStarted') last = { isUnderWay: true, isFailed: false };
    else if (type === 'PublicationPostponed') {
      const isFailed = data.rule === 'retry';
      if (isFailed) failures += 1;
      last = { isUnderWay: false, isFailed };
      error = data.error;
    } else if (type === 'PublicationResent' || type === 'PublicationHeld') {
      // The D-20 counters start over.
      failures = 0;
      last = null;
      error = null;
    }
  }
  if (!last) return null;
  const { isUnderWay, isFailed } = last;
  const number = Math.min(isFailed ? failures : failures + 1, MAX_ATTEMPTS);
  return { number, of: MAX_ATTEMPTS, isUnderWay, error };
};
