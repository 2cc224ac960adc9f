import type { LedgerEntity, LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';
import { ApiError, badPayload } from './api-error.js';

/** The bot's relation to a chat. `denied`: it is not an administrator. `removed`: it is not in the chat. */
export const CHAT_STATES = ['admin', 'missing', 'denied', 'removed'] as const;

/** A channel. */
export interface Chat {
  readonly id: string;
  title: string;
  state: (typeof CHAT_STATES)[number];
  /** Number of the last message. */
  lastSeq: number;
  /** Up to {@link MAX_COUNT} messages, oldest first. */
  readonly newest: LedgerEntry[];
  /** Numbers of the messages in the ledger; message 1 comes first. */
  readonly seqs: number[];
  /** Whether the bot may delete, edit and pin messages. */
  mayDelete: boolean;
  mayEdit: boolean;
  mayPin: boolean;
}

/** Maximum `count` in MAX's schema: how many messages of a chat one request can ask for. */
export const MAX_COUNT = 100;

const RIGHTS = { mayDelete: true, mayEdit: true, mayPin: true };

/** Every numeric chat exists unless a control changes its state. */
export class Chats {
  private readonly byId = new Map<string, Chat>();

  /** Public names of chats: `@acme` or `acme`. */
  readonly names = new Map<string, string>();

  /** Returns the chat with a public name. @throws ApiError for an unknown name */
  getByName(name: string): Chat {
    const id = this.names.get(name.replace(/^@/, ''));
    if (id === undefined) throw new ApiError(404, 'chat.not.found', `Chat ${name} not found`);
    return this.getForMember(id);
  }

  /** Returns the chat with the given id, creating it if needed; null for an invalid id. */
  getOrCreate(id: string): Chat | null {
    if (!/^-?[1-9]\d{0,18}$/.test(id)) return null;
    const known = this.byId.get(id);
    if (known) return known;
    const title = `Channel ${id.replace('-', '')}`;
    const chat: Chat = { id, title, state: 'admin', lastSeq: 0, newest: [], seqs: [], ...RIGHTS };
    this.byId.set(id, chat);
    return chat;
  }

  /** Returns a chat in which a bot may read and post messages. @throws ApiError if it may not */
  getForBot(id: string | null): Chat {
    const chat = this.getForMember(id);
    if (chat.state === 'denied') throw new ApiError(403, 'chat.denied', 'error.chat.denied');
    return chat;
  }

  /** Returns a chat that the bot is in. @throws ApiError if the bot is not in the chat */
  getForMember(id: string | null): Chat {
    if (id === null || id === '') throw badPayload('chat_id: expected a value');
    const chat = this.getOrCreate(id);
    if (!chat) throw badPayload('chat_id: expected an integer');
    if (chat.state === 'missing') throw new ApiError(404, 'chat.not.found', `Chat ${id} not found`);
    if (chat.state === 'removed') throw new ApiError(403, 'chat.denied', 'error.chat.denied');
    return chat;
  }

  /** Adds a message from the ledger, after a restart or when it is written. */
  addMessage(entry: LedgerEntry): void {
    const chat = this.getOrCreate(entry.channel);
    if (!chat) return;
    chat.title = entry.channel_title;
    const seq = seqOf(entry.message_id);
    chat.lastSeq = Math.max(chat.lastSeq, seq);
    chat.seqs[seq - 1] = entry.seq;
    chat.newest.push(entry);
    if (chat.newest.length > MAX_COUNT) chat.newest.shift();
  }
}

/** Returns the id of a message, unique across chats: it combines the chat and the message's number in it. */
export const midOf = (chat: Chat, seq: number): string =>
  `mid.${BigInt.asUintN(64, BigInt(chat.id)).toString(16).padStart(16, '0')}.${seq.toString(16)}`;

/** Returns the number in a message's id. */
const seqOf = (mid: string): number => parseInt(mid.split('.')[2] ?? '0', 16);

/** Returns the chat and the number in a message's id; null for an id of another form. */
export const readMid = (mid: string): { readonly chatId: string; readonly seq: number } | null => {
  const [, chat, seq] = /^mid\.([0-9a-f]{16})\.([0-9a-f]{1,8})$/.exec(mid) ?? [];
  if (chat === undefined || seq === undefined) return null;
  return { chatId: String(BigInt.asIntN(64, BigInt(`0x${chat}`))), seq: parseInt(seq, 16) };
};

/** The bot behind every token, as a `User` of the API. */
export const BOT = {
  user_id: 1,
  first_name: 'Stand-in bot',
  username: 'stand_in_bot',
  is_bot: true,
  last_activity_time: 1_767_225_600_000,
  name: 'Stand-in bot',
};

/** MAX's names of formatting. */
const MARKUP: Readonly<Record<string, string>> = {
  bold: 'strong',
  italic: 'emphasized',
  code: 'monospaced',
  pre: 'monospaced',
  text_link: 'link',
};

/** Returns a `Message` of the API, as in the response to a post and in lists. */
export const messageJson = (entry: LedgerEntry, views = 0): object => {
  const seq = seqOf(entry.message_id);
  return {
    sender: BOT,
    recipient: { chat_id: Number(entry.channel), chat_type: 'channel', user_id: null },
    timestamp: Date.parse(entry.at),
    body: {
      mid: entry.message_id,
      seq,
      text: entry.text,
      attachments: [
        ...entry.media.map(mediumJson),
        ...(entry.buttons.length > 0
          ? [
              {
                type: 'inline_keyboard',
                payload: { buttons: entry.buttons.map((row) => row.map((one) => ({ type: 'link', ...one }))) },
              },
            ]
          : []),
      ],
      ...(entry.entities.length > 0 ? { markup: entry.entities.map(markupJson) } : {}),
    },
    stat: { views },
    url: `https://max.ru/c/${entry.channel}/${seq}`,
  };
};

const mediumJson = ({ type, file, url, name, bytes, hash }: LedgerMedium): object => {
  const id = hash ?? '0';
  const payload = { url: url ?? `/wall/media/${file}`, token: `shown.${id}` };
  if (type === 'photo') return { type: 'image', payload: { ...payload, photo_id: parseInt(id.slice(0, 7), 16) } };
  return type === 'file' ? { type, payload, filename: name, size: bytes } : { type, payload };
};

const markupJson = ({ type, offset, length, url }: LedgerEntity): object => ({
  type: MARKUP[type] ?? type,
  from: offset,
  length,
  ...(url === undefined ? {} : { url }),
});

/** Calls per second; null for no limit. */
interface RateLimitSettings {
  /** Messages to one chat. */
  readonly chat_per_second: number | null;
  /** All calls of one bot. */
  readonly bot_per_second: number | null;
}

/** MAX's own limits (networks.md §3). */
export const MAX_RATE_LIMITS: RateLimitSettings = { chat_per_second: 2, bot_per_second: 30 };

/** Rate limits, enforced with 429; off until a control enables them. */
export class RateLimits {
  settings: RateLimitSettings = { chat_per_second: null, bot_per_second: null };
  private readonly recentCalls = new Map<string, number[]>();

  /** @param now in ms @throws ApiError 429 if the limit is reached */
  countCall(kind: keyof RateLimitSettings, name: string, now: number): void {
    const limit = this.settings[kind];
    if (limit === null) return;
    const key = `${kind} ${name}`;
    const recent = (this.recentCalls.get(key) ?? []).filter((at) => at > now - 1_000);
    if (recent.length >= limit) {
      throw new ApiError(429, 'too.many.requests', 'Too many requests', { 'retry-after': '1' });
    }
    this.recentCalls.set(key, [...recent, now]);
  }
}
