import type { EventCodec } from './codec.js';
import { isFullPage } from './page-size.js';
import type { EventStore, Position, StoredEvent } from './port.js';

/** Distance from a position to the end of the log. */
export interface Lag {
  /** Number of events after the position; from 1,000 on, the difference between the positions, but at least 1,000. */
  readonly lagEvents: number;
  /** Age of the oldest event after the position, in seconds; 0 if there is none. */
  readonly lagSeconds: number;
}

/** Maximum number of events that are counted individually. */
const COUNTED = 1_000;
const NONE: Lag = { lagEvents: 0, lagSeconds: 0 };

/**
 * Reads how far a position is behind the end of the log.
 * @param head position of the newest event
 * @throws Unavailable
 */
export const readLag = async (
  store: Pick<EventStore, 'readAll'>,
  codec: EventCodec,
  position: Position,
  head: Position,
): Promise<Lag> => {
  if (position >= head) return NONE;
  let [count, at]: [number, number | null] = [0, null];
  for (let after = position; count < COUNTED;) {
    const limit = COUNTED - count;
    const page = await store.readAll({ after, limit });
    count += page.length;
    at ??= page.map((event) => readTime(codec, event)).find((time) => time !== null) ?? null;
    if (!isFullPage(page, limit)) break;
    after = page.at(-1)!.position;
  }
  if (count === 0) return NONE;
  const lagEvents = count < COUNTED ? count : Math.max(COUNTED, Number(head - position));
  at ??= Date.now();
  return { lagEvents, lagSeconds: Math.max(0, Math.round((Date.now() - at) / 1_000)) };
};

/** Reads the time of an event; null if its envelope is damaged. */
const readTime = (codec: EventCodec, event: StoredEvent): number | null => {
  try {
    const { at } = codec.readEnvelope(event);
    return Number.isFinite(at) ? at : null;
  } catch {
    return null;
  }
};
