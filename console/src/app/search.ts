import { isSpan, type Span as TimeSpan } from '../screens/time/window.js';
import { isDay } from '../time/local-time.js';
/** Returns the listed query parameters that are not empty. Numbers become strings. */
export const readText = <K extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly K[],
): { readonly [N in K]?: string } => {
  const read: { [N in K]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') read[name] = value;
    if (typeof value === 'number') read[name] = String(value);
  }
  return read;
};

/** Options for a channel's screen, as they appear in the URL. */
export interface ChannelSearch {
  /** `1` if the pause form is open. */
  readonly pause?: string;
  /** `1` if the credentials form is open. */
  readonly credentials?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readChannelSearch = (search: Readonly<Record<string, unknown>>): ChannelSearch =>
  readText(search, ['pause', 'credentials']);

/** Where to go after connecting a channel, as it appears in the URL. */
export interface NewChannelSearch {
  /** `post` to return to Compose. */
  readonly for?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readNewChannelSearch = (search: Readonly<Record<string, unknown>>): NewChannelSearch =>
  readText(search, ['for']);

/** The filters of the list of channels, as they appear in the URL. */
export interface ChannelsSearch {
  /** A state from channels/channel-status.tsx; all states if absent. */
  readonly state?: string;
  readonly network?: string;
  /** Part of a name, a chat or a project. */
  readonly find?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readChannelsSearch = (search: Readonly<Record<string, unknown>>): ChannelsSearch =>
  readText(search, ['state', 'network', 'find']);

/** Options for Compose, as they appear in the address bar. */
export interface ComposeSearch {
  readonly endpoint?: string;
  /** The day to plan a post for: `2026-11-27`. */
  readonly day?: string;
  /** The time on that day: `14:00`. */
  readonly time?: string;
  /** Id of the planned post to edit. */
  readonly post?: string;
  /** Id of the post whose content a new draft begins with. */
  readonly again?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readComposeSearch = (search: Readonly<Record<string, unknown>>): ComposeSearch =>
  readText(search, ['endpoint', 'day', 'time', 'post', 'again']);

/** The calendar's view and first day, as they appear in the URL. */
export interface PlanSearch {
  /** The week view if absent. */
  readonly view?: 'month';
  /** The first day of the week, or a day of the month; today if absent. */
  readonly from?: string;
  /** Only posts for this set and on this network. */
  readonly project?: string;
  readonly platform?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readPlanSearch = (search: Readonly<Record<string, unknown>>): PlanSearch => {
  const { view, from, ...filter } = readText(search, ['view', 'from', 'project', 'platform']);
  return { ...(view === 'month' && { view }), ...(from !== undefined && isDay(from) && { from }), ...filter };
};

/** Request log options, as they appear in the address bar. */
export interface RequestsSearch {
  /** Id of the endpoint whose requests are shown. */
  readonly endpoint?: string;
  /** Type of response to show; all types if absent. */
  readonly kind?: string;
  /** Text to find in a request's id, trace id, post id, IP address or client. */
  readonly find?: string;
  /** Id of the expanded request. */
  readonly open?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readRequestsSearch = (search: Readonly<Record<string, unknown>>): RequestsSearch =>
  readText(search, ['endpoint', 'kind', 'find', 'open']);

/** The state of the time machine, as it appears in the address bar. */
export interface TimeSearch {
  /** The selected moment, ISO 8601; now if absent. */
  readonly at?: string;
  /** The time to compare `at` with, ISO 8601. */
  readonly from?: string;
  /** Id of the event whose details are open. */
  readonly event?: string;
  /** Length of the window; six hours if absent. */
  readonly span?: TimeSpan;
  /** Only events of this kind, about this thing, and by this actor. */
  readonly kind?: string;
  readonly thing?: string;
  readonly by?: string;
}

/** Reads the URL; ignores unknown parameters and invalid times. */
export const readTimeSearch = (search: Readonly<Record<string, unknown>>): TimeSearch => {
  const { at, from, event, span, ...filter } = readText(search, ['at', 'from', 'event', 'span', 'kind', 'thing', 'by']);
  const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text));
  return {
    ...(isTime(at) && { at }),
    ...(isTime(from) && { from }),
    ...(event !== undefined && { event }),
    ...(isSpan(span) && { span }),
    ...filter,
  };
};

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
  /** Words of the posts. */
  readonly find?: string;
  /** The person or program that posted or approved. */
  readonly by?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readTimelineSearch = (search: Readonly<Record<string, unknown>>): TimelineSearch => {
  const { at, ...filters } = readText(search, ['state', 'channel', 'project', 'platform', 'at', 'find', 'by']);
  const span = SPANS.find((each) => each === search.span);
  return {
    ...filters,
    ...(span && { span }),
    ...(at !== undefined && !Number.isNaN(Date.parse(at)) && { at: new Date(at).toISOString() }),
  };
};
