import type { TextWithEntities } from './entities.js';
import type { Entity } from './payload.js';

/** One replacement: the UTF-16 units from `start` up to, not including, `end` become `text`. Equal: an insertion. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces stretches of a text and keeps every entity on its words (D-28): a character outside the replaced stretches
 * is covered by the same entities before and after. An entity that covers a whole stretch covers its replacement; one
 * that covers a part loses that part, and goes when nothing is left. Text inserted at an entity's edge stays outside.
 *
 * @param replacements in ascending order, not overlapping, inside the text. Linear in the text, so that thousands of
 *   replacements in one text cost no more than one.
 * @throws RangeError where the replacements are out of order or outside the text: a mistake of the caller.
 */
export const replaceRanges = (content: TextWithEntities, replacements: readonly Replacement[]): TextWithEntities => {
  if (replacements.length === 0) return content;
  const { text, entities } = content;
  const parts: string[] = [];
  /** Where each replacement stands in the new text. */
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

  /** The new place of `position`, when the first `before` replacements stand wholly before it. */
  const moved = (position: number, before: number): number => {
    const last = replacements[before - 1];
    const lastStart = newStarts[before - 1];
    return last && lastStart !== undefined ? lastStart + last.text.length + (position - last.end) : position;
  };
  const place = ({ offset, ...entity }: Entity): Entity[] => {
    const end = offset + entity.length;
    // An insertion at the very start stands before the entity, one at the very end behind it.
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

/** {@link replaceRanges} for a single stretch. */
export const replaceRange = (
  content: TextWithEntities,
  start: number,
  end: number,
  replacement: string,
): TextWithEntities => replaceRanges(content, [{ start, end, text: replacement }]);

/** How many leading items hold `predicate`, which must be true for a prefix of them and false for the rest. */
const countWhile = <T>(items: readonly T[], predicate: (item: T) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (predicate(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
};
