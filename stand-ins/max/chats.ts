import type { LedgerEntry } from '../kit/ledger-entry.js';
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
}

/** Maximum `count` in MAX's schema: how many messages of a chat one request can ask for. */
export const MAX_COUNT = 100;

/** Every numeric chat exists unless a control changes its state. */
export class Chats {
  private readonly byId = new Map<string, Chat>();

  /** Returns the chat with the given id, creating it if needed; null for an invalid id. */
  getOrCreate(id: string): Chat | null {
    if (!/^-?[1-9]\d{0,18}$/.test(id)) return null;
    const known = this.byId.get(id);
    if (known) return known;
    const chat: Chat = { id, title: `Channel ${id.replace('-', '')}`, state: 'admin', lastSeq: 0, newest: [] };
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
    chat.lastSeq = Math.max(chat.lastSeq, seqOf(entry.message_id));
    chat.newest.push(entry);
    if (chat.newest.length > MAX_COUNT) chat.newest.shift();
  }
}

/** Returns the id of a message, unique across chats: it combines the chat and the message's number in it. */
export const midOf = (chat: Chat, seq: number): string =>
  `mid.${BigInt.asUintN(64, BigInt(chat.id)).toString(16).padStart(16, '0')}.${seq.toString(16)}`;

/** Returns the number in a message's id. */
export const seqOf = (mid: string): number => parseInt(mid.split('.')[2] ?? '0', 16);
