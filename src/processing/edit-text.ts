import type { Footer, Signature } from '../domain/project/processing.js';
import { endOf, isIndivisible, shiftEntities, type TextWithEntities } from '../payload/entities.js';
import { Graphemes } from '../payload/graphemes.js';
import type { Entity } from '../payload/payload.js';
import { countWhile, type Replacement, replaceRanges, trimText } from '../payload/replace-ranges.js';
import type { PlatformPost } from '../platforms/publisher.js';
import { isVisible } from '../validation/text-measure.js';
import { LOCAL_SEARCH, type PatternSearch } from './pattern.js';

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

/**
 * Removes the footer (D-28): everything from the last occurrence of the marker or pattern on, and the white space
 * before it.
 */
export const removeFooter = (
  content: TextWithEntities,
  { marker, pattern }: Footer,
  search: PatternSearch = LOCAL_SEARCH,
): TextWithEntities => {
  const { text } = content;
  const found = marker !== undefined ? text.lastIndexOf(marker) : (search.findLast(pattern!, text) ?? -1);
  if (found < 0) return content;
  const kept = text.slice(0, new Graphemes(text).startOf(found)).trimEnd();
  return editText(content, [{ start: kept.length, end: text.length, text: '' }]);
};

/**
 * Adds a project's signature to a post on the signature's networks (D-28), unless the post has neither text nor media.
 * Removes white space at the end of the text, which would widen the gap above the signature.
 */
export const addSignature = (
  post: PlatformPost,
  { text, entities = [], platforms }: Signature,
  platform: string,
): PlatformPost => {
  if (platforms && !platforms.includes(platform)) return post;
  if (!isVisible(post.text) && post.media.length === 0) return post;
  return { ...post, ...trimTrailingSpace(post), signature: { text, entities } };
};

/** Returns a post's text followed by its signature, without trimming (D-28). */
export const joinSignature = ({ text, entities, signature }: PlatformPost): TextWithEntities => {
  if (!signature) return { text, entities };
  const above = text === '' ? '' : `${text}\n\n`;
  return { text: above + signature.text, entities: [...entities, ...shiftEntities(signature.entities, above.length)] };
};

const trimTrailingSpace = ({ text, entities }: TextWithEntities): TextWithEntities => {
  const { length } = text.trimEnd();
  return length < text.length
    ? editText({ text, entities }, [{ start: length, end: text.length, text: '' }])
    : { text, entities };
};
