import { readText } from '../../app/search.js';

/** Lengths of time that the lanes can show. */
export const SPANS = ['15min', '2h', 'day', 'week'] as const;
export type Span = (typeof SPANS)[number];

/** The filters and the period of the timeline, as they appear in the address bar. */
export interface TimelineSearch {
  /** State of a publication; all states if absent. */
  readonly state?: string;
  readonly channel?: string;
  readonly project?: string;
  readonly platform?: string;
  /** Length of time that the lanes show; two hours if absent. */
  readonly span?: Span;
  /** Time in the middle of the lanes; the list of posts ends there too (ISO 8601). Now if absent. */
  readonly at?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readTimelineSearch = (search: Readonly<Record<string, unknown>>): TimelineSearch => {
  const { at, ...filters } = readText(search, ['state', 'channel', 'project', 'platform', 'at']);
  const span = SPANS.find((each) => each === search.span);
  return {
    ...filters,
    ...(span && { span }),
    ...(at !== undefined && !Number.isNaN(Date.parse(at)) && { at: new Date(at).toISOString() }),
  };
};
