import type { Api } from '../../api/management.js';
import type { Span } from '../../app/search.js';
import { NETWORKS } from '../../components/networks.js';
import { type Post, type Publication, type ShownState, shownState, worstOf } from '../../publications/shown-state.js';
import { FEW_CHANNELS } from './lane-marks.js';

/** A column of the post list: a channel if there are only a few channels, otherwise a network. */
export interface Column {
  readonly key: string;
  readonly platform: string;
  /** The channel's name; null for a network. */
  readonly name: string | null;
  /** The name's initials, for the column heading; empty for a network. */
  readonly initials: string;
}

/** Returns the first letters of a name's first two words or, if it has only one word, the word's first two letters. */
export const initialsOf = (name: string): string => {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const first = [...(words[0] ?? '')];
  const second = [...(words[1] ?? '')];
  return (second[0] === undefined ? first.slice(0, 2).join('') : `${first[0]}${second[0]}`).toUpperCase();
};

/** Returns the columns of the list: the channels if there are only a few, otherwise their networks. */
export const columnsOf = (channels: readonly Api<'Channel'>[]): readonly Column[] => {
  if (channels.length <= FEW_CHANNELS)
    return channels.map(({ id, platform, name }) => ({ key: id, platform, name, initials: initialsOf(name) }));
  const present = new Set(channels.map(({ platform }) => platform));
  return NETWORKS.filter((network) => present.has(network)).map((platform) => ({
    key: platform,
    platform,
    name: null,
    initials: '',
  }));
};

/** The worst state among a post's publications in one column, and how many of them are in that state. */
export interface Cell {
  readonly state: ShownState;
  readonly count: number;
}

/** Returns a post's cell for each column; null if the post has no publication there. */
export const cellsOf = (post: Post, columns: readonly Column[]): readonly (Cell | null)[] =>
  columns.map(({ key, name, platform }) => {
    const publications = post.publications.filter((each) =>
      name === null ? each.platform === platform : each.target_id === key,
    );
    const state = worstOf(publications);
    if (state === null) return null;
    return { state, count: publications.filter((each) => shownState(each) === state).length };
  });

const ENDED: ReadonlySet<ShownState> = new Set(['published', 'confirmed', 'dismissed', 'cancelled', 'withdrawn']);

/**
 * Returns the post's publication in the worst state, for example in doubt or waiting; null if all have ended.
 */
export const mainPublication = (publications: readonly Publication[]): Publication | null => {
  const worst = worstOf(publications);
  if (worst === null || ENDED.has(worst)) return null;
  return publications.find((publication) => shownState(publication) === worst) ?? null;
};

/** A row of the list: a post, or a heading for a day's posts. */
export type Row =
  | { readonly kind: 'post'; readonly id: string; readonly post: Post }
  | { readonly kind: 'day'; readonly id: string; readonly at: string };

/** Returns the rows of the post list. Every day except today gets a heading row. */
export const toRows = (posts: readonly Post[], now: number): readonly Row[] => {
  const rows: Row[] = [];
  let day = new Date(now).toDateString();
  for (const post of posts) {
    const own = new Date(post.accepted_at).toDateString();
    if (own !== day) rows.push({ kind: 'day', id: own, at: post.accepted_at });
    day = own;
    rows.push({ kind: 'post', id: post.id, post });
  }
  return rows;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Time spans of the lanes and intervals between axis labels, in ms. */
const SPAN_LENGTHS: Readonly<Record<Span, { readonly length: number; readonly tick: number }>> = {
  '15min': { length: 15 * MINUTE, tick: 2 * MINUTE },
  '2h': { length: 2 * HOUR, tick: 15 * MINUTE },
  day: { length: DAY, tick: 3 * HOUR },
  week: { length: 7 * DAY, tick: DAY },
};

/** The period that the lanes show, in ms since 1970, centred on now or on the time that the user jumped to. */
export interface TimeWindow {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly middle: number;
}

/** Returns the window of a given length around a time. */
export const timeWindow = (span: Span, middle: number): TimeWindow => {
  const { length } = SPAN_LENGTHS[span];
  return { span, length, middle, from: middle - length / 2, to: middle + length / 2 };
};

/** Returns how often the window must be recomputed, in ms. In between, the lanes are only shifted. */
export const windowStep = (span: Span): number => SPAN_LENGTHS[span].length / 120;

/** Returns the position of a time in a window, as a percentage; below 0 or above 100 outside the window. */
export const placeOf = (at: number, { from, length }: TimeWindow): number => ((at - from) / length) * 100;

/** Returns the times of the axis labels in a window, at regular intervals from the start of each local day. */
export const axisTicks = ({ span, from, to }: TimeWindow): readonly number[] => {
  const { tick } = SPAN_LENGTHS[span];
  const ticks: number[] = [];
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  // Uses calendar days, because a day on which the clocks change has 23 or 25 hours.
  while (midnight.getTime() <= to) {
    const begin = midnight.getTime();
    midnight.setDate(midnight.getDate() + 1);
    for (let at = begin; at < midnight.getTime(); at += tick) if (at > from && at < to) ticks.push(at);
  }
  return ticks;
};
