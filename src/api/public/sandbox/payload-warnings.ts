import { describeUnknownField, findUnknownFields } from '../../../payload/unknown-fields.js';
import { type Sent } from '../../../validation/check-fields.js';
import { joinPath, quoteShort } from '../../../validation/wording.js';
import type { CheckedLists } from '../media-check.js';
import { PAYLOAD_WARNINGS } from '../messages.js';
import { PayloadWarningView } from './sandbox.view.js';

/** The same maximum as for problems (D-6). */
const MAX_WARNINGS = 50;

const ELEMENTS =
  'a|abbr|article|b|big|blockquote|body|br|center|code|del|div|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|li|link|main|mark|meta|ol|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tg-emoji|tg-spoiler|th|thead|tr|tt|u|ul|var|video';
/** An HTML tag or character reference. `<name>` and `a < b` do not match. */
const HTML = new RegExp(
  `</?(?:${ELEMENTS})(?:\\s*/?>|\\s+[a-z-]+\\s*=[^<>]*>)|&(?:amp|lt|gt|quot|apos|nbsp|#\\d{1,7}|#x[0-9a-f]{1,6});`,
  'i',
);

/**
 * Finds likely mistakes in a payload that publishing would accept anyway (D-49), at most 50.
 * @param sent the parsed body; undefined if it could not be read
 * @param unused override keys that no target uses
 */
export const findPayloadWarnings = (
  sent: unknown,
  lists: CheckedLists['lists'] = new Map(),
  unused: readonly string[] = [],
): readonly PayloadWarningView[] => {
  const unknown = findUnknownFields(sent, MAX_WARNINGS).map(
    (field) => new PayloadWarningView('unknown_field', field.path, describeUnknownField(field)),
  );
  const withoutEffect = unused.map((key) => {
    const path = joinPath('overrides.', key);
    return new PayloadWarningView('unused_override', path, PAYLOAD_WARNINGS.unusedOverride({ path }));
  });
  const hosts = [...lists].flatMap(([path, media]) =>
    media.flatMap(({ isHostUnknown, note }, index) =>
      isHostUnknown ? [new PayloadWarningView('host_not_found', `${path}[${index}].url`, note ?? '')] : [],
    ),
  );
  return [...unknown, ...withoutEffect, ...findHtml(sent), ...hosts].slice(0, MAX_WARNINGS);
};

const findHtml = (sent: unknown): readonly PayloadWarningView[] =>
  listTexts(sent).flatMap(([path, text]) => {
    const [html] = (typeof text === 'string' && HTML.exec(text)) || [];
    if (html === undefined) return [];
    const message = PAYLOAD_WARNINGS.looksLikeHtml({ path, part: quoteShort(html) });
    return [new PayloadWarningView('looks_like_html', path, message)];
  });

const isObject = (value: unknown): value is Sent => typeof value === 'object' && value !== null;

/** Lists the text fields of the post and its overrides, with their paths. */
const listTexts = (sent: unknown): readonly (readonly [path: string, text: unknown])[] => {
  if (!isObject(sent)) return [];
  const overrides = Object.entries(isObject(sent.overrides) ? sent.overrides : {});
  return [
    ['text', sent.text],
    ...overrides.map(
      ([key, override]) =>
        [`${joinPath('overrides.', key)}.text`, isObject(override) ? override.text : undefined] as const,
    ),
  ];
};
