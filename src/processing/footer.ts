import type { Footer } from '../domain/project/processing.js';
import type { TextWithEntities } from '../payload/entities.js';
import { Graphemes } from '../payload/graphemes.js';
import { editText } from './edit-text.js';
import { LOCAL_SEARCH, type PatternSearch } from './pattern.js';

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
