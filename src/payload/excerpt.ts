import { Graphemes } from './graphemes.js';
import type { PublishPayload } from './payload.js';

/** Longest excerpt, in UTF-16 units (management-api.md: The list of posts). */
export const EXCERPT_LENGTH = 120;

/** Units that are searched for the edge of a grapheme; only texts made to be odd have longer ones. */
const SEARCHED = 4 * EXCERPT_LENGTH;

/** Returns the first 120 UTF-16 units of a text, cut at a grapheme; null without a text. */
export const excerptOf = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || text === '') return null;
  if (text.length <= EXCERPT_LENGTH) return text;
  const end = new Graphemes(text.slice(0, SEARCHED)).startOf(EXCERPT_LENGTH);
  // A first grapheme that is longer than an excerpt is cut between two of its code points.
  return end > 0 ? text.slice(0, end) : text.slice(0, EXCERPT_LENGTH).replace(/[\ud800-\udbff]$/, '');
};

/** Returns the number of media of a post. */
export const countMedia = ({ media }: Pick<PublishPayload, 'media'>): number => media?.length ?? 0;
