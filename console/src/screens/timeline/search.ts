import { readText } from '../../app/search.js';

/** The filters of the timeline, as they stand in its address. */
export interface TimelineSearch {
  /** State of a publication; all states if absent. */
  readonly state?: string;
  readonly channel?: string;
  readonly project?: string;
  readonly platform?: string;
}

/** Reads the address; ignores what it does not know. */
export const readTimelineSearch = (search: Readonly<Record<string, unknown>>): TimelineSearch =>
  readText(search, ['state', 'channel', 'project', 'platform']);
