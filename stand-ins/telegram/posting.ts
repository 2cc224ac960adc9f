import type { Changes } from '../kit/changes.js';
import type { Ledger } from '../kit/ledger.js';
import type { FormattedText, LedgerEntity, NewLedgerEntry } from '../kit/ledger-entry.js';
import type { MediaStore } from '../kit/media-store.js';
import type { Chat, Chats } from './chats.js';
import { countCodePoints, parseEntities, prepareText } from './formatted-text.js';
import { checkKeyboard, type Keyboard, MAX_CAPTION, MAX_TEXT, parseKeyboard } from './keyboard.js';
import { MEDIUM_KINDS, type MediumKind, messageJson, readMedium, type SentMedium } from './message.js';
import { badRequest, type Parameters } from './parameters.js';
import type { RateLimits } from './rate-limits.js';

const MAX_ALBUM = 10;

/** The parts of the stand-in that posting needs. */
export interface PostingContext {
  readonly chats: Chats;
  readonly limits: RateLimits;
  readonly ledger: Ledger;
  readonly changes: Changes;
  readonly media: MediaStore;
  /** Length of a minute of the 48 hours after which messages stay, in ms. */
  minuteMs: number;
}

/** The bot that makes a call, and the call's id for ledger entries. */
export interface Caller {
  readonly botId: string;
  readonly callId: string;
}

/** Handles `sendMessage`, with checks in the real server's order. */
export const sendMessage = async (posting: PostingContext, parameters: Parameters, caller: Caller): Promise<object> => {
  rejectParseMode(parameters);
  if (parameters.text('text') === '') throw badRequest('message text is empty');
  const entities = parseEntities(parameters.json('entities'));
  const keyboard = readKeyboard(parameters);
  const chat = posting.chats.getForPosting(parameters.string('chat_id'));
  const replyTo = readReply(parameters, chat);
  const content = prepareText(parameters.text('text'), entities, false);
  if (countCodePoints(content.text) > MAX_TEXT) throw badRequest('Message is too long');
  const message = { content, buttons: checkKeyboard(keyboard), replyTo, groupId: null };
  const [sent] = await appendMessages(posting, caller, chat, [message]);
  return sent ?? {};
};

/** Handles `sendPhoto`, `sendVideo`, `sendAudio`, `sendDocument`. */
export const sendMedium = async (
  kind: MediumKind,
  posting: PostingContext,
  parameters: Parameters,
  caller: Caller,
): Promise<object> => {
  rejectParseMode(parameters);
  const sentMedium = await readMedium(
    kind,
    parameters.string(kind),
    kind,
    parameters,
    posting.media,
    parameters.pick('width', 'height', 'duration', 'thumbnail'),
  );
  if (!sentMedium) throw badRequest(`There is no ${kind} in the request`);
  const entities = parseEntities(parameters.json('caption_entities'));
  const keyboard = readKeyboard(parameters);
  const chat = posting.chats.getForPosting(parameters.string('chat_id'));
  const replyTo = readReply(parameters, chat);
  const content = prepareCaption(parameters.text('caption'), entities);
  const message = { content, buttons: checkKeyboard(keyboard), sentMedium, replyTo, groupId: null };
  const [sent] = await appendMessages(posting, caller, chat, [message]);
  return sent ?? {};
};

/** Handles `sendMediaGroup`: two to ten messages that share a group id. */
export const sendMediaGroup = async (
  posting: PostingContext,
  parameters: Parameters,
  caller: Caller,
): Promise<object> => {
  // The real server ignores these buttons silently. A publisher that sends them has a bug.
  if (parameters.has('reply_markup')) throw badRequest('an album does not accept reply_markup');
  const items = parameters.json('media');
  if (!parameters.has('media')) throw badRequest('Parameter "media" is required');
  if (items === undefined) throw badRequest("Can't parse media JSON object");
  if (!Array.isArray(items)) throw badRequest('Expected an Array of InputMedia');
  if (items.length > MAX_ALBUM) throw badRequest('Too many messages to send as an album');
  if (items.length === 0) throw badRequest('There are no messages to send');
  if (items.length === 1) throw badRequest('an album needs at least two media');
  const parsed: AlbumItem[] = [];
  for (const item of items as readonly unknown[]) parsed.push(await parseItem(item, parameters, posting.media));
  const types = new Set(parsed.map(({ sentMedium }) => sentMedium.medium.type));
  for (const type of ['audio', 'document']) {
    if (types.size > 1 && types.has(type)) throw badRequest(`${type} can't be mixed with other media types`);
  }
  const chat = posting.chats.getForPosting(parameters.string('chat_id'));
  const replyTo = readReply(parameters, chat);
  const groupId = `${chat.lastMessageId + 1}${Math.abs(chat.id)}`.slice(0, 18);
  const messages = parsed.map((item) => ({ ...item, buttons: [], replyTo, groupId }));
  return appendMessages(posting, caller, chat, messages);
};

export interface AlbumItem {
  readonly content: FormattedText;
  readonly sentMedium: SentMedium;
}

export const parseItem = async (item: unknown, parameters: Parameters, store: MediaStore): Promise<AlbumItem> => {
  if (typeof item !== 'object' || item === null) throw badRequest("Can't parse InputMedia: expected an Object");
  const { type, media, caption = '', caption_entities, ...sent } = item as Record<string, unknown>;
  if (typeof caption !== 'string') throw badRequest('caption must be a String');
  if (typeof media !== 'string' || media === '') throw badRequest("Can't parse InputMedia: media not found");
  if (!MEDIUM_KINDS.includes(type as MediumKind)) {
    throw badRequest(`Can't parse InputMedia: type "${String(type)}" is unsupported`);
  }
  const sentMedium = await readMedium(type as MediumKind, media, '', parameters, store, sent);
  if (!sentMedium) throw badRequest("Can't parse InputMedia: media not found");
  return { content: prepareCaption(caption, parseEntities(caption_entities)), sentMedium };
};

export const prepareCaption = (caption: string, entities: readonly LedgerEntity[]): FormattedText => {
  const content = prepareText(caption, entities, true);
  if (countCodePoints(content.text) > MAX_CAPTION) throw badRequest('Message caption is too long');
  return content;
};

export const rejectParseMode = (parameters: Parameters): void => {
  if (parameters.has('parse_mode')) throw badRequest('this stand-in accepts entities, not parse_mode');
};

export const readKeyboard = (parameters: Parameters): Keyboard => {
  if (!parameters.has('reply_markup')) return [];
  const value = parameters.json('reply_markup');
  if (value === undefined) throw badRequest("Can't parse reply keyboard markup JSON object");
  return parseKeyboard(value);
};

/** Returns the id of the message to reply to, which must exist unless `allow_sending_without_reply` is set. */
const readReply = (parameters: Parameters, chat: Chat): string | null => {
  if (!parameters.has('reply_parameters')) return null;
  const value = parameters.json('reply_parameters');
  if (typeof value !== 'object' || value === null) throw badRequest("Can't parse reply parameters JSON object");
  const { message_id, allow_sending_without_reply } = value as Record<string, unknown>;
  const id = Number(message_id);
  if (Number.isInteger(id) && id > 0 && id <= chat.lastMessageId) return String(id);
  if (allow_sending_without_reply === true) return null;
  throw badRequest('message to be replied not found');
};

export const NO_FACTS = { width: 0, height: 0, duration: 0 };

interface NewMessage {
  readonly content: FormattedText;
  readonly buttons: Keyboard;
  readonly sentMedium?: SentMedium;
  readonly replyTo: string | null;
  readonly groupId: string | null;
}

const appendMessages = async (
  { limits, ledger }: PostingContext,
  { botId, callId }: Caller,
  chat: Chat,
  messages: readonly NewMessage[],
): Promise<readonly object[]> => {
  limits.countMessages(botId, chat.key, messages.length, Date.now());
  const newEntries = messages.map(({ content, buttons, sentMedium, replyTo, groupId }): NewLedgerEntry => ({
    channel: chat.key,
    channel_title: chat.title,
    channel_handle: chat.username,
    message_id: String(++chat.lastMessageId),
    group_id: groupId,
    reply_to: replyTo,
    text: content.text,
    entities: content.entities,
    buttons,
    media: sentMedium ? [sentMedium.medium] : [],
    call_id: callId,
    sent_by: botId,
  }));
  const entries = await ledger.append(newEntries);
  return entries.map((entry, i) => messageJson(entry, chat, messages[i]?.sentMedium?.facts ?? NO_FACTS));
};
