import type { PublishPayload } from './payload.js';

/** Maximum number of different words that a post is found by. */
const MOST_WORDS = 2_000;

/** Maximum length of a word in UTF-16 units; the rest of a longer word is ignored. */
const WORD_LENGTH = 64;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the different words of a text in the form in which posts are searched: `Ёлка` and `елка` are one word. */
export const wordsOf = (text: string): string[] => {
  const written = text.normalize('NFKC').toLowerCase().replaceAll('ё', 'е').match(WORD) ?? [];
  return [...new Set(written.map(shorten))];
};

const shorten = (word: string): string =>
  word.length <= WORD_LENGTH ? word : word.slice(0, WORD_LENGTH).replace(/[\ud800-\udbff]$/, '');

/** Returns the words of a post's text and of the texts that replace it; none if its payload is stored in parts. */
export const wordsOfPost = (payload: PublishPayload | null): string[] => {
  if (payload === null) return [];
  const texts = [payload.text, ...Object.values(payload.overrides ?? {}).map(({ text }) => text)];
  return wordsOf(texts.filter(Boolean).join(' ')).slice(0, MOST_WORDS);
};
