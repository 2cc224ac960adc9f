import { endOf, isIndivisible, type TextWithEntities } from '../payload/entities.js';
import type { Entity } from '../payload/payload.js';
import { type Replacement, replaceRanges } from '../payload/replace-ranges.js';
import { trimText } from '../payload/trim.js';

/** UTF-16 units that a text may grow to: far more than any network shows. */
export const MAX_PROCESSED_TEXT = 65_536;

/**
 * {@link replaceRanges}, without entities that would no longer be true: one that says what its text is (an address, an
 * emoji) goes where that text is changed. The text stays within {@link MAX_PROCESSED_TEXT}.
 */
export const edit = (content: TextWithEntities, replacements: readonly Replacement[]): TextWithEntities => {
  if (replacements.length === 0) return content;
  const entities = content.entities.filter((entity) => !isIndivisible(entity) || !isTouched(entity, replacements));
  const { text, entities: moved } = replaceRanges({ ...content, entities }, replacements);
  return text.length > MAX_PROCESSED_TEXT ? trimmed({ text, entities: moved }) : { text, entities: moved };
};

const trimmed = (content: TextWithEntities): TextWithEntities => {
  const { text, entities } = trimText(content, MAX_PROCESSED_TEXT);
  return { text, entities };
};

/** Whether a stretch that is replaced reaches into an entity's. Only the last that begins before its end can. */
const isTouched = (entity: Entity, replacements: readonly Replacement[]): boolean => {
  let [low, high] = [0, replacements.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (replacements[middle]!.start < endOf(entity)) low = middle + 1;
    else high = middle;
  }
  const last = replacements[low - 1];
  return last !== undefined && (last.start > entity.offset || last.end > entity.offset);
};
