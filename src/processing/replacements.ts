import type { Replacement } from '../domain/project/processing.js';
import { countOf } from '../kernel/message.js';
import type { TextWithEntities } from '../payload/entities.js';
import type { Warning } from '../platforms/publisher.js';
import { editText, MAX_PROCESSED_TEXT } from './edit-text.js';
import { findWordRanges } from './filters.js';
import { PROCESSING_MESSAGES } from './messages.js';

/**
 * Maximum number of occurrences and entities that the replacements in one post may move, because other requests have to
 * wait meanwhile. Real posts need several hundred times fewer.
 */
const MAX_MOVES = 300_000;

/**
 * Replaces words: each rule applies to the result of the previous rules (D-28). If that would take too long, skips the
 * remaining rules, with a warning.
 */
export const applyReplacements = (
  content: TextWithEntities,
  rules: readonly Replacement[],
): { readonly content: TextWithEntities; readonly warnings: readonly Warning[] } => {
  let replaced = content;
  let moves = 0;
  for (const [index, rule] of rules.entries()) {
    const places = findPlaces(rule, replaced.text);
    if (places.length === 0) continue;
    moves += places.length + replaced.entities.length;
    if (moves > MAX_MOVES) return { content: replaced, warnings: [skippedWarning(rules.length - index)] };
    replaced = editText(replaced, places);
  }
  return { content: replaced, warnings: [] };
};

const findPlaces = ({ from, to, whole_word = false, ignore_case = false }: Replacement, text: string) => {
  const places = [];
  let grown = 0;
  for (const { start, end } of findWordRanges(from, text, { wholeWord: whole_word, ignoreCase: ignore_case })) {
    // Text beyond the limit is cut off anyway.
    if (start + grown > MAX_PROCESSED_TEXT) break;
    places.push({ start, end, text: to });
    grown += to.length - (end - start);
  }
  return places;
};

const skippedWarning = (rules: number): Warning => ({
  code: 'replacements_left_out',
  message: PROCESSING_MESSAGES.replacementsSkipped({ rules: countOf(rules, 'rule') }),
});
