import { readText } from '../../app/search.js';

/** The moments of the time machine, as they stand in its address. */
export interface TimeSearch {
  /** ISO 8601; now if absent. */
  readonly at?: string;
  /** ISO 8601: the moment that `at` is compared with. */
  readonly from?: string;
  /** Id of the event that is open. */
  readonly event?: string;
}

/** Reads the address; ignores what it does not know. */
export const readTimeSearch = (search: Readonly<Record<string, unknown>>): TimeSearch =>
  readText(search, ['at', 'from', 'event']);
