import type { Filter } from '../domain/project/processing.js';
import type { Warning } from '../platforms/publisher.js';
import { quoteShort } from '../validation/wording.js';
import { FILTER_MESSAGES } from './messages.js';
import { LOCAL_SEARCH, type PatternSearch } from './pattern.js';
import { findFirstWord } from './words.js';

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
