import type { JsonObject } from '../../kernel/ids.js';
import type { TextWithEntities } from '../../payload/entities.js';
import type { Media } from '../../payload/payload.js';
import type { Step, Warning } from '../publisher.js';
import { renderEntities, type TelegramEntity } from './clean-text.js';
import type { PlannedGroup, PlannedItem } from './media-plan.js';
import type { InlineKeyboard } from './render.js';

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
export const fetchStep = (media: readonly Media[]): Step => ({
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
export const mediaStep = (
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
