import { describeUnknownField, findUnknownFields } from '../../../payload/unknown-fields.js';
import { quoteShort } from '../../../validation/wording.js';
import type { CheckedMedium } from '../media-check.js';
import { PayloadWarningView } from './sandbox.view.js';
import { PAYLOAD_WARNINGS } from '../messages.js';

/** Most warnings in one answer, as of problems (D-6). */
const MAX_WARNINGS = 50;

const ELEMENTS =
  'a|abbr|article|b|big|blockquote|body|br|center|code|del|div|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|li|link|main|mark|meta|ol|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tg-emoji|tg-spoiler|th|thead|tr|tt|u|ul|var|video';
/** A tag of HTML, or a character reference. `<name>` and `a < b` are neither. */
const HTML = new RegExp(
  `</?(?:${ELEMENTS})(?:\\s*/?>|\\s+[a-z-]+\\s*=[^<>]*>)|&(?:amp|lt|gt|quot|apos|nbsp|#\\d{1,7}|#x[0-9a-f]{1,6});`,
  'i',
);

/**
 * Finds the parts of a payload that publishing accepts and that are probably mistakes (D-49), at most 50: unknown fields, HTML in
 * the text, hosts of media that do not exist.
 * @param sent the parsed body; undefined if it could not be read
 * @param media as far as they were probed
 */
export const findPayloadWarnings = (
  sent: unknown,
  media: readonly CheckedMedium[] = [],
): readonly PayloadWarningView[] => {
  const unknown = findUnknownFields(sent, MAX_WARNINGS).map(
    (field) => new PayloadWarningView('unknown_field', field.path, describeUnknownField(field)),
  );
  const hosts = media.flatMap(({ isHostUnknown, note }, index) =>
    isHostUnknown ? [new PayloadWarningView('host_not_found', `media[${index}].url`, note ?? '')] : [],
  );
  return [...unknown, ...findHtml(sent), ...hosts].slice(0, MAX_WARNINGS);
};

const findHtml = (sent: unknown): readonly PayloadWarningView[] => {
  const text = typeof sent === 'object' && sent !== null && 'text' in sent ? sent.text : undefined;
  const [html] = (typeof text === 'string' && HTML.exec(text)) || [];
  if (html === undefined) return [];
  const message = PAYLOAD_WARNINGS.looksLikeHtml({ part: quoteShort(html) });
  return [new PayloadWarningView('looks_like_html', 'text', message)];
};
