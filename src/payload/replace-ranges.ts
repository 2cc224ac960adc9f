import { clipEntities, type TextWithEntities } from './entities.js';
import { Graphemes } from './graphemes.js';
import type { Entity } from './payload.js';

/** The UTF-16 units from `start` to `end` (exclusive) become `text`. An insertion if both offsets are equal. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces ranges of text and keeps every entity attached to its characters (D-28): a character outside the ranges is
 * covered by the same entities as before. An entity that covers a whole range covers its replacement. An entity that
 * covers part of a range loses that part, and disappears if nothing is left. Text inserted at an entity's edge stays
 * outside.
 *
 * @param replacements in ascending order, not overlapping, inside the text. The cost is linear in the length of the
 * text, regardless of their number
 * @throws RangeError if the replacements are out of order or outside the text (a programming error)
 */
export const replaceRanges = (content: TextWithEntities, replacements: readonly Replacement[]): TextWithEntities => {
  if (replacements.length === 0) return content;
  const { text, entities } = content;
  const parts: string[] = [];
  /** Start of each replacement in the new text. */
  const newStarts: number[] = [];
  let kept = 0;
  let length = 0;
  for (const { start, end, text: replacement } of replacements) {
    if (start < kept || end < start || end > text.length)
      throw new RangeError(`replacement ${start}–${end} is out of order or outside the text`);
    parts.push(text.slice(kept, start), replacement);
    newStarts.push(length + (start - kept));
    length += start - kept + replacement.length;
    kept = end;
  }
  parts.push(text.slice(kept));

  /** Returns the new offset of `position`, given that the first `before` replacements lie before it. */
  const moved = (position: number, before: number): number => {
    const last = replacements[before - 1];
    const lastStart = newStarts[before - 1];
    return last && lastStart !== undefined ? lastStart + last.text.length + (position - last.end) : position;
  };
  const place = ({ offset, ...entity }: Entity): Entity[] => {
    const end = offset + entity.length;
    // An insertion at the entity's start comes before the entity; an insertion at its end comes after.
    const beforeStart = countWhile(replacements, (r) => r.end <= offset);
    const beforeEnd = countWhile(replacements, (r) => r.end <= end && r.start < end);
    const aroundStart = replacements[beforeStart];
    const aroundEnd = replacements[beforeEnd];
    const newOffset =
      aroundStart && aroundStart.start < offset
        ? (newStarts[beforeStart] ?? 0) + aroundStart.text.length
        : moved(offset, beforeStart);
    const newEnd = aroundEnd && aroundEnd.start < end ? (newStarts[beforeEnd] ?? 0) : moved(end, beforeEnd);
    return newEnd > newOffset ? [{ ...entity, offset: newOffset, length: newEnd - newOffset }] : [];
  };
  return { text: parts.join(''), entities: entities.flatMap(place) };
};

export const replaceRange = (
  content: TextWithEntities,
  start: number,
  end: number,
  replacement: string,
): TextWithEntities => replaceRanges(content, [{ start, end, text: replacement }]);

/** Counts the leading items that satisfy `predicate`, by bisection; no later item may satisfy it. */
export const countWhile = <T>(items: readonly T[], predicate: (item: T) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (predicate(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
};

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
