import type { Batch, StoredEvent } from '../../event-store/port.js';

/** Maximum size of the events that are applied in one transaction ({@link sizeOf}); a single event may be larger. */
const MAX_SIZE = 4_000_000;

/** Size of a target in an event that lists it, in characters. */
const TARGET_SIZE = 180;
/** Finds how many targets an event queues without listing them. */
const TARGET_COUNT = /"targetCount":(\d+)/;

/** Returns a measure of the work and memory that an event takes: its characters, and those of targets that it implies. */
export const sizeOf = ({ type, data, metadata }: StoredEvent): number => {
  const implied = type === 'PostReleased' ? Number(TARGET_COUNT.exec(data)?.[1] ?? 0) * TARGET_SIZE : 0;
  return data.length + metadata.length + implied;
};

/** Divides large batches, so that each transaction is small. Only the last part of a batch can be live. */
export async function* divideBatches(batches: AsyncIterable<Batch>): AsyncIterable<Batch> {
  for await (const { events, position, isLive } of batches) {
    let from = 0;
    let size = 0;
    for (const [i, event] of events.entries()) {
      const next = sizeOf(event);
      if (i > from && size + next > MAX_SIZE) {
        yield { events: events.slice(from, i), position: events[i - 1]!.position, isLive: false };
        [from, size] = [i, 0];
      }
      size += next;
    }
    yield { events: from === 0 ? events : events.slice(from), position, isLive };
  }
}
