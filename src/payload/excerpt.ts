import { Graphemes } from './graphemes.js';
import type { PublishPayload } from './payload.js';

/** Maximum length of an excerpt, in UTF-16 units (management-api.md: The list of posts). */
const EXCERPT_LENGTH = 120;

/** Number of units to search for a grapheme boundary; only contrived text has longer graphemes. */
const SEARCHED = 4 * EXCERPT_LENGTH;

/** Returns the beginning of the text, cut between graphemes; null if there is no text. */
export const excerptOf = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || text === '') return null;
  if (text.length <= EXCERPT_LENGTH) return text;
  const end = new Graphemes(text.slice(0, SEARCHED)).startOf(EXCERPT_LENGTH);
  // If the first grapheme is longer than an excerpt, it is cut between code points.
  return end > 0 ? text.slice(0, end) : text.slice(0, EXCERPT_LENGTH).replace(/[\ud800-\udbff]$/, '');
};

/**
 * Returns the beginning of a post's text, or of the first override that has text; null if there is no text or the post
 * cannot be read.
 */
export const excerptOfPost = (payload: PublishPayload | null): string | null => {
  if (payload === null) return null;
  return excerptOf(payload.text ?? Object.values(payload.overrides ?? {}).find(({ text }) => text)?.text);
};

export const countMedia = ({ media }: Pick<PublishPayload, 'media'>): number => media?.length ?? 0;
