import type { JsonObject } from '../../kernel/ids.js';
import type { TextWithEntities } from '../../payload/entities.js';
import { escapeHtml, renderMarkup, type Tags } from '../../payload/markup.js';
import type { Button, Entity, EntityType, LocatedMedium, Media } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import { isVisible } from '../../validation/text-measure.js';
import { appendLinks, fittedWarnings, linkedMediaWarnings } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import {
  type ButtonRules,
  droppedLinksWarnings,
  fitButtons,
  nothingToSend,
  signatureWarnings,
  trimmedWarnings,
} from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
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
const toHtml = (content: TextWithEntities): string => renderMarkup(content, tagsOf);

/** True if MAX supports any of the formatting. */
const hasFormatting = (entities: readonly Entity[]): boolean => entities.some((entity) => tagsOf(entity) !== null);

/** Returns warnings about formatting that MAX does not show. */
const formattingWarnings = (entities: readonly Entity[]): readonly Warning[] => {
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
interface MaxText {
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
const renderLinks = (links: readonly string[]): MaxText['fields'] => ({
  text: appendLinks(NOTHING, links, MAX_TEXT).text,
});

const NOTHING: TextWithEntities = { text: '', entities: [] };

/**
 * Maximum number of link buttons in a row (networks.md §5). A post's 8 rows of 8 become 24 rows, which is within MAX's
 * limit of 30.
 */
const MAX_IN_ROW = 3;
/** See networks.md §5. */
const RULES: ButtonRules = { network: TITLE, limit: 128, toUrl: toMaxUrl };

/**
 * Converts a post's buttons to an `inline_keyboard` attachment, splitting a row of 8 into 3 + 3 + 2. `keyboard` is null
 * if no button is left.
 */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: JsonObject | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const buttons = rows.flatMap((row) =>
    inThrees(fitButtons(row, RULES, warnings).map((button) => ({ type: 'link', ...button }))),
  );
  return { keyboard: buttons.length > 0 ? { type: 'inline_keyboard', payload: { buttons } } : null, warnings };
};

const inThrees = <T>(row: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(row.length / MAX_IN_ROW) }, (_, i) => row.slice(i * MAX_IN_ROW, (i + 1) * MAX_IN_ROW));

/** Text of a message that has only buttons, because MAX requires text (D-22). */
const BUTTONS_ALONE = '🔗';

/** MAX's name for a media type, the same in attachments and uploads. */
export type MaxMediaType = 'image' | 'video' | 'audio';
const TYPES: Readonly<Record<Media['type'], MaxMediaType>> = { photo: 'image', video: 'video', audio: 'audio' };

interface IndexedMedium {
  readonly index: number;
  readonly medium: LocatedMedium;
}

/**
 * Returns the name of a medium's upload step. The step's result has a `payload`, or a `link` if the medium becomes a
 * link.
 */
export const uploadStepName = (index: number): string => `upload-${index}`;

/**
 * Returns the calls that publish a post in a MAX chat (networks.md §1, §2, §5): all uploads first, then one message
 * with text, photos, videos and buttons, then one message for each audio file. Pure.
 */
export const renderMax = (
  post: PlatformPost,
  channel: PlatformChannel,
  results: SendContext['results'] = {},
): Rendering => {
  const warnings: Warning[] = [];
  const media = post.media.map((medium, index): IndexedMedium => ({ medium, index }));
  const links: string[] = [];
  const attached: IndexedMedium[] = [];
  for (const one of media) {
    const result = results[uploadStepName(one.index)];
    const obstacle = result?.['link'] ?? refusalOf(one, results);
    if (typeof obstacle === 'string') {
      links.push(one.medium.url);
      warnings.push(...linkedMediaWarnings('media_as_link', one.index, one.medium, obstacle));
    } else {
      attached.push(one);
      warnings.push(...fittedWarnings(result, one.index));
    }
  }
  const { keyboard, warnings: keyboardWarnings } = renderKeyboard(post.buttons);
  // If MAX refused the message with the media, the text follows in a message without them. Links to refused audio files
  // follow the text if it is already there.
  const name = results[MESSAGE]?.['refused'] === undefined ? MESSAGE : 'text';
  const isRefusedLate = (one: IndexedMedium): boolean =>
    results[name]?.['mid'] !== undefined && one.medium.type === 'audio' && refusalOf(one, results) !== undefined;
  const refusedLate = media.filter(isRefusedLate).map(({ medium }) => medium.url);
  const textWithout = (left: readonly string[]): MaxText =>
    renderText(
      post,
      links.filter((url) => !left.includes(url)),
    );
  const own = textWithout(refusedLate);
  const isVisual = ({ medium }: IndexedMedium): boolean => medium.type !== 'audio';
  // A message of links alone was sent because of the first of them.
  const hasOwnContent = own.shown !== '' || keyboard !== null || attached.some(isVisual);
  const late = hasOwnContent ? refusedLate : refusedLate.slice(1);
  const text = hasOwnContent ? own : textWithout(late);
  warnings.push(...keyboardWarnings, ...text.warnings);
  // A channel refuses `notify: false` (networks.md §1).
  if (post.silent) warnings.push({ code: 'silent_ignored', message: MESSAGES.silentIgnored({ network: TITLE }) });

  const visual = attached.filter(isVisual);
  const audios = attached.filter(({ medium }) => medium.type === 'audio');
  const needsText = keyboard !== null && !text.shown && visual.length === 0;
  if (needsText) {
    const message = MESSAGES.textAdded({ network: TITLE, text: BUTTONS_ALONE });
    warnings.push({ code: 'text_added', message });
  }
  const body = needsText ? { ...text, shown: BUTTONS_ALONE, fields: { text: BUTTONS_ALONE } } : text;
  const attachments = [...visual.map(attachment), ...(keyboard ? [keyboard] : [])];
  const hasMessage = body.fields.text !== undefined || attachments.length > 0;
  const steps = [
    ...media.map(uploadStep),
    ...(hasMessage ? [messageStep(name, body.fields, attachments, channel)] : []),
    ...audios.map((one) => messageStep(messageStepName(one), {}, [attachment(one)], channel)),
    ...(late.length > 0 ? [messageStep(LATE_LINKS, renderLinks(late), [], channel)] : []),
  ];
  if (steps.length === 0) warnings.push(nothingToSend(TITLE));
  return { steps, warnings, textAfterTrim: body.shown, trimmedChars: body.trimmedChars };
};

/** Name of the message with the text, photos and videos. */
export const MESSAGE = 'message';
/** Name of the message with the links of audio files that MAX refused after the text. */
export const LATE_LINKS = 'links';

/** Returns the name of an audio file's message. */
export const audioStepName = (index: number | ''): string => `audio-${index}`;

const messageStepName = ({ index, medium }: IndexedMedium): string =>
  medium.type === 'audio' ? audioStepName(index) : MESSAGE;

/** Returns why MAX refused the message that a medium was sent in; undefined if it did not. */
const refusalOf = (one: IndexedMedium, results: SendContext['results']): unknown =>
  results[messageStepName(one)]?.['refused'];

const uploadStep = ({ index, medium }: IndexedMedium): Step => ({
  name: uploadStepName(index),
  visible: false,
  method: 'POST /uploads',
  request: { type: TYPES[medium.type], medium: index, url: sourceOf(medium) },
});

const attachment = ({ index, medium }: IndexedMedium): JsonObject => ({
  type: TYPES[medium.type],
  payload: { $from: `${uploadStepName(index)}.payload` },
});

const messageStep = (
  name: string,
  fields: MaxText['fields'],
  attachments: readonly JsonObject[],
  channel: PlatformChannel,
): Step => ({
  name,
  visible: true,
  method: 'POST /messages',
  request: {
    chat_id: channel.address['chat_id'] ?? '',
    ...fields,
    ...(attachments.length > 0 ? { attachments } : {}),
    notify: true,
  },
});
