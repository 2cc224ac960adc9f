import type { Position, StoredEvent } from './port.js';

/** Returns the index of the first event after a position. The events must be in log order. */
export const indexAfter = (events: readonly StoredEvent[], position: Position): number => {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (events[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
};
