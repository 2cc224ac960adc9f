import type { TextWithEntities } from '../../payload/entities.js';
import { isVisible } from '../../validation/text-measure.js';
import { appendLinks } from '../media-links.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { PlatformPost, Warning } from '../publisher.js';
import { droppedLinksWarnings, signatureWarnings, trimmedWarnings } from '../text-warnings.js';
import { formattingWarnings, hasFormatting, toHtml } from './html.js';
import { MAX_LIMITS } from './limits.js';
import { TITLE } from './title.js';

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
