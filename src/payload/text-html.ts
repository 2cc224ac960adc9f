import type { TextWithEntities } from './entities.js';
import { escapeHtml, renderMarkup, type Tags } from './markup.js';
import type { Entity } from './payload.js';

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
