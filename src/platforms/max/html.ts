import type { TextWithEntities } from '../../payload/entities.js';
import { escapeHtml, renderMarkup, type Tags } from '../../payload/markup.js';
import type { Entity, EntityType } from '../../payload/payload.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { Warning } from '../publisher.js';
import { toMaxUrl } from './links.js';
import { TITLE } from './title.js';

/** Elements that MAX supports without attributes (networks.md §2). */
const ELEMENTS: Readonly<Partial<Record<EntityType, string>>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
};

/** Entities that MAX cannot show fully; a detected address or hashtag needs no formatting. */
const LOST: ReadonlySet<EntityType> = new Set(['spoiler', 'blockquote', 'expandable_blockquote', 'custom_emoji']);

/** Converts text to HTML that MAX shows as the same text, with all formatting that MAX supports (networks.md §2). */
export const toHtml = (content: TextWithEntities): string => renderMarkup(content, tagsOf);

/** True if MAX supports any of the formatting. */
export const hasFormatting = (entities: readonly Entity[]): boolean =>
  entities.some((entity) => tagsOf(entity) !== null);

/** Returns warnings about formatting that MAX does not show. */
export const formattingWarnings = (entities: readonly Entity[]): readonly Warning[] => {
  const warnings: Warning[] = [];
  const lost = [...new Set(entities.map(({ type }) => type).filter((type) => LOST.has(type)))];
  if (lost.length > 0) {
    const message = MESSAGES.formattingNotShown({ network: TITLE, types: lost.join(', ') });
    warnings.push({ code: 'formatting_dropped', message });
  }
  for (const { type, url = '' } of entities) {
    if (type !== 'text_link' || toMaxUrl(url) !== null) continue;
    const message = MESSAGES.linkNotAccepted({ network: TITLE, url: url.slice(0, 80) });
    warnings.push({ code: 'link_dropped', message });
  }
  return warnings;
};

const tagsOf = ({ type, url }: Entity): Tags | null => {
  const address = type === 'text_link' ? toMaxUrl(url ?? '') : null;
  if (address !== null) return [`<a href="${escapeHtml(address)}">`, '</a>'];
  const name = ELEMENTS[type];
  return name === undefined ? null : [`<${name}>`, `</${name}>`];
};

/** Returns the plain text of HTML made by {@link toHtml}, as MAX returns it in a look-up. */
export const fromHtml = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
