import type { Footer } from '../domain/project/processing.js';
import type { TextWithEntities } from '../payload/entities.js';
import { edit } from './edit.js';
import { Graphemes } from '../payload/graphemes.js';
import { lastMatch } from './pattern.js';

/**
 * A text up to the last place where the marker or pattern stands (D-28), without the white space before it; as it is
 * where it stands nowhere.
 */
export const withoutFooter = (content: TextWithEntities, { marker, pattern }: Footer): TextWithEntities => {
  const { text } = content;
  const found = marker !== undefined ? text.lastIndexOf(marker) : (lastMatch(pattern!, text) ?? -1);
  if (found < 0) return content;
  const kept = text.slice(0, new Graphemes(text).startOf(found)).trimEnd();
  return edit(content, [{ start: kept.length, end: text.length, text: '' }]);
};
