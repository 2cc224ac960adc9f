import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { management } from '../../api/management.js';
import { useTheme } from '../../app/theme.js';
import { ICONS, type IconShape } from '../../components/networks.js';
import { type Post, SEVERITY } from '../../publications/shown-state.js';
import { stateLook } from '../../publications/states.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import type { TimeWindow } from './columns.js';
import type { HistorySpan } from './lane-marks.js';
import { type PostFilter, usePostList } from './use-post-list.js';

/** The lanes stop loading more posts once this many are loaded. */
const MAX_POSTS = 1000;

/**
 * Returns the posts for a window of the lanes, in every state. If there are too many to load, `completeSince` is the
 * start of the fully loaded period, in ms since 1970; otherwise null.
 */
export const useLaneHistory = (
  filter: PostFilter,
  { from, to }: TimeWindow,
  isPast: boolean,
  isHeld: boolean,
): { readonly posts: readonly Post[]; readonly completeSince: number | null } => {
  const { list, loadMore, error } = usePostList(
    { ...filter, ...(isPast && { until: new Date(to).toISOString() }) },
    isHeld,
  );
  const posts = list?.posts ?? NONE;
  const oldest = posts.at(-1);
  const since = oldest ? Date.parse(oldest.accepted_at) : null;
  const isShort = list !== undefined && list.next !== null && since !== null && since > from;
  useEffect(() => {
    if (isShort && posts.length < MAX_POSTS && !error) void loadMore();
  }, [isShort, posts.length, loadMore, error]);
  return {
    posts: list && list.arrived.length > 0 ? [...list.arrived, ...posts] : posts,
    completeSince: isShort && posts.length >= MAX_POSTS ? since : null,
  };
};

const NONE: readonly Post[] = [];

const HOUR = 3_600_000;

/**
 * Returns the pauses and holds in a window. Fetches whole hours, so that moving the window within them does not need
 * another request.
 */
export const useSpans = ({ from, to }: TimeWindow): readonly HistorySpan[] => {
  const scope = useScope();
  const begin = new Date(Math.floor(from / HOUR) * HOUR).toISOString();
  const end = new Date(Math.ceil(to / HOUR) * HOUR).toISOString();
  const { data } = useQuery({
    queryKey: ['ticks', scope.key, 'spans', begin, end],
    queryFn: () => management().get('/history/ticks', { query: { ...scope.query, from: begin, to: end, buckets: 1 } }),
    enabled: useMay('GET /history/ticks'),
    placeholderData: (before) => before,
  });
  return data?.spans ?? NO_SPANS;
};

const NO_SPANS: readonly HistorySpan[] = [];

/**
 * Adds a class with a background image for each state, such as `state-published`, in the colours of the theme. An SVG
 * element in every cell would make scrolling the list 50 % slower.
 */
export const useStateImages = (): void => {
  const theme = useTheme();
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    const draw = (): void => sheet.replaceSync(createRules());
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      dark.removeEventListener('change', draw);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  }, [theme]);
};

/** Reads the colours from a temporary element, because a data: image cannot use custom properties. */
const createRules = (): string => {
  const probe = document.createElement('span');
  document.body.append(probe);
  const rules = SEVERITY.map((state) => {
    const { icon, tone } = stateLook(state);
    probe.className = `icon tone-${tone}`;
    const svg = draw(ICONS[icon], getComputedStyle(probe).color);
    return `.state-${state} { background-image: url("data:image/svg+xml,${encodeURIComponent(svg)}"); }`;
  });
  probe.remove();
  return rules.join('\n');
};

const draw = ({ line, bold, solid }: IconShape, colour: string): string => {
  const stroke = (data: string | undefined, width: number): string =>
    data === undefined
      ? ''
      : `<path d="${data}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
  const area = solid === undefined ? '' : `<path d="${solid}" fill="${colour}" fill-rule="evenodd"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${stroke(line, 1.5)}${stroke(bold, 2)}${area}</svg>`;
};
