import type { TextWithEntities } from './entities.js';
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

/** Replaces a single range. */
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
