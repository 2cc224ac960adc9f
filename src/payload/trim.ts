import { clipEntities, type TextWithEntities } from './entities.js';

/** What stands where text was cut. */
export const ELLIPSIS = '…';

/** How far back a word boundary is worth looking for, in UTF-16 units (D-23). */
const WORD_WINDOW = 64;

/** Unicode's extended grapheme clusters do not depend on a language. */
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** A text that fits, and how much did not. */
export interface TrimmedText extends TextWithEntities {
  /** UTF-16 units that were cut from the original text; 0 where it fitted (D-44). The `…` does not count against it. */
  readonly trimmedChars: number;
}

/**
 * Cuts a text to at most `limit` UTF-16 units (D-23). A text that fits comes back as it is. One that does not ends with
 * `…` inside the limit, is never cut through a surrogate pair or a grapheme cluster, is cut between words where one of
 * the last 64 units allows it, and has no white space before the `…`. Entities are clipped with it.
 *
 * @param options.reserve units to keep free inside the limit for what must follow the text: link and button lines, the
 *   signature. Where nothing but the reserve fits, the text is empty.
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

  const kept = cutBefore(text, budget - ELLIPSIS.length);
  return {
    text: text.slice(0, kept) + ELLIPSIS,
    entities: clipEntities(entities, kept),
    trimmedChars: text.length - kept,
  };
};

/** How many units of `text`, at most `room`, may be kept. */
const cutBefore = (text: string, room: number): number => {
  // Whether a cluster ends at `room` depends on what is before it and on the one code point behind it: no more of a
  // long text has to be segmented.
  const segments = graphemes.segment(text.slice(0, room + 2));

  /** Drops the white space that ends `text` before `cut`; a cluster that this would split stays whole. */
  const withoutTrailingSpace = (cut: number): number => {
    const end = text.slice(0, cut).trimEnd().length;
    const cluster = segments.containing(end);
    return cluster && cluster.index < end ? cluster.index + cluster.segment.length : end;
  };

  const cut = segments.containing(room)?.index ?? room;
  if (isSpace(text[cut])) return withoutTrailingSpace(cut);
  for (let at = cut - 1; at > 0 && at >= room - WORD_WINDOW; at--) {
    if (!isSpace(text[at])) continue;
    const kept = withoutTrailingSpace(at);
    // A text that begins with white space has no word before it to end with.
    return kept > 0 ? kept : withoutTrailingSpace(cut);
  }
  return withoutTrailingSpace(cut);
};

const isSpace = (unit: string | undefined): boolean => unit !== undefined && unit.trim() === '';
