import type { JsonObject } from '../../kernel/ids.js';
import { countOf } from '../../kernel/message.js';
import { sortEntities, type TextWithEntities } from '../../payload/entities.js';
import type { Button, Entity } from '../../payload/payload.js';
import { appendLinks, type LinkedText } from '../media.js';
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
import { FETCH, fetchStep, type MediaPlan, planMedia, type PlannedGroup, type PlannedItem } from './files.js';
import { acceptsButtonUrl, acceptsUrl, TELEGRAM_LIMITS, TITLE } from './limits.js';

/** Matches characters that Telegram replaces with a space, and `\r`, which it removes. Telegram keeps `\n`. */
const CONTROLS = /[\0-\t\v-\x1f]/;
const CARRIAGE_RETURN = 13;

/**
 * Returns the text the way Telegram stores it, so that the limit applies to what the channel shows (networks.md §2):
 * control characters become spaces, `\r` is removed, entities still cover the same words. Removes entities that become
 * empty.
 */
export const cleanText = (content: TextWithEntities): TextWithEntities => {
  const { text, entities } = content;
  if (!CONTROLS.test(text)) return content;

  // removed[i]: number of units removed before unit i.
  const removed = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    removed[at + 1] = (removed[at] ?? 0) + (text.charCodeAt(at) === CARRIAGE_RETURN ? 1 : 0);
  }
  const moved = (offset: number): number => offset - (removed[offset] ?? 0);
  return {
    text: text.replaceAll('\r', '').replace(new RegExp(CONTROLS, 'g'), ' '),
    entities: entities.flatMap((entity) => {
      const offset = moved(entity.offset);
      const length = moved(entity.offset + entity.length) - offset;
      return length > 0 ? [{ ...entity, offset, length }] : [];
    }),
  };
};

/** Returns how many UTF-16 units of the original text make up the first `kept` units of {@link cleanText}'s result. */
export const originalLength = (text: string, kept: number): number => {
  let at = 0;
  for (let left = kept; left > 0; at++) if (text.charCodeAt(at) !== CARRIAGE_RETURN) left--;
  return at;
};

/** Telegram shows about this many entities in a message and ignores the rest (networks.md §2). */
const MAX_ENTITIES = 100;

/** Types that Telegram detects itself and ignores in a request. */
const DETECTED: ReadonlySet<string> = new Set(['mention', 'url', 'email', 'phone_number', 'hashtag']);

/** A `MessageEntity` of the Bot API. */
type TelegramEntity = Readonly<Record<string, string | number>>;

/**
 * Converts a post's entities for Telegram, in order. Omits entities that Telegram detects itself and, with a warning,
 * entities that it would refuse or ignore.
 */
export const renderEntities = (
  entities: readonly Entity[],
): { readonly entities: readonly TelegramEntity[]; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const taken = sortEntities(entities).filter((entity) => {
    if (DETECTED.has(entity.type)) return false;
    if (entity.type === 'text_link' && !acceptsUrl(entity.url ?? '')) {
      const message = MESSAGES.linkNotAccepted({ network: TITLE, url: shorten(entity.url ?? '') });
      warnings.push({ code: 'link_dropped', message });
      return false;
    }
    if (entity.type === 'custom_emoji' && !/^\d{1,19}$/.test(entity.custom_emoji_id ?? '')) {
      const message = MESSAGES.unknownEmoji({ network: TITLE, id: shorten(entity.custom_emoji_id ?? '') });
      warnings.push({ code: 'custom_emoji_dropped', message });
      return false;
    }
    return true;
  });
  if (taken.length > MAX_ENTITIES) {
    const parts = countOf(taken.length - MAX_ENTITIES, 'part');
    const message = MESSAGES.tooManyEntities({ network: TITLE, limit: MAX_ENTITIES, parts });
    warnings.push({ code: 'entities_dropped', message });
  }
  return { entities: taken.slice(0, MAX_ENTITIES).map(telegramEntity), warnings };
};

const telegramEntity = ({ type, offset, length, url, language, custom_emoji_id }: Entity): TelegramEntity => ({
  type,
  offset,
  length,
  ...(type === 'text_link' && url !== undefined ? { url } : {}),
  ...(type === 'pre' && language ? { language } : {}),
  ...(type === 'custom_emoji' && custom_emoji_id !== undefined ? { custom_emoji_id } : {}),
});

const shorten = (value: string): string => (value.length > 80 ? `${value.slice(0, 79)}…` : value);

/** Text fields of a request. */
export interface RenderedText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
  readonly warnings: readonly Warning[];
}

/** Converts formatted text for Telegram. */
export const renderText = ({ text, entities }: TextWithEntities): RenderedText => ({
  text,
  ...renderEntities(entities),
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
export const videoFields = ({ video, thumbnail }: PlannedItem): JsonObject =>
  video ? { ...video, ...(thumbnail && { thumbnail }), supports_streaming: true } : {};

export const keyboardFields = (keyboard: InlineKeyboard | null): JsonObject =>
  keyboard ? { reply_markup: { inline_keyboard: keyboard.inline_keyboard } } : {};

const captionFields = (caption: RenderedText | null): JsonObject =>
  caption === null
    ? {}
    : { caption: caption.text, ...(caption.entities.length > 0 ? { caption_entities: caption.entities } : {}) };

/** Telegram documents no limit, but no client shows longer text, and the total size of all buttons is limited. */
const RULES: ButtonRules = { network: TITLE, limit: 128, toUrl: (url) => (acceptsButtonUrl(url) ? url : null) };

/** An `InlineKeyboardMarkup` of URL buttons. */
export interface InlineKeyboard {
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

/** A post's parts in Telegram's form, before they become messages. */
export interface Prepared {
  readonly content: LinkedText;
  /** Null if no button is left. */
  readonly keyboard: InlineKeyboard | null;
  readonly plan: MediaPlan;
  readonly trimmedChars: number;
  readonly warnings: readonly Warning[];
}

/** Converts a post for Telegram. @param results see {@link planMedia} */
export const prepare = (post: PlatformPost, results: SendContext['results']): Prepared => {
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
  const warnings = [
    ...keyboardWarnings,
    ...plan.warnings,
    ...trimmedWarnings(TITLE, MAX_MESSAGE_TEXT, trimmedChars),
    ...droppedLinksWarnings('media_dropped', content.droppedLinks),
    ...signatureWarnings(content),
  ];
  return { content, keyboard, plan, trimmedChars, warnings };
};

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
  const prepared = prepare(post, results);
  const layout = layOut(prepared, channel.address['chat_id'] ?? '');
  const warnings = [
    ...prepared.warnings,
    ...layout.warnings,
    ...(layout.steps.length === 0 ? [nothingToSend(TITLE)] : []),
  ];
  const sent = post.silent ? layout.steps.map(withoutNotification) : layout.steps;
  const steps = post.media.length > 0 ? [fetchStep(post.media), ...sent] : sent;
  return { steps, warnings, textAfterTrim: layout.shown, trimmedChars: prepared.trimmedChars };
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
const layOut = (prepared: Prepared, chatId: string): Layout => {
  const { content, keyboard, plan } = prepared;
  const [first] = plan.groups;
  if (first && isOneMessage(prepared)) {
    const caption = content.text ? renderText(content) : null;
    const step = mediaStep(chatId, first, caption, keyboard);
    return { steps: [step], shown: content.text, warnings: caption?.warnings ?? [] };
  }
  const media = plan.groups.map((group) => mediaStep(chatId, group, null, null));
  if (!content.text && !keyboard) return { steps: media, shown: '', warnings: [] };
  const text = renderMessageText(content);
  return {
    steps: [...media, messageStep(chatId, text, keyboard, first?.name)],
    shown: text.text,
    warnings: text.warnings,
  };
};

/** True if one message holds everything: its media, the text as a caption, and the buttons, which no album can have. */
export const isOneMessage = ({ content, keyboard, plan: { groups, sendsTextSeparately } }: Prepared): boolean =>
  groups.length === 1 &&
  !sendsTextSeparately &&
  content.text.length <= MAX_CAPTION &&
  (groups[0]?.items.length === 1 || keyboard === null);

/** Converts the text of a message without media, which needs one (D-22). */
export const renderMessageText = (content: TextWithEntities): RenderedText => {
  if (content.text) return renderText(content);
  const message = MESSAGES.textAdded({ network: TITLE, text: BUTTONS_ALONE });
  return { text: BUTTONS_ALONE, entities: [], warnings: [{ code: 'text_added', message }] };
};
