import type { FormattedText, Mark, MarkType } from './marks.js';
import { normalise } from './normalise.js';
import type { Entity } from './to-entities.js';

const MARK_TYPES: Readonly<Partial<Record<Entity['type'], MarkType>>> = {
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'strikethrough',
  spoiler: 'spoiler',
  code: 'code',
  pre: 'code',
  text_link: 'link',
  blockquote: 'quote',
  expandable_blockquote: 'quote',
};

/** Entity types that networks detect in text on their own. */
const FOUND: ReadonlySet<Entity['type']> = new Set(['mention', 'url', 'email', 'phone_number', 'hashtag']);

/**
 * Converts a payload's text to the editor's format. Formatting that the editor does not support is omitted (see
 * {@link isEditable}).
 */
export const fromEntities = (text: string, entities: readonly Entity[] = []): FormattedText =>
  normalise(
    text,
    entities.flatMap(({ type, offset, length, url }): Mark[] => {
      const markType = MARK_TYPES[type];
      if (!markType || (markType === 'link' && url === undefined)) return [];
      return [{ type: markType, start: offset, end: offset + length, ...(markType === 'link' && { url: url! }) }];
    }),
  );

/** Returns whether the text can be edited without losing formatting. */
export const isEditable = (entities: readonly Entity[] = []): boolean =>
  entities.every(
    ({ type, language }) =>
      FOUND.has(type) || (MARK_TYPES[type] !== undefined && type !== 'expandable_blockquote' && language === undefined),
  );
