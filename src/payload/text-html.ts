import { endOf, sortEntities, type TextWithEntities } from './entities.js';
import type { Entity } from './payload.js';

/** Tags of entities that become a single element without attributes. */
const TAGS: Readonly<Partial<Record<Entity['type'], string>>> = {
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
 * Converts text to HTML with the tags of bot APIs, such as tg-spoiler (D-29): entities become nested elements, the rest
 * is escaped. Text that clients detect automatically (URLs, hashtags, mentions) is not marked up.
 */
export const toTextHtml = ({ text, entities }: TextWithEntities): string => {
  const open: { readonly end: number; readonly close: string }[] = [];
  let html = '';
  let at = 0;
  const writeUpTo = (position: number): void => {
    html += escapeHtml(text.slice(at, position));
    at = position;
  };
  const closeUpTo = (position: number): void => {
    for (let inner = open.at(-1); inner && inner.end <= position; inner = open.at(-1)) {
      writeUpTo(inner.end);
      html += inner.close;
      open.pop();
    }
  };
  for (const entity of sortEntities(entities)) {
    const tags = tagsOf(entity);
    if (!tags) continue;
    closeUpTo(entity.offset);
    writeUpTo(entity.offset);
    html += tags[0];
    open.push({ end: endOf(entity), close: tags[1] });
  }
  closeUpTo(text.length);
  writeUpTo(text.length);
  return html;
};

const tagsOf = ({ type, url, language, custom_emoji_id: emoji }: Entity): readonly [string, string] | null => {
  if (type === 'pre' && language !== undefined)
    return [`<pre><code class="language-${escapeHtml(language)}">`, '</code></pre>'];
  if (type === 'expandable_blockquote') return ['<blockquote expandable>', '</blockquote>'];
  if (type === 'text_link' && url !== undefined) return [`<a href="${escapeHtml(url)}">`, '</a>'];
  if (type === 'custom_emoji' && emoji !== undefined)
    return [`<tg-emoji emoji-id="${escapeHtml(emoji)}">`, '</tg-emoji>'];
  const tag = TAGS[type];
  return tag === undefined ? null : [`<${tag}>`, `</${tag}>`];
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]!);
