import { projectionStream } from '../../domain/projection/projection.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';
import { readSkippedIds } from '../../event-store/store-records.js';

/** Reads the ids of the events that operators have skipped for a projection. @throws Unavailable */
export const readSkippedEvents = (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  name: string,
): Promise<ReadonlySet<string>> =>
  readSkippedIds(store, codec, { stream: projectionStream(name), type: 'ProjectionEventSkipped' });
