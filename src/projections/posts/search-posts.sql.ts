import type { QueryConfig } from 'pg';
import { POSTS } from './posts.tables.js';

/** A search for posts with certain words. */
export interface WordSearch {
  /** See {@link toQuery}. */
  readonly query: string;
  /**
   * True to find the posts in the index of words, false to look at one post after another, for words that many posts
   * have.
   */
  readonly isIndexed: boolean;
}

/** Maximum number of posts that are taken from the index of words, and then sorted. */
export const MOST_FOUND = 10_000;

/** Returns a condition on a post `p`. */
export const wordCondition = ({ query, isIndexed }: WordSearch, bind: (value: unknown) => string): string =>
  isIndexed
    ? `p.post_id = any (array(${selectFound(bind(query))}))`
    : // A scalar subquery, because a join would read all that the index has.
      `(select w.words from ${POSTS}.post_words w where w.post_id = p.post_id) @@ ${bind(query)}::tsquery`;

/** Returns a statement that counts what the index has, up to one more than {@link MOST_FOUND}. */
export const countFoundStatement = (query: string): QueryConfig => ({
  text: `select count(*)::int as count from (${selectFound('$1')}) found`,
  values: [query],
});

const selectFound = (query: string): string =>
  `select w.post_id from ${POSTS}.post_words w where w.words @@ ${query}::tsquery limit ${MOST_FOUND + 1}`;

/** A word to search for, with its stems; a stem is null if the word is so frequent in any text that it says nothing. */
export interface StemmedWord {
  readonly word: string;
  readonly russian: string | null;
  readonly english: string | null;
}

/** Returns a statement that finds the stems of words, with dictionaries that every PostgreSQL has. */
export const stemStatement = (words: readonly string[]): QueryConfig => ({
  name: 'stems of words',
  text: `select w as word, (ts_lexize('pg_catalog.russian_stem', w))[1] as russian,
           (ts_lexize('pg_catalog.english_stem', w))[1] as english
         from unnest($1::text[]) with ordinality as sent (w, place) order by place`,
  values: [words],
});

/** Minimum length of the beginning of a word that finds it; a shorter word only finds itself. */
const MIN_BEGINNING = 3;

/**
 * Returns the text of a tsquery for posts that have all of the words, in any form or from their beginning. Frequent
 * words, such as `the`, are left out if there are others.
 * @param ownerId null for all owners
 */
export const toQuery = (words: readonly StemmedWord[], ownerId: string | null): string => {
  const telling = words.filter(({ russian, english }) => russian !== null && english !== null);
  const parts = (telling.length > 0 ? telling : words).map((word) => `(${beginningsOf(word).join(' | ')})`);
  return [...(ownerId === null ? [] : [`'${ownerId}'`]), ...parts].join(' & ');
};

const beginningsOf = ({ word, russian, english }: StemmedWord): string[] => {
  const stems = [russian, english].filter((stem) => stem !== null && stem.length >= MIN_BEGINNING) as string[];
  // The English stem of `cities` and `city` is `citi`.
  const all = [...new Set([word, ...stems, ...stems.map((stem) => stem.replace(/(?<=[a-z]{2})i$/, 'y'))])];
  return all
    .filter((each) => !all.some((other) => other !== each && other.length >= MIN_BEGINNING && each.startsWith(other)))
    .map((each) => (each.length < MIN_BEGINNING ? `'${each}'` : `'${each}':*`));
};
