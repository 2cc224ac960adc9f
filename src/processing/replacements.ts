import type { Replacement } from '../domain/project/processing.js';
import type { TextWithEntities } from '../payload/entities.js';
import type { Warning } from '../platforms/publisher.js';
import { edit, MAX_PROCESSED_TEXT } from './edit.js';
import { findWord } from './words.js';

/** Places and entities that one post's replacements may move: some hundred times what posts have. Others wait for it. */
const MAX_MOVES = 300_000;

/** A text whose words are replaced. */
export interface Replaced {
  readonly content: TextWithEntities;
  readonly warnings: readonly Warning[];
}

/**
 * Replaces words, one rule after the other (D-28): a rule sees what those before it have made. A text and rules that
 * together would take very long have the rest of the rules left out, with a warning.
 */
export const withReplacements = (content: TextWithEntities, rules: readonly Replacement[]): Replaced => {
  let replaced = content;
  let moves = 0;
  for (const [index, rule] of rules.entries()) {
    const places = placesOf(rule, replaced.text);
    if (places.length === 0) continue;
    moves += places.length + replaced.entities.length;
    if (moves > MAX_MOVES) return { content: replaced, warnings: [leftOut(rules.length - index)] };
    replaced = edit(replaced, places);
  }
  return { content: replaced, warnings: [] };
};

const placesOf = ({ from, to, whole_word = false, ignore_case = false }: Replacement, text: string) => {
  const places = [];
  let grown = 0;
  for (const { start, end } of findWord(from, text, { wholeWord: whole_word, ignoreCase: ignore_case })) {
    // What is beyond will be cut off anyway.
    if (start + grown > MAX_PROCESSED_TEXT) break;
    places.push({ start, end, text: to });
    grown += to.length - (end - start);
  }
  return places;
};

const leftOut = (rules: number): Warning => ({
  code: 'replacements_left_out',
  message: `This text has too many places for all replacements: the last ${rules} of them were left out.`,
});
