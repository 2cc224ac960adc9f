import type { Entity } from './draft.js';

/** Text with its formatting. */
export interface Formatted {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Returns the index, moved back by one if it would split a surrogate pair. */
const wholeStart = (text: string, at: number): number => (/[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at);

/** Returns the edited text with its entities adjusted, so that the same words stay formatted. */
export const editText = ({ text, entities }: Formatted, edited: string): Formatted => {
  const shorter = Math.min(text.length, edited.length);
  let start = 0;
  while (start < shorter && text[start] === edited[start]) start++;
  start = wholeStart(text, start);
  let kept = 0;
  while (kept < shorter - start && text.at(-1 - kept) === edited.at(-1 - kept)) kept++;
  if (/[\udc00-\udfff]/.test(text.charAt(text.length - kept))) kept--;
  const end = text.length - kept;
  return { text: edited, entities: entities.flatMap((entity) => moveEntity(entity, start, end, edited.length - kept)) };
};

/**
 * Adjusts an entity after the text from `start` to `end` was replaced by text that ends at `newEnd`. Text inserted at
 * the entity's edges stays outside it.
 */
const moveEntity = (entity: Entity, start: number, end: number, newEnd: number): Entity[] => {
  const { offset, length } = entity;
  const until = offset + length;
  const shift = newEnd - end;
  if (until <= start) return [entity];
  if (offset >= end) return [{ ...entity, offset: offset + shift }];
  const isAround = offset <= start && until >= end;
  const from = isAround || offset < start ? offset : newEnd;
  const to = isAround || until > end ? until + shift : start;
  return to > from ? [{ ...entity, offset: from, length: to - from }] : [];
};

/**
 * Formats a range. If an entity of that type already covers the range, removes the entity instead.
 * @param url the address of a link
 */
export const toggleFormat = (
  { text, entities }: Formatted,
  start: number,
  end: number,
  type: 'bold' | 'italic' | 'text_link',
  url?: string,
): Formatted => {
  const isSame = (entity: Entity): boolean =>
    entity.type === type && entity.offset <= start && entity.offset + entity.length >= end;
  if (entities.some(isSame)) return { text, entities: entities.filter((entity) => !isSame(entity)) };
  const added: Entity = { type, offset: start, length: end - start, ...(url !== undefined && { url }) };
  return { text, entities: [...entities, added].sort((a, b) => a.offset - b.offset || b.length - a.length) };
};
