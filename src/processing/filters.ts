import type { Filter } from '../domain/project/processing.js';
import { quoted } from '../validation/wording.js';
import type { Warning } from '../platforms/publisher.js';
import { findPattern } from './pattern.js';
import { firstWordIn } from './words.js';

/**
 * Why a text does not go to a network; null where it does (D-28). It goes where no `exclude` for the network matches and,
 * where there are any for it, an `include` does. A filter matches where one of its words or its pattern does.
 */
export const filterReason = (text: string, filters: readonly Filter[], platform: string): Warning | null => {
  let includes = 0;
  let isIncluded = false;
  for (const [index, filter] of filters.entries()) {
    const { mode, platforms } = filter;
    if (platforms && !(platforms as readonly string[]).includes(platform)) continue;
    if (mode === 'include') includes += 1;
    if (mode === 'include' && isIncluded) continue;
    const match = matchOf(text, filter);
    if (match === 'unreadable') return filtered(`filter ${index + 1} has a pattern that can no longer be read.`);
    if (match !== null && mode === 'exclude') return filtered(`filter ${index + 1} (exclude) finds ${match}.`);
    if (match !== null) isIncluded = true;
  }
  if (includes === 0 || isIncluded) return null;
  return filtered(
    includes === 1 ? 'its include filter finds nothing.' : `none of ${includes} include filters matches.`,
  );
};

const filtered = (why: string): Warning => ({ code: 'filtered', message: `The project keeps this post back: ${why}` });

/** What a filter finds, for people; null where it finds nothing. */
const matchOf = (text: string, { words, pattern }: Filter): string | null => {
  const word = words ? firstWordIn(new Set(words), text) : null;
  if (word !== null) return `the word ${quoted(word)}`;
  if (pattern === undefined) return null;
  const found = findPattern(pattern, text);
  if (found === null) return 'unreadable';
  return found ? `the pattern ${quoted(pattern)}` : null;
};
