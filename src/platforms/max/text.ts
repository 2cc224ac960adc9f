import type { TextWithEntities } from '../../payload/entities.js';
import { isVisible } from '../../payload/text-measure.js';
import { trimText } from '../../payload/trim.js';
import type { Warning } from '../publisher.js';
import { formattingWarnings, hasFormatting, toHtml } from './html.js';

/** Of the `text` field, in UTF-16 units; whether tags count, nobody says (platforms.md §2). */
export const MAX_TEXT = 4_000;

const BEFORE_LINKS = '\n\n';

/** A message's text as MAX takes it. */
export interface MaxText {
  /** As readers see it. */
  readonly shown: string;
  /** The fields of the request; none where nothing can be seen. */
  readonly fields: { readonly text?: string; readonly format?: 'html' };
  /** UTF-16 units cut from the original text. */
  readonly trimmedChars: number;
  readonly warnings: readonly Warning[];
}

/**
 * A post's text, cut to what fits, with the addresses of media that cannot go below it. Formatted as HTML where
 * formatting is left and the HTML fits; else plain, without `format`.
 */
export const renderText = (post: TextWithEntities, links: readonly string[]): MaxText => {
  const warnings: Warning[] = [...formattingWarnings(post.entities)];
  const kept = links.filter((_, i) => links.slice(0, i + 1).join('\n').length <= MAX_TEXT - BEFORE_LINKS.length);
  if (kept.length < links.length) {
    const message = `${links.length - kept.length} addresses of media find no room in MAX's ${MAX_TEXT} characters.`;
    warnings.push({ code: 'media_dropped', message });
  }
  const tail = kept.join('\n');
  const reserve = tail ? BEFORE_LINKS.length + tail.length : 0;
  const content = isVisible(post.text) ? trimText(post, MAX_TEXT, { reserve }) : { ...NOTHING, trimmedChars: 0 };
  if (content.trimmedChars > 0) {
    const message = `MAX takes ${MAX_TEXT} characters: ${content.trimmedChars} were cut from the end.`;
    warnings.push({ code: 'text_trimmed', message });
  }
  const shown = content.text && tail ? content.text + BEFORE_LINKS + tail : content.text || tail;
  const done = (fields: MaxText['fields']): MaxText => ({
    shown,
    fields,
    trimmedChars: content.trimmedChars,
    warnings,
  });
  if (!shown) return done({});
  if (!hasFormatting(content.entities)) return done({ text: shown });
  const html = toHtml({ text: shown, entities: content.entities });
  if (html.length <= MAX_TEXT) return done({ text: html, format: 'html' });
  const message = `With its formatting the text is over MAX's ${MAX_TEXT} characters: it is sent plain.`;
  warnings.push({ code: 'formatting_dropped', message });
  return done({ text: shown });
};

const NOTHING: TextWithEntities = { text: '', entities: [] };
