import type { Ledger, LedgerDraft, LedgerMedium } from '../kit/ledger.js';
import type { MediaStore } from '../kit/media-store.js';
import type { Chat, Chats } from './chats.js';
import { parseEntities } from './entities.js';
import { fixText, lengthOf, type FormattedText } from './formatted-text.js';
import { checkKeyboard, parseKeyboard, type Keyboard } from './keyboard.js';
import { takeMedium, MEDIUM_KINDS, type MediumKind } from './media.js';
import { messageJson } from './message.js';
import type { Parameters } from './parameters.js';
import type { RateLimits } from './rate-limits.js';
import { badRequest } from './refusal.js';

/** In code points, after parsing (networks.md §2). */
const MAX_TEXT = 4_096;
const MAX_CAPTION = 1_024;
const MAX_ALBUM = 10;

/** What posting needs of the stand-in. */
export interface Posting {
  readonly chats: Chats;
  readonly limits: RateLimits;
  readonly ledger: Ledger;
  readonly media: MediaStore;
}

/** Who calls: the bot, and the id that ledger lines name. */
export interface Caller {
  readonly botId: string;
  readonly callId: string;
}

/** `sendMessage`: in the order in which the real server finds fault. */
export const sendMessage = async (posting: Posting, parameters: Parameters, caller: Caller): Promise<object> => {
  refuseParseMode(parameters);
  if (parameters.string('text') === '') throw badRequest('message text is empty');
  const entities = parseEntities(parameters.json('entities'));
  const keyboard = keyboardOf(parameters);
  const chat = posting.chats.forPosting(parameters.string('chat_id'));
  const replyTo = replyOf(parameters, chat);
  const content = fixText(parameters.string('text'), entities, false);
  if (lengthOf(content.text) > MAX_TEXT) throw badRequest('Message is too long');
  const draft = { content, buttons: checkKeyboard(keyboard), media: [], replyTo, groupId: null };
  const [message] = await post(posting, caller, chat, [draft]);
  return message ?? {};
};

/** `sendPhoto`, `sendVideo`, `sendAudio`, `sendDocument`. */
export const sendMedium = async (
  kind: MediumKind,
  posting: Posting,
  parameters: Parameters,
  caller: Caller,
): Promise<object> => {
  refuseParseMode(parameters);
  const medium = await takeMedium(kind, parameters.string(kind), kind, parameters, posting.media);
  if (!medium) throw badRequest(`There is no ${kind} in the request`);
  const entities = parseEntities(parameters.json('caption_entities'));
  const keyboard = keyboardOf(parameters);
  const chat = posting.chats.forPosting(parameters.string('chat_id'));
  const replyTo = replyOf(parameters, chat);
  const content = captionOf(parameters.string('caption'), entities);
  const draft = { content, buttons: checkKeyboard(keyboard), media: [medium], replyTo, groupId: null };
  const [message] = await post(posting, caller, chat, [draft]);
  return message ?? {};
};

/** `sendMediaGroup`: two to ten messages that share a group id. */
export const sendMediaGroup = async (posting: Posting, parameters: Parameters, caller: Caller): Promise<object> => {
  // The real server ignores these buttons without a word; a publisher that sends them is mistaken.
  if (parameters.has('reply_markup')) throw badRequest('an album takes no reply_markup');
  const items = parameters.json('media');
  if (!parameters.has('media')) throw badRequest('Parameter "media" is required');
  if (items === undefined) throw badRequest("Can't parse media JSON object");
  if (!Array.isArray(items)) throw badRequest('Expected an Array of InputMedia');
  if (items.length > MAX_ALBUM) throw badRequest('Too many messages to send as an album');
  if (items.length === 0) throw badRequest('There are no messages to send');
  if (items.length === 1) throw badRequest('an album needs two media at least');
  const parsed: { content: FormattedText; media: readonly LedgerMedium[]; type: string }[] = [];
  for (const item of items as readonly unknown[]) parsed.push(await parseItem(item, parameters, posting.media));
  const types = new Set(parsed.map(({ type }) => type));
  for (const type of ['audio', 'document']) {
    if (types.size > 1 && types.has(type)) throw badRequest(`${type} can't be mixed with other media types`);
  }
  const chat = posting.chats.forPosting(parameters.string('chat_id'));
  const replyTo = replyOf(parameters, chat);
  const groupId = `${chat.lastMessageId + 1}${Math.abs(chat.id)}`.slice(0, 18);
  const drafts = parsed.map(({ content, media }) => ({ content, buttons: [], media, replyTo, groupId }));
  return post(posting, caller, chat, drafts);
};

const parseItem = async (
  item: unknown,
  parameters: Parameters,
  store: MediaStore,
): Promise<{ content: FormattedText; media: readonly LedgerMedium[]; type: string }> => {
  if (typeof item !== 'object' || item === null) throw badRequest("Can't parse InputMedia: expected an Object");
  const { type, media, caption = '', caption_entities } = item as Record<string, unknown>;
  if (typeof media !== 'string' || media === '') throw badRequest("Can't parse InputMedia: media not found");
  if (!MEDIUM_KINDS.includes(type as MediumKind)) {
    throw badRequest(`Can't parse InputMedia: type "${String(type)}" is unsupported`);
  }
  const medium = await takeMedium(type as MediumKind, media, '', parameters, store);
  if (!medium) throw badRequest("Can't parse InputMedia: media not found");
  const content = captionOf(typeof caption === 'string' ? caption : '', parseEntities(caption_entities));
  return { content, media: [medium], type: medium.type };
};

const captionOf = (caption: string, entities: ReturnType<typeof parseEntities>): FormattedText => {
  const content = fixText(caption, entities, true);
  if (lengthOf(content.text) > MAX_CAPTION) throw badRequest('Message caption is too long');
  return content;
};

const refuseParseMode = (parameters: Parameters): void => {
  if (parameters.has('parse_mode')) throw badRequest('this stand-in takes entities, not parse_mode');
};

const keyboardOf = (parameters: Parameters): Keyboard => {
  if (!parameters.has('reply_markup')) return [];
  const value = parameters.json('reply_markup');
  if (value === undefined) throw badRequest("Can't parse reply keyboard markup JSON object");
  return parseKeyboard(value);
};

/** The message that is replied to: it must be there, unless `allow_sending_without_reply`. */
const replyOf = (parameters: Parameters, chat: Chat): string | null => {
  if (!parameters.has('reply_parameters')) return null;
  const value = parameters.json('reply_parameters');
  if (typeof value !== 'object' || value === null) throw badRequest("Can't parse reply parameters JSON object");
  const { message_id, allow_sending_without_reply } = value as Record<string, unknown>;
  const id = Number(message_id);
  if (Number.isInteger(id) && id > 0 && id <= chat.lastMessageId) return String(id);
  if (allow_sending_without_reply === true) return null;
  throw badRequest('message to be replied not found');
};

interface NewMessage {
  readonly content: FormattedText;
  readonly buttons: Keyboard;
  readonly media: readonly LedgerMedium[];
  readonly replyTo: string | null;
  readonly groupId: string | null;
}

const post = async (
  { limits, ledger }: Posting,
  { botId, callId }: Caller,
  chat: Chat,
  messages: readonly NewMessage[],
): Promise<readonly object[]> => {
  limits.take(botId, chat.key, messages.length, Date.now());
  const drafts = messages.map(({ content, buttons, media, replyTo, groupId }): LedgerDraft => ({
    channel: chat.key,
    channel_title: chat.title,
    channel_handle: chat.username,
    message_id: String(++chat.lastMessageId),
    group_id: groupId,
    reply_to: replyTo,
    text: content.text,
    entities: content.entities,
    buttons,
    media,
    call_id: callId,
  }));
  const entries = await ledger.append(drafts);
  return entries.map((entry) => messageJson(entry, chat));
};
