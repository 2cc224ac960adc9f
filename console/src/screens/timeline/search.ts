import { readText } from '../../app/search.js';

/** Time spans that the lanes can show. */
export const SPANS = ['15min', '2h', 'day', 'week'] as const;
export type Span = (typeof SPANS)[number];

/** The timeline's filters and time span, as they appear in the address bar. */
export interface TimelineSearch {
  /** Publication state to show; all states if absent. */
  readonly state?: string;
  readonly channel?: string;
  readonly project?: string;
  readonly platform?: string;
  /** Time span of the lanes; two hours if absent. */
  readonly span?: Span;
  /** Time in the middle of the lanes and at the top of the post list (ISO 8601); now if absent. */
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
