import { readText } from '../../app/search.js';
import { isSpan, type Span } from './window.js';

/** The state of the time machine, as it appears in the address bar. */
export interface TimeSearch {
  /** The selected moment, ISO 8601; now if absent. */
  readonly at?: string;
  /** The time to compare `at` with, ISO 8601. */
  readonly from?: string;
  /** Id of the event whose details are open. */
  readonly event?: string;
  /** Length of the window; six hours if absent. */
  readonly span?: Span;
}

/** Reads the URL; ignores unknown parameters and invalid times. */
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
