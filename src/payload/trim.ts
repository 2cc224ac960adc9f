import { clipEntities, type TextWithEntities } from './entities.js';
import { Graphemes } from './graphemes.js';

/** Marks the place where text was cut. */
export const ELLIPSIS = '…';

/** Number of UTF-16 units before the cut in which to look for a word boundary (D-23). */
const WORD_WINDOW = 64;

/** Text cut to its limit. */
export interface TrimmedText extends TextWithEntities {
  /** UTF-16 units cut from the original text; 0 if it fits (D-44). The `…` is not subtracted. */
  readonly trimmedChars: number;
}

/**
 * Cuts text and its entities to at most `limit` UTF-16 units (D-23). Text that fits stays unchanged. Longer text ends
 * with `…` inside the limit, is never cut inside a surrogate pair or grapheme cluster, is cut between words if the last
 * 64 units allow it, and has no white space before the `…`.
 *
 * @param options.reserve units of the limit to keep free for text that must follow, such as links and the signature. If
 * only the reserve fits, the text is empty
 */
export const trimText = (
  content: TextWithEntities,
  limit: number,
  options: { readonly reserve?: number } = {},
): TrimmedText => {
  const { text, entities } = content;
  const budget = limit - (options.reserve ?? 0);
  if (text.length <= budget) return { text, entities, trimmedChars: 0 };
  if (budget < ELLIPSIS.length) return { text: '', entities: [], trimmedChars: text.length };

  const kept = findCut(text, budget - ELLIPSIS.length);
  return {
    text: text.slice(0, kept) + ELLIPSIS,
    entities: clipEntities(entities, kept),
    trimmedChars: text.length - kept,
  };
};

/** Returns how many units of `text`, at most `room`, may be kept. */
const findCut = (text: string, room: number): number => {
  // Whether a cluster ends at `room` depends on the text before it and one code point after it, so the rest of a long
  // text need not be segmented.
  const graphemes = new Graphemes(text.slice(0, room + 2));

  /** Moves `cut` before trailing white space, without splitting a cluster. */
  const withoutTrailingSpace = (cut: number): number => graphemes.endOf(text.slice(0, cut).trimEnd().length);

  const cut = graphemes.startOf(room);
  if (isSpace(text[cut])) return withoutTrailingSpace(cut);
  for (let at = cut - 1; at > 0 && at >= room - WORD_WINDOW; at--) {
    if (!isSpace(text[at])) continue;
    const kept = withoutTrailingSpace(at);
    // If only white space comes before the word, there is no earlier word to end with.
    return kept > 0 ? kept : withoutTrailingSpace(cut);
  }
  return withoutTrailingSpace(cut);
};

const isSpace = (unit: string | undefined): boolean => unit !== undefined && unit.trim() === '';
