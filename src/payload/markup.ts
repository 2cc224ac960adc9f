import { endOf, sortEntities, type TextWithEntities } from './entities.js';
import type { Entity } from './payload.js';

/** The tags around an entity's text. */
export type Tags = readonly [opening: string, closing: string];

/**
 * Converts text to markup: encloses each entity's text in its tags and escapes the rest. Entities may be nested, but
 * must not partially overlap.
 * @param tagsOf returns null for an entity without tags; `index` is the entity's index in nesting order
 */
export const renderMarkup = (
  { text, entities }: TextWithEntities,
  tagsOf: (entity: Entity, index: number) => Tags | null,
  escape: (text: string) => string = escapeHtml,
): string => {
  const open: { readonly end: number; readonly closing: string }[] = [];
  let markup = '';
  let at = 0;
  const writeUpTo = (position: number): void => {
    markup += escape(text.slice(at, position));
    at = position;
  };
  const closeUpTo = (position: number): void => {
    for (let inner = open.at(-1); inner && inner.end <= position; inner = open.at(-1)) {
      writeUpTo(inner.end);
      markup += inner.closing;
      open.pop();
    }
  };
  for (const [index, entity] of sortEntities(entities).entries()) {
    const tags = tagsOf(entity, index);
    if (!tags) continue;
    closeUpTo(entity.offset);
    writeUpTo(entity.offset);
    markup += tags[0];
    open.push({ end: endOf(entity), closing: tags[1] });
  }
  closeUpTo(text.length);
  writeUpTo(text.length);
  return markup;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML, including attributes in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]!);

/** Entities that become one element without attributes. */
const ELEMENTS: Readonly<Partial<Record<Entity['type'], string>>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  spoiler: 'tg-spoiler',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
};

/**
 * Converts text to HTML with the tags of bot APIs, such as tg-spoiler (D-29). Text that clients detect automatically
 * (URLs, hashtags, mentions) gets no tags.
 */
export const toTextHtml = (content: TextWithEntities): string => renderMarkup(content, tagsOf);

const tagsOf = ({ type, url, language, custom_emoji_id: emoji }: Entity): Tags | null => {
  if (type === 'pre' && language !== undefined)
    return [`<pre><code class="language-${escapeHtml(language)}">`, '</code></pre>'];
  if (type === 'expandable_blockquote') return ['<blockquote expandable>', '</blockquote>'];
  if (type === 'text_link' && url !== undefined) return [`<a href="${escapeHtml(url)}">`, '</a>'];
  if (type === 'custom_emoji' && emoji !== undefined)
    return [`<tg-emoji emoji-id="${escapeHtml(emoji)}">`, '</tg-emoji>'];
  const tag = ELEMENTS[type];
  return tag === undefined ? null : [`<${tag}>`, `</${tag}>`];
};
