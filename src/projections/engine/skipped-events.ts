import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';
import { type ProjectionEvent, projectionStream } from '../../domain/projection/projection.events.js';

/** Reads the ids of the events that operators have skipped. @throws Unavailable */
export const readSkippedEvents = async (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  name: string,
): Promise<ReadonlySet<string>> => {
  const events = await store.readStream(projectionStream(name));
  const skipped = new Set<string>();
  for (const stored of events) {
    if (stored.type !== 'ProjectionEventSkipped') continue;
    const { data } = codec.decode<ProjectionEvent & { readonly type: 'ProjectionEventSkipped' }>(stored);
    skipped.add(data.eventId);
  }
  return skipped;
};
