import type { Api } from '../../api/management.js';
import { NETWORKS } from '../../components/networks.js';
import type { Post } from '../../publications/posts.js';
import { worstOf } from '../../publications/severity.js';
import { type Publication, type ShownState, shownState } from '../../publications/shown-state.js';
import { FEW_CHANNELS } from './lane-groups.js';

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

/**
 * Returns the post's publication in the worst state, for example in doubt or waiting; null if all are published or
 * dismissed.
 */
export const mainPublication = (publications: readonly Publication[]): Publication | null => {
  const worst = worstOf(publications);
  if (worst === null || worst === 'published' || worst === 'dismissed') return null;
  return publications.find((publication) => shownState(publication) === worst) ?? null;
};
