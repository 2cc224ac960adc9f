import { readText } from '../../app/search.js';
import { isSpan, type Span } from './window.js';

/** The times of the time machine, as they appear in its address. */
export interface TimeSearch {
  /** ISO 8601; now if absent. */
  readonly at?: string;
  /** ISO 8601: the time that `at` is compared with. */
  readonly from?: string;
  /** Id of the event that is open. */
  readonly event?: string;
  /** Length of the window. */
  readonly span?: Span;
}

/** Reads the address; ignores unknown parts and invalid times. */
export const readTimeSearch = (search: Readonly<Record<string, unknown>>): TimeSearch => {
  const { at, from, event, span } = readText(search, ['at', 'from', 'event', 'span']);
  const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text));
  return {
    ...(isTime(at) && { at }),
    ...(isTime(from) && { from }),
    ...(event !== undefined && { event }),
    ...(isSpan(span) && { span }),
  };
};
