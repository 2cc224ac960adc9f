import type { TextWithEntities } from '../../payload/entities.js';
import { escapeHtml, renderMarkup, type Tags } from '../../payload/markup.js';
import type { Entity, EntityType } from '../../payload/payload.js';
import { isVisible } from '../../validation/text-measure.js';
import { appendLinks } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import { droppedLinksWarnings, signatureWarnings, trimmedWarnings } from '../plain-text.js';
import type { PlatformPost, Warning } from '../publisher.js';
import { MAX_LIMITS, TITLE, toMaxUrl } from './limits.js';

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

const { text: MAX_TEXT } = MAX_LIMITS;

/** Message text in a form that MAX accepts. */
export interface MaxText {
  /** The text as readers see it. */
  readonly shown: string;
  /** Fields of the request; none if no text is visible. */
  readonly fields: { readonly text?: string; readonly format?: 'html' };
  readonly trimmedChars: number;
  readonly warnings: readonly Warning[];
}

/**
 * Renders a post's text, trimmed to the limit, followed by its signature and the links of media that cannot be sent.
 * The result is HTML if the text has formatting and the HTML fits; otherwise it is plain text without `format`.
 */
export const renderText = (post: PlatformPost, links: readonly string[]): MaxText => {
  const { signature } = post;
  const content = appendLinks(isVisible(post.text) ? post : NOTHING, links, MAX_TEXT, signature);
  const { text: shown, trimmedChars } = content;
  const warnings: Warning[] = [
    ...formattingWarnings([...post.entities, ...(signature?.entities ?? [])]),
    ...droppedLinksWarnings('media_dropped', content.droppedLinks),
    ...trimmedWarnings(TITLE, MAX_TEXT, trimmedChars),
    ...signatureWarnings(content),
  ];
  const done = (fields: MaxText['fields']): MaxText => ({ shown, fields, trimmedChars, warnings });
  if (!shown) return done({});
  if (!hasFormatting(content.entities)) return done({ text: shown });
  const html = toHtml({ text: shown, entities: content.entities });
  if (html.length <= MAX_TEXT) return done({ text: html, format: 'html' });
  const message = MESSAGES.textTooLongWithFormatting({ network: TITLE, limit: MAX_TEXT });
  warnings.push({ code: 'formatting_dropped', message });
  return done({ text: shown });
};

/** Returns the fields of a message that has only links. */
export const renderLinks = (links: readonly string[]): MaxText['fields'] => ({
  text: appendLinks(NOTHING, links, MAX_TEXT).text,
});

const NOTHING: TextWithEntities = { text: '', entities: [] };
