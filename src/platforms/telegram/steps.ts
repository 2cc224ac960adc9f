import type { JsonObject } from '../../kernel/json.js';
import type { Media } from '../../payload/payload.js';
import type { TextWithEntities } from '../../payload/entities.js';
import type { Step, Warning } from '../publisher.js';
import { renderEntities, type TelegramEntity } from './entities.js';
import type { InlineKeyboard } from './keyboard.js';
import type { Group } from './media-plan.js';

/** The step that fetches a post's media: no call to Telegram, but what it finds decides how the others look. */
export const FETCH = 'media';

/** Text as a request takes it. */
export interface RenderedText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
  readonly warnings: readonly Warning[];
}

/** A text with what Telegram takes of its formatting. */
export const renderedText = ({ text, entities }: TextWithEntities): RenderedText => ({
  text,
  ...renderEntities(entities),
});

/** Fetches the files of all media. */
export const fetchStep = (media: readonly Media[]): Step => ({
  name: FETCH,
  visible: false,
  method: '(download)',
  request: { types: media.map(({ type }) => type), urls: media.map(({ url }) => url) },
});

/** `sendMessage`. @param replyTo the step whose first message it replies to */
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
    ...markup(keyboard),
    ...(replyTo === undefined
      ? {}
      : {
          reply_parameters: { message_id: { $from: `${replyTo}.message_id` }, allow_sending_without_reply: true },
        }),
  },
});

/** The name of the step whose message a request replies to; undefined where it replies to none. */
export const repliedStep = ({ reply_parameters: reply }: JsonObject): string | undefined => {
  const { message_id: id } = (reply ?? {}) as { readonly message_id?: { readonly $from: string } };
  return id?.$from.slice(0, id.$from.lastIndexOf('.'));
};

/** `sendPhoto`, `sendVideo`, `sendAudio` or `sendDocument` for one medium, `sendMediaGroup` for an album. */
export const mediaStep = (
  chatId: string,
  { name, items }: Group,
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
      request: { chat_id: chatId, [kind]: attachment, ...captioned(caption), ...markup(keyboard) },
    };
  }
  const media = items.map(({ kind, attachment }, i): JsonObject => ({
    type: kind,
    media: attachment,
    ...captioned(i === 0 ? caption : null),
  }));
  return { name, visible: true, method: 'sendMediaGroup', request: { chat_id: chatId, media } };
};

const METHODS = { photo: 'sendPhoto', video: 'sendVideo', audio: 'sendAudio', document: 'sendDocument' } as const;

const markup = (keyboard: InlineKeyboard | null): JsonObject =>
  keyboard ? { reply_markup: { inline_keyboard: keyboard.inline_keyboard } } : {};

const captioned = (caption: RenderedText | null): JsonObject =>
  caption === null
    ? {}
    : { caption: caption.text, ...(caption.entities.length > 0 ? { caption_entities: caption.entities } : {}) };
