import { endOf, isIndivisible, type TextWithEntities } from '../payload/entities.js';
import type { Entity } from '../payload/payload.js';
import { countWhile, type Replacement, replaceRanges } from '../payload/replace-ranges.js';
import { trimText } from '../payload/trim.js';

/** Maximum length of processed text, in UTF-16 units: far more than any network shows. */
export const MAX_PROCESSED_TEXT = 65_536;

/**
 * Replaces ranges of text like {@link replaceRanges}. Removes indivisible entities, such as an address or an emoji, if
 * their text changes. Trims the result to {@link MAX_PROCESSED_TEXT}.
 */
export const editText = (content: TextWithEntities, replacements: readonly Replacement[]): TextWithEntities => {
  if (replacements.length === 0) return content;
  const entities = content.entities.filter((entity) => !isIndivisible(entity) || !isTouched(entity, replacements));
  const { text, entities: moved } = replaceRanges({ ...content, entities }, replacements);
  return text.length > MAX_PROCESSED_TEXT ? trimToLimit({ text, entities: moved }) : { text, entities: moved };
};

const trimToLimit = (content: TextWithEntities): TextWithEntities => {
  const { text, entities } = trimText(content, MAX_PROCESSED_TEXT);
  return { text, entities };
};

/** True if a replaced range overlaps the entity. Only the last range that begins before the entity's end can. */
const isTouched = (entity: Entity, replacements: readonly Replacement[]): boolean => {
  const last = replacements[countWhile(replacements, ({ start }) => start < endOf(entity)) - 1];
  return last !== undefined && (last.start > entity.offset || last.end > entity.offset);
};
