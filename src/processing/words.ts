import { Graphemes } from '../payload/graphemes.js';

/** What words are made of; joiners stand inside words of scripts that have them. */
const IN_WORD = String.raw`[\p{L}\p{M}\p{N}_\u200c\u200d]`;
const BEGINS_IN_WORD = new RegExp(`^${IN_WORD}`, 'u');
const ENDS_IN_WORD = new RegExp(`${IN_WORD}$`, 'u');

/** How words are looked for (D-28). */
export interface WordOptions {
  /** Not inside of a longer word. */
  readonly wholeWord: boolean;
  readonly ignoreCase: boolean;
}

/** A stretch of a text, in UTF-16 units; `end` is the first unit behind it. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a word stands in a text, from the front, not overlapping. With `wholeWord` nothing that words are made of may go
 * on before or behind it. It never stands on a part of what readers see as one character (an emoji with its modifiers,
 * a letter with its accents).
 */
export function* findWord(word: string, text: string, { wholeWord, ignoreCase }: WordOptions): Generator<Stretch> {
  const graphemes = new Graphemes(text);
  const [sought, searched] = ignoreCase ? [withoutCase(word), withoutCase(text)] : [word, text];
  for (let start = searched.indexOf(sought); start >= 0;) {
    const end = start + sought.length;
    const stands = graphemes.isEdge(start) && graphemes.isEdge(end) && (!wholeWord || isWhole(text, start, end));
    if (stands) yield { start, end };
    start = searched.indexOf(sought, stands ? end : start + 1);
  }
}

/**
 * The first of several words or phrases that stands in a text whole, without case, as it was given; null where none
 * does. It matters neither what white space is between the words of a phrase nor how accents are encoded.
 */
export const firstWordIn = (words: Iterable<string>, text: string): string | null => {
  const searched = comparable(text);
  for (const word of words) {
    const sought = comparable(word).trim();
    for (let start = searched.indexOf(sought); start >= 0; start = searched.indexOf(sought, start + 1))
      if (isWhole(searched, start, start + sought.length)) return word;
  }
  return null;
};

/** A word's edge that words are not made of (`#sale`) may stand beside anything. */
const isWhole = (text: string, start: number, end: number): boolean => {
  const [before, first] = [characterBefore(text, start), characterAt(text, start)];
  if (BEGINS_IN_WORD.test(first) && ENDS_IN_WORD.test(before)) return false;
  const [last, behind] = [characterBefore(text, end), characterAt(text, end)];
  return !(ENDS_IN_WORD.test(last) && BEGINS_IN_WORD.test(behind));
};

/** The code point that begins at a place; empty at the end. */
const characterAt = (text: string, at: number): string => text.slice(at, at + 2);

/** The code point that ends at a place; empty at the beginning. */
const characterBefore = (text: string, at: number): string => text.slice(Math.max(0, at - 2), at);

/** Texts that are the same to whoever filters them are equal in this form. Places in it are not those of the text. */
const comparable = (text: string): string => text.normalize('NFC').toUpperCase().replace(/\s+/gu, ' ');

/** A text whose letters have lost their case, unit by unit, so that every place stays what it was. */
const withoutCase = (text: string): string => {
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
