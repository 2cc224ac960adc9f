import type { Changes } from '../kit/changes.js';
import type { Ledger } from '../kit/ledger.js';
import type { FormattedText, LedgerButton, LedgerContent, LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';
import type { StandInCall } from '../kit/network.js';
import type { Statistics } from '../kit/statistics.js';
import { ApiError, badPayload, type Fields, fieldsOf } from './api-error.js';
import { type Chat, type Chats, MAX_COUNT, messageJson, midOf, type RateLimits, readMid } from './chats.js';
import { isLink, MAX_TEXT, parseHtml } from './html-text.js';
import { readKeyboard } from './keyboard.js';
import { UPLOAD_TYPES, type Uploads, type UploadType } from './uploads.js';

interface Attachments {
  readonly media: readonly LedgerMedium[];
  readonly buttons: readonly (readonly LedgerButton[])[];
}

/** Maximum number of attachments in a message (networks.md §1, §5). */
const MAX_ATTACHMENTS = 12;

/** Reads and checks a message's `attachments`. */
const readAttachments = (value: unknown, uploads: Uploads): Attachments => {
  if (!Array.isArray(value)) throw badPayload('attachments: expected an array');
  if (value.length > MAX_ATTACHMENTS) throw badPayload(`attachments: at most ${MAX_ATTACHMENTS}`);
  const attachments = value.map((one) => fieldsOf(one, 'attachments'));
  if (attachments.length > 1 && attachments.some(({ type }) => type === 'audio')) {
    throw badPayload('attachments: audio must be the only attachment of its message');
  }
  const keyboards = attachments.filter(({ type }) => type === 'inline_keyboard');
  if (keyboards.length > 1) throw badPayload('attachments: at most one inline_keyboard');
  const media = attachments
    .filter(({ type }) => type !== 'inline_keyboard')
    .map((attachment) => readMedium(attachment, uploads));
  return { media, buttons: keyboards.flatMap(({ payload }) => readKeyboard(payload)) };
};

const readMedium = ({ type, payload }: Fields, uploads: Uploads): LedgerMedium => {
  if (!UPLOAD_TYPES.includes(type as UploadType)) throw badPayload(`attachments: type ${String(type)} is unknown`);
  const { token, url, photos } = fieldsOf(payload, 'payload');
  if (typeof token === 'string') return uploads.getMedium(type as UploadType, token);
  if (type === 'image' && typeof photos === 'object' && photos !== null) {
    const [first, ...more] = Object.values(photos) as readonly { readonly token?: unknown }[];
    if (typeof first?.token !== 'string' || more.length > 0) throw badPayload('photos: expected one token');
    return uploads.getMedium('image', first.token);
  }
  if (type === 'image' && typeof url === 'string' && isLink(url)) {
    return { type: 'photo', file: null, url, mime: '', bytes: 0, name: '', hash: null };
  }
  throw badPayload('payload: expected a token');
};

const FIELDS = new Set(['text', 'format', 'attachments', 'notify']);

/** The parts of the stand-in that posting needs. */
export interface PostingContext {
  readonly chats: Chats;
  readonly uploads: Uploads;
  readonly limits: RateLimits;
  readonly ledger: Ledger;
  readonly changes: Changes;
  readonly statistics: Statistics;
  /** How many of the next messages with media get `attachment.not.ready`. */
  notReady: number;
}

/** Handles `POST /messages?chat_id=`, which posts one message. */
export const postMessage = async (
  posting: PostingContext,
  { fields, query, id, headers }: StandInCall,
): Promise<object> => {
  checkBody(headers, fields);
  const { notify } = fields;
  if (notify !== undefined && notify !== true) throw badPayload('notify: a channel accepts only true');
  const chat = posting.chats.getForBot(query.get('chat_id'));
  const content = readContent(posting, fields);
  posting.limits.countCall('chat_per_second', chat.id, Date.now());
  const [entry] = await posting.ledger.append([
    {
      channel: chat.id,
      channel_title: chat.title,
      channel_handle: null,
      message_id: midOf(chat, ++chat.lastSeq),
      group_id: null,
      reply_to: null,
      ...content,
      call_id: id,
    },
  ]);
  return { message: entry ? messageJson(entry) : null };
};

/** Checks that a call has a `NewMessageBody`. */
export const checkBody = (headers: StandInCall['headers'], fields: StandInCall['fields']): void => {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) throw badPayload('body: expected JSON');
  for (const name of Object.keys(fields)) if (!FIELDS.has(name)) throw badPayload(`${name}: unknown field`);
};

/**
 * Reads and checks what a message is to show.
 * @param kept its media and buttons if the call names none
 */
export const readContent = (
  posting: PostingContext,
  fields: StandInCall['fields'],
  kept: Attachments = { media: [], buttons: [] },
): LedgerContent => {
  const { text, entities } = readText(fields);
  const isNamed = fields['attachments'] !== undefined && fields['attachments'] !== null;
  const { media, buttons } = isNamed ? readAttachments(fields['attachments'], posting.uploads) : kept;
  if (text.trim() === '' && media.length === 0) throw badPayload('text: must be non-empty');
  if (isNamed && media.length > 0 && posting.notReady > 0) {
    posting.notReady--;
    throw new ApiError(400, 'attachment.not.ready', 'Key: errors.process.attachment.file.not.processed');
  }
  return { text, entities, media, buttons };
};

/**
 * Handles `GET /messages?chat_id=&count=`, which lists messages, newest first, and `GET /messages?message_ids=`, which
 * leaves out messages that are not there.
 */
export const listMessages = async (posting: PostingContext, { query }: StandInCall): Promise<object> => {
  const { chats, changes, statistics } = posting;
  const ids = query.get('message_ids');
  if (ids !== null) return { messages: await findMessages(posting, ids.split(',')) };
  const chat = chats.getForBot(query.get('chat_id'));
  const count = Number(query.get('count') ?? 50);
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) throw badPayload(`count: 1 to ${MAX_COUNT}`);
  const shown = chat.newest.filter(({ message_id }) => !changes.isDeleted(chat.id, message_id));
  return {
    messages: shown
      .slice(-count)
      .reverse()
      .map((entry) => messageJson(changes.current(entry), statistics.of(entry).views)),
  };
};

const findMessages = async (posting: PostingContext, ids: readonly string[]): Promise<readonly object[]> => {
  if (ids.length > MAX_COUNT) throw badPayload(`message_ids: at most ${MAX_COUNT}`);
  const found = await Promise.all(
    ids.map((id) =>
      getMessage(posting, id).catch((error: unknown) => {
        if (error instanceof ApiError && error.answer.status === 404) return null;
        throw error;
      }),
    ),
  );
  return found.filter((message) => message !== null);
};

/** Handles `GET /messages/{messageId}`. */
export const getMessage = async (posting: PostingContext, mid: string): Promise<object> => {
  const { message } = await findMessage(posting, mid);
  return messageJson(message, posting.statistics.of(message).views);
};

/** Finds a message as it is now, and its chat. @throws ApiError if there is none, or the bot is not in the chat */
export const findMessage = async (
  { ledger, ...posting }: PostingContext,
  mid: string,
): Promise<{ readonly chat: Chat; readonly message: LedgerEntry }> => {
  const chat = findChatOf(posting, mid);
  const entry = await ledger.find(chat.seqs[(readMid(mid)?.seq ?? 0) - 1] ?? 0);
  if (!entry) throw notFound(mid);
  return { chat, message: posting.changes.current(entry) };
};

/** Returns the chat of a message that readers see. @throws ApiError if there is none, or the bot is not in the chat */
export const findChatOf = ({ chats, changes }: Pick<PostingContext, 'chats' | 'changes'>, mid: string): Chat => {
  const read = readMid(mid);
  if (!read) throw notFound(mid);
  const chat = chats.getForBot(read.chatId);
  if (read.seq < 1 || read.seq > chat.lastSeq || changes.isDeleted(chat.id, mid)) throw notFound(mid);
  return chat;
};

export const notFound = (mid: string): ApiError => new ApiError(404, 'message.not.found', `Message ${mid} not found`);

const readText = ({ text = null, format = null }: Readonly<Record<string, unknown>>): FormattedText => {
  if (text !== null && typeof text !== 'string') throw badPayload('text: expected a string');
  if (format === 'markdown') throw badPayload('format: this stand-in accepts html, not markdown');
  if (format !== null && format !== 'html') throw badPayload('format: expected html or markdown');
  const raw = text ?? '';
  if (raw.length > MAX_TEXT) throw badPayload(`text: at most ${MAX_TEXT} characters`);
  if (/\p{Surrogate}/u.test(raw)) throw badPayload('text: expected UTF-8');
  return format === 'html' ? parseHtml(raw) : { text: raw, entities: [] };
};
