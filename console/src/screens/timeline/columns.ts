import type { Api } from '../../api/management.js';
import { NETWORKS } from '../../components/networks.js';
import type { Post } from '../../publications/posts.js';
import { worstOf } from '../../publications/severity.js';
import { type Publication, type ShownState, shownState } from '../../publications/shown-state.js';
import { FEW_CHANNELS } from './lane-groups.js';

/** A column of the list of posts: one channel if there are few, otherwise a network. */
export interface Column {
  readonly key: string;
  readonly platform: string;
  /** The channel's name; null for a network. */
  readonly name: string | null;
  /** Short form of the name for the column's head. */
  readonly initials: string;
}

/** Returns the initials of a name: the first letters of its first two words, or else its first two letters. */
export const initialsOf = (name: string): string => {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const first = [...(words[0] ?? '')];
  const second = [...(words[1] ?? '')];
  return (second[0] === undefined ? first.slice(0, 2).join('') : `${first[0]}${second[0]}`).toUpperCase();
};

/** Returns the columns for the channels that match the filters. */
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

/** The states of a post in one column: the worst of them, and the number of publications. */
export interface Cell {
  readonly state: ShownState;
  readonly count: number;
}

/** Returns what a post shows in each column; null where it was not sent. */
export const cellsOf = (post: Post, columns: readonly Column[]): readonly (Cell | null)[] =>
  columns.map(({ key, name, platform }) => {
    const publications = post.publications.filter((each) =>
      name === null ? each.platform === platform : each.target_id === key,
    );
    const state = worstOf(publications);
    if (state === null) return null;
    return { state, count: publications.filter((each) => shownState(each) === state).length };
  });

/**
 * Returns the most notable publication of a post: in doubt, failed, or waiting; null if all are published or were left
 * out.
 */
export const mainPublication = (publications: readonly Publication[]): Publication | null => {
  const worst = worstOf(publications);
  if (worst === null || worst === 'published' || worst === 'dismissed') return null;
  return publications.find((publication) => shownState(publication) === worst) ?? null;
};
