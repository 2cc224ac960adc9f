import type { Filter } from '../domain/project/processing.js';
import { Graphemes } from '../payload/graphemes.js';
import type { Replacement } from '../payload/replace-ranges.js';
import type { Warning } from '../platforms/publisher.js';
import { quoteShort } from '../validation/wording.js';
import { FILTER_MESSAGES } from './messages.js';
import { LOCAL_SEARCH, type PatternSearch } from './pattern.js';

/** Joiners occur inside words in some scripts. */
const IN_WORD = String.raw`[\p{L}\p{M}\p{N}_\u200c\u200d]`;
const BEGINS_IN_WORD = new RegExp(`^${IN_WORD}`, 'u');
const ENDS_IN_WORD = new RegExp(`${IN_WORD}$`, 'u');

/**
 * Finds the occurrences of a word in the text (D-28), in order and without overlaps. With `wholeWord`, skips
 * occurrences inside longer words. An occurrence never covers only part of what readers see as one character (an emoji
 * with its modifiers, a letter with its accents).
 */
export function* findWordRanges(
  word: string,
  text: string,
  { wholeWord, ignoreCase }: { readonly wholeWord: boolean; readonly ignoreCase: boolean },
): Generator<Pick<Replacement, 'start' | 'end'>> {
  const graphemes = new Graphemes(text);
  const [needle, haystack] = ignoreCase ? [foldCase(word), foldCase(text)] : [word, text];
  for (let start = haystack.indexOf(needle); start >= 0;) {
    const end = start + needle.length;
    const isMatch = graphemes.isEdge(start) && graphemes.isEdge(end) && (!wholeWord || isWhole(text, start, end));
    if (isMatch) yield { start, end };
    start = haystack.indexOf(needle, isMatch ? end : start + 1);
  }
}

/**
 * Returns the first of these words or phrases that occurs in the text as a whole; null if none does. Ignores
 * differences in case, in white space and in how accents are encoded.
 */
export const findFirstWord = (words: Iterable<string>, text: string): string | null => {
  const haystack = normalizeForComparison(text);
  for (const word of words) {
    const needle = normalizeForComparison(word).trim();
    for (let start = haystack.indexOf(needle); start >= 0; start = haystack.indexOf(needle, start + 1))
      if (isWhole(haystack, start, start + needle.length)) return word;
  }
  return null;
};

/**
 * True if the range does not begin or end in the middle of a word. An edge that is not part of a word, like `#` in
 * `#sale`, may have any neighbour.
 */
const isWhole = (text: string, start: number, end: number): boolean => {
  const [before, first] = [characterBefore(text, start), characterAt(text, start)];
  if (BEGINS_IN_WORD.test(first) && ENDS_IN_WORD.test(before)) return false;
  const [last, after] = [characterBefore(text, end), characterAt(text, end)];
  return !(ENDS_IN_WORD.test(last) && BEGINS_IN_WORD.test(after));
};

/** Returns the code point that begins at an offset, possibly followed by another UTF-16 unit. */
const characterAt = (text: string, at: number): string => text.slice(at, at + 2);

/** Returns the code point that ends at an offset, possibly preceded by another UTF-16 unit. */
const characterBefore = (text: string, at: number): string => text.slice(Math.max(0, at - 2), at);

/** Normalises text for filters, which changes offsets. */
const normalizeForComparison = (text: string): string => text.normalize('NFC').toUpperCase().replace(/\s+/gu, ' ');

/** Folds case without changing offsets. */
const foldCase = (text: string): string => {
  const lower = text.toLowerCase();
  const aligned =
    lower.length === text.length
      ? lower
      : Array.from(text, (character) => {
          const small = character.toLowerCase();
          return small.length === character.length ? small : character;
        }).join('');
  return aligned.replaceAll('ς', 'σ');
};

/**
 * Returns why a project's filters keep text off a network; null if the text passes (D-28). Text passes if no `exclude`
 * filter for the network matches and, if there are `include` filters, at least one of them matches. A filter matches if
 * the text contains one of its words or matches its pattern.
 */
export const findFilterReason = (
  text: string,
  filters: readonly Filter[],
  platform: string,
  search: PatternSearch = LOCAL_SEARCH,
): Warning | null => {
  let includes = 0;
  let isIncluded = false;
  for (const [index, filter] of filters.entries()) {
    const { mode, platforms } = filter;
    if (platforms && !platforms.includes(platform)) continue;
    if (mode === 'include') includes += 1;
    if (mode === 'include' && isIncluded) continue;
    const match = describeMatch(text, filter, search);
    if (match === 'invalid') return filtered(FILTER_MESSAGES.invalidPattern({ number: index + 1 }));
    if (match !== null && mode === 'exclude') return filtered(FILTER_MESSAGES.excluded({ number: index + 1, match }));
    if (match !== null) isIncluded = true;
  }
  if (includes === 0 || isIncluded) return null;
  return filtered(includes === 1 ? FILTER_MESSAGES.notIncluded : FILTER_MESSAGES.noneIncluded({ includes }));
};

const filtered = (message: string): Warning => ({ code: 'filtered', message });

/** Describes what a filter matched; null if there was no match, `invalid` if its pattern is no longer valid. */
const describeMatch = (text: string, { words, pattern }: Filter, search: PatternSearch): string | null => {
  const word = words ? findFirstWord(new Set(words), text) : null;
  if (word !== null) return FILTER_MESSAGES.theWord({ word: quoteShort(word) });
  if (pattern === undefined) return null;
  const found = search.matches(pattern, text);
  if (found === null) return 'invalid';
  return found ? FILTER_MESSAGES.thePattern({ pattern: quoteShort(pattern) }) : null;
};
