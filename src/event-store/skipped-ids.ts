import type { EventCodec } from './codec.js';
import type { EventStore } from './port.js';

/**
 * Reads the ids of the events that operators have skipped.
 * @param from the stream that holds operators' decisions, and the event type of a decision to skip
 * @throws Unavailable
 */
export const readSkippedIds = async (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  from: { readonly stream: string; readonly type: string },
): Promise<ReadonlySet<string>> => {
  const decisions = (await store.readStream(from.stream)).filter(({ type }) => type === from.type);
  return new Set(decisions.map((stored) => (codec.decode(stored).data as { readonly eventId: string }).eventId));
};
