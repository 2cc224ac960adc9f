import type { NewEvent } from './port.js';

/**
 * Size at which a page or a batch of events ends, in bytes: the event that reaches it is the last. With a bound on their
 * number only, 500 events could hold half a gigabyte.
 */
export const MAX_PAGE_BYTES = 2 * 1_048_576;

type Sized = Pick<NewEvent, 'data' | 'metadata'>;

/** Returns an event's size in bytes, as pages count it. */
export const countBytes = ({ data, metadata }: Sized): number => Buffer.byteLength(data) + Buffer.byteLength(metadata);

/** Returns the first events, up to a number and to {@link MAX_PAGE_BYTES}. */
export const takePage = <E extends Sized>(events: readonly E[], limit: number): E[] => {
  let bytes = 0;
  const last = events.findIndex((event, i) => i + 1 >= limit || (bytes += countBytes(event)) >= MAX_PAGE_BYTES);
  return last < 0 ? [...events] : events.slice(0, last + 1);
};

/** True if a page has reached one of its bounds, so that more events may follow. */
export const isFullPage = (page: readonly Sized[], limit: number): boolean =>
  page.length >= limit || page.reduce((bytes, event) => bytes + countBytes(event), 0) >= MAX_PAGE_BYTES;
