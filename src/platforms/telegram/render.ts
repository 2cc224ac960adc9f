import type { JsonObject } from '../../kernel/ids.js';
import type { TextWithEntities } from '../../payload/entities.js';
import type { Button, Media } from '../../payload/payload.js';
import { type ButtonRules, fitButtons } from '../fit-buttons.js';
import { appendLinks, fittedWarnings, linkedMediaWarning, type LinkedText } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import { droppedLinksWarnings, nothingToSend, signatureWarnings, trimmedWarnings } from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, VideoFacts, Warning } from '../publisher.js';
import { cleanText, originalLength, renderEntities, type TelegramEntity } from './clean-text.js';
import { acceptsButtonUrl, TELEGRAM_LIMITS, TITLE } from './limits.js';

/** Media type on Telegram; a document is a video or audio file in a format that Telegram does not play. */
type TelegramKind = Media['type'] | 'document';

interface PlannedItem {
  readonly kind: TelegramKind;
  /** The reference to the attached file: see {@link attachmentName}. */
  readonly attachment: string;
  /** Size and length of a video, if known. */
  readonly video?: VideoFacts | undefined;
  /** The reference to its attached cover picture, if it has one. */
  readonly thumbnail?: string | undefined;
}

/** The media of one message: a single medium, or an album of two to ten. */
interface PlannedGroup {
  /** Name of the step. */
  readonly name: string;
  readonly items: readonly PlannedItem[];
}

/** How a post's media are distributed across messages. */
interface MediaPlan {
  /** In sending order: photos and videos, then audio files, then each document. */
  readonly groups: readonly PlannedGroup[];
  /** URLs of media that cannot be sent (D-22). */
  readonly links: readonly string[];
  /** True if Telegram refused a message: earlier messages have no caption, so the text follows in its own message. */
  readonly sendsTextSeparately: boolean;
  readonly warnings: readonly Warning[];
}

/** Result of downloading one medium: its kind, or why it becomes a link. */
export type FetchedMedium =
  | { readonly kind: TelegramKind; readonly fitted?: true; readonly video?: VideoFacts; readonly cover?: true }
  | { readonly link: string };

/** Formats that are sent as documents, by the file's MIME type and by the URL's extension (networks.md §1, D-22). */
const DOCUMENT_MIME = /^(?:video\/(?!mp4$)|audio\/(?!mpeg$|mp4$))/;
const DOCUMENT_ENDING = /\.(?:mov|webm|ogg|oga|opus)$/i;

/** Returns the kind of a file. @param mime detected from its bytes */
export const kindOfFile = (type: Media['type'], mime: string): TelegramKind =>
  type !== 'photo' && DOCUMENT_MIME.test(mime) ? 'document' : type;

/** Returns the reference that a request uses for a medium's file. */
const attachmentName = (type: Media['type'], index: number): string => `attach://${type}-${index}`;

/** Returns the name of the part with the cover picture of a medium. */
export const coverName = (index: number): string => `cover-${index}`;

/** Parses a reference to a medium's file; returns null for anything else. */
export const parseAttachment = (reference: string): { readonly type: Media['type']; readonly index: number } | null => {
  const [, type, index] = /^attach:\/\/(photo|video|audio)-(\d+)$/.exec(reference) ?? [];
  return type === undefined ? null : { type: type as Media['type'], index: Number(index) };
};

/**
 * Distributes media across messages (networks.md §1): photos and videos together, audio files together, each document
 * in a separate message. Until the media are downloaded, the formats are taken from the URL extensions.
 *
 * @param fetched result of the download step, if it is done
 * @param results results of the groups sent so far; `refused` is why Telegram refused a group (D-22)
 */
const planMedia = (
  media: readonly Media[],
  fetched: JsonObject | undefined,
  results: SendContext['results'],
): MediaPlan => {
  const found = (fetched?.['media'] ?? []) as unknown as readonly (FetchedMedium | null)[];
  const links: string[] = [];
  const warnings: Warning[] = [];
  const items: PlannedItem[] = [];
  for (const [index, { type, url }] of media.entries()) {
    const guess: FetchedMedium = found[index] ?? { kind: guessed(type, url) };
    const refused = 'kind' in guess ? results[groupOf(guess.kind, index)]?.['refused'] : undefined;
    const what = typeof refused === 'string' ? { link: refused } : guess;
    if ('link' in what) {
      links.push(url);
      warnings.push(linkedMediaWarning('media_as_link', index, what.link));
      continue;
    }
    warnings.push(...fittedWarnings(what.fitted && { fitted: true }, index));
    if (what.kind === 'document') {
      const message = MESSAGES.mediaAsDocument({ network: TITLE, index });
      warnings.push({ code: 'media_as_document', message });
    }
    const thumbnail = what.cover && `attach://${coverName(index)}`;
    items.push({ kind: what.kind, attachment: attachmentName(type, index), video: what.video, thumbnail });
  }
  const those = (...kinds: readonly TelegramKind[]): PlannedItem[] => items.filter(({ kind }) => kinds.includes(kind));
  const groups = [
    { name: groupOf('photo', 0), items: those('photo', 'video') },
    { name: groupOf('audio', 0), items: those('audio') },
    ...those('document').map((item): PlannedGroup => ({
      name: groupOf('document', parseAttachment(item.attachment)?.index ?? 0),
      items: [item],
    })),
  ];
  return {
    groups: groups.filter((group) => group.items.length > 0),
    links,
    sendsTextSeparately: Object.values(results).some((result) => 'refused' in result),
    warnings,
  };
};

/** Returns the name of a medium's group. @param index index of the medium, from 0 */
const groupOf = (kind: TelegramKind, index: number): string => {
  if (kind === 'document') return `document-${index}`;
  return kind === 'audio' ? 'audio' : 'visual';
};

const guessed = (type: Media['type'], url: string): TelegramKind => {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  return type !== 'photo' && DOCUMENT_ENDING.test(path) ? 'document' : type;
};

/** Name of the step that downloads a post's media. Its result determines the other steps. */
export const FETCH = 'media';

/** Text fields of a request. */
interface RenderedText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
  readonly warnings: readonly Warning[];
}

/** Converts formatted text for Telegram. */
export const renderText = ({ text, entities }: TextWithEntities): RenderedText => ({
  text,
  ...renderEntities(entities),
});

/** Returns the step that downloads all media. */
const fetchStep = (media: readonly Media[]): Step => ({
  name: FETCH,
  visible: false,
  method: '(download)',
  request: { types: media.map(({ type }) => type), urls: media.map(({ url }) => url) },
});

/** Returns a `sendMessage` step. @param replyTo name of the step whose first message it replies to */
export const messageStep = (
  chatId: string,
  { text, entities }: RenderedText,
  keyboard: InlineKeyboard | null,
  replyTo: string | undefined,
): Step => ({
  name: 'message',
  visible: true,
  method: 'sendMessage',
  request: {
    chat_id: chatId,
    text,
    ...(entities.length > 0 ? { entities } : {}),
    ...keyboardFields(keyboard),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: { $from: `${replyTo}.message_id` }, allow_sending_without_reply: true } }),
  },
});

/** Returns the name of the step whose message a request replies to; undefined if it is not a reply. */
export const repliedStep = ({ reply_parameters: reply }: JsonObject): string | undefined => {
  const { message_id: id } = (reply ?? {}) as { readonly message_id?: { readonly $from: string } };
  return id?.$from.slice(0, id.$from.lastIndexOf('.'));
};

/** Returns the step that sends one medium or an album. */
const mediaStep = (
  chatId: string,
  { name, items }: PlannedGroup,
  caption: RenderedText | null,
  keyboard: InlineKeyboard | null,
): Step => {
  const [only, ...more] = items;
  if (only && more.length === 0) {
    const { kind, attachment } = only;
    return {
      name,
      visible: true,
      method: METHODS[kind],
      request: {
        chat_id: chatId,
        [kind]: attachment,
        ...videoFields(only),
        ...captionFields(caption),
        ...keyboardFields(keyboard),
      },
    };
  }
  const media = items.map((item, i): JsonObject => ({
    type: item.kind,
    media: item.attachment,
    ...videoFields(item),
    ...captionFields(i === 0 ? caption : null),
  }));
  return { name, visible: true, method: 'sendMediaGroup', request: { chat_id: chatId, media } };
};

const METHODS = { photo: 'sendPhoto', video: 'sendVideo', audio: 'sendAudio', document: 'sendDocument' } as const;

/**
 * Without them, Telegram shows a video above some 10 MB as a square tile of zero length (networks.md §1).
 */
const videoFields = ({ video, thumbnail }: PlannedItem): JsonObject =>
  video ? { ...video, ...(thumbnail && { thumbnail }), supports_streaming: true } : {};

const keyboardFields = (keyboard: InlineKeyboard | null): JsonObject =>
  keyboard ? { reply_markup: { inline_keyboard: keyboard.inline_keyboard } } : {};

const captionFields = (caption: RenderedText | null): JsonObject =>
  caption === null
    ? {}
    : { caption: caption.text, ...(caption.entities.length > 0 ? { caption_entities: caption.entities } : {}) };

/** Telegram documents no limit, but no client shows longer text, and the total size of all buttons is limited. */
const RULES: ButtonRules = { network: TITLE, limit: 128, toUrl: (url) => (acceptsButtonUrl(url) ? url : null) };

/** An `InlineKeyboardMarkup` of URL buttons. */
interface InlineKeyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly url: string }[])[];
}

/** Converts a post's buttons to rows below the message. `keyboard` is null if no button is left. */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: InlineKeyboard | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const kept = rows.map((row) => fitButtons(row, RULES, warnings)).filter((row) => row.length > 0);
  return { keyboard: kept.length > 0 ? { inline_keyboard: kept } : null, warnings };
};

const { text: MAX_MESSAGE_TEXT, caption: MAX_CAPTION } = TELEGRAM_LIMITS;

/** Text for a message that has only buttons: Telegram requires visible text (D-22). */
const BUTTONS_ALONE = '🔗';

/**
 * Matches text that is only white space and characters without a glyph; Telegram refuses it (`text must be non-empty`).
 */
const INVISIBLE = /^(?:[\s\u180e\u200b-\u200f\u202a-\u202e\u2800\ufffc\u030a\u0333\u033f]|[\u{e0000}-\u{e007f}])*$/u;

/**
 * Returns the calls that publish a post in a Telegram chat (networks.md §1, §2, §5): a message, a medium or an album
 * with the text as its caption, or media followed by the text as a reply. Pure. If there is nothing to send, no step
 * makes a call and a warning says so.
 */
export const renderTelegram = (
  post: PlatformPost,
  channel: PlatformChannel,
  results: SendContext['results'] = {},
): Rendering => {
  const { keyboard, warnings: keyboardWarnings } = renderKeyboard(post.buttons);
  const plan = planMedia(post.media, results[FETCH], results);
  const cleaned = cleanText({ text: post.text, entities: post.entities });
  const signature = post.signature && cleanText(post.signature);
  const content = appendLinks(
    INVISIBLE.test(cleaned.text) ? NOTHING : cleaned,
    plan.links,
    MAX_MESSAGE_TEXT,
    signature && !INVISIBLE.test(signature.text) ? signature : undefined,
  );
  // Counted in the original text, including characters that Telegram removes (D-44).
  const trimmedChars =
    content.trimmedChars > 0
      ? post.text.length - originalLength(post.text, cleaned.text.length - content.trimmedChars)
      : 0;
  const layout = layOut(content, keyboard, plan, channel.address['chat_id'] ?? '');
  const warnings = [
    ...keyboardWarnings,
    ...plan.warnings,
    ...trimmedWarnings(TITLE, MAX_MESSAGE_TEXT, trimmedChars),
    ...droppedLinksWarnings('media_dropped', content.droppedLinks),
    ...signatureWarnings(content),
    ...layout.warnings,
    ...(layout.steps.length === 0 ? [nothingToSend(TITLE)] : []),
  ];
  const sent = post.silent ? layout.steps.map(withoutNotification) : layout.steps;
  const steps = post.media.length > 0 ? [fetchStep(post.media), ...sent] : sent;
  return { steps, warnings, textAfterTrim: layout.shown, trimmedChars };
};

const withoutNotification = (step: Step): Step => ({
  ...step,
  request: { ...step.request, disable_notification: true },
});

const NOTHING = { text: '', entities: [] };

interface Layout {
  readonly steps: readonly Step[];
  /** The text that readers see. */
  readonly shown: string;
  readonly warnings: readonly Warning[];
}

/** Plans the messages (networks.md §1: How a post becomes messages). */
const layOut = (
  content: LinkedText,
  keyboard: InlineKeyboard | null,
  { groups, sendsTextSeparately }: Pick<MediaPlan, 'groups' | 'sendsTextSeparately'>,
  chatId: string,
): Layout => {
  const [first, ...more] = groups;
  const isOneMessage = first?.items.length === 1;
  // An album cannot have buttons, and they cannot be added later.
  if (
    first &&
    more.length === 0 &&
    !sendsTextSeparately &&
    content.text.length <= MAX_CAPTION &&
    (isOneMessage || keyboard === null)
  ) {
    const caption = content.text ? renderText(content) : null;
    const step = mediaStep(chatId, first, caption, keyboard);
    return { steps: [step], shown: content.text, warnings: caption?.warnings ?? [] };
  }
  const media = groups.map((group) => mediaStep(chatId, group, null, null));
  if (!content.text && !keyboard) return { steps: media, shown: '', warnings: [] };
  const text = renderText(content.text ? content : { text: BUTTONS_ALONE, entities: [] });
  const warnings = [...text.warnings];
  if (!content.text) {
    const message = MESSAGES.textAdded({ network: TITLE, text: BUTTONS_ALONE });
    warnings.push({ code: 'text_added', message });
  }
  return {
    steps: [...media, messageStep(chatId, text, keyboard, first?.name)],
    shown: text.text,
    warnings,
  };
};
