import { endOf, sortEntities, type TextWithEntities } from '../../payload/entities.js';
import type { Entity, EntityType } from '../../payload/payload.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { Warning } from '../publisher.js';
import { toMaxUrl } from './links.js';
import { TITLE } from './title.js';

/** Tags that MAX supports (networks.md §2); a `text_link` needs its address. */
const TAGS: Readonly<Partial<Record<EntityType, string>>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
};

/** Entities that MAX cannot show fully; a detected address or hashtag needs no formatting. */
const LOST: ReadonlySet<EntityType> = new Set(['spoiler', 'blockquote', 'expandable_blockquote', 'custom_emoji']);

/**
 * Converts text to HTML that MAX shows as the same text, with all formatting that MAX supports. Entities may be nested,
 * but must not partially overlap (networks.md §2).
 */
export const toHtml = ({ text, entities }: TextWithEntities): string => {
  const open: { readonly end: number; readonly tag: string }[] = [];
  let html = '';
  let at = 0;
  const writeUpTo = (position: number): void => {
    html += escapeHtml(text.slice(at, position));
    at = position;
  };
  const closeUpTo = (position: number): void => {
    for (let inner = open.at(-1); inner && inner.end <= position; inner = open.at(-1)) {
      writeUpTo(inner.end);
      html += `</${inner.tag}>`;
      open.pop();
    }
  };
  for (const entity of sortEntities(entities)) {
    const start = startTag(entity);
    if (start === null) continue;
    closeUpTo(entity.offset);
    writeUpTo(entity.offset);
    html += `<${start}>`;
    open.push({ end: endOf(entity), tag: start.split(' ', 1)[0] ?? '' });
  }
  closeUpTo(text.length);
  writeUpTo(text.length);
  return html;
};

/** True if MAX supports any of the formatting; a text without formatting is sent as it is. */
export const hasFormatting = (entities: readonly Entity[]): boolean =>
  entities.some((entity) => startTag(entity) !== null);

/** Returns warnings about formatting that MAX does not show. */
export const formattingWarnings = (entities: readonly Entity[]): readonly Warning[] => {
  const warnings: Warning[] = [];
  const lost = [...new Set(entities.map(({ type }) => type).filter((type) => LOST.has(type)))];
  if (lost.length > 0) {
    warnings.push({
      code: 'formatting_dropped',
      message: MESSAGES.formattingNotShown({ network: TITLE, types: lost.join(', ') }),
    });
  }
  for (const { type, url = '' } of entities) {
    if (type !== 'text_link' || toMaxUrl(url) !== null) continue;
    const message = MESSAGES.linkNotAccepted({ network: TITLE, url: url.slice(0, 80) });
    warnings.push({ code: 'link_dropped', message });
  }
  return warnings;
};

const startTag = ({ type, url }: Entity): string | null => {
  if (type !== 'text_link') return TAGS[type] ?? null;
  const address = toMaxUrl(url ?? '');
  return address === null ? null : `a href="${escapeHtml(address)}"`;
};

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Returns the plain text of HTML made by {@link toHtml}, as MAX returns it in a look-up. */
export const fromHtml = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
