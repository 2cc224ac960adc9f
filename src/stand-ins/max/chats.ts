import type { LedgerEntry } from '../kit/ledger.js';
import { Refusal, badPayload } from './refusal.js';

/** What a bot finds when it posts. */
export const CHAT_STATES = ['admin', 'missing', 'denied'] as const;
/** One of these. */
export type ChatState = (typeof CHAT_STATES)[number];

/** A channel, how far its messages are numbered, and the newest of them. */
export interface Chat {
  readonly id: string;
  title: string;
  state: ChatState;
  lastSeq: number;
  /** Oldest first. */
  readonly newest: LedgerEntry[];
}

/** How many messages of a chat can be asked for (the schema's upper bound of `count`). */
export const MAX_COUNT = 100;

/** Every numeric chat exists until a control says otherwise. */
export class Chats {
  private readonly byId = new Map<string, Chat>();

  /** The chat under an id; null where it cannot be one. */
  find(id: string): Chat | null {
    if (!/^-?[1-9]\d{0,18}$/.test(id)) return null;
    const known = this.byId.get(id);
    if (known) return known;
    const chat: Chat = { id, title: `Channel ${id.replace('-', '')}`, state: 'admin', lastSeq: 0, newest: [] };
    this.byId.set(id, chat);
    return chat;
  }

  /** The chat that a bot may read and post to; a {@link Refusal} where it may not. */
  forBot(id: string | null): Chat {
    if (id === null || id === '') throw badPayload('chat_id: expected a value');
    const chat = this.find(id);
    if (!chat) throw badPayload('chat_id: expected an integer');
    if (chat.state === 'missing') throw new Refusal(404, 'chat.not.found', `Chat ${id} not found`);
    if (chat.state === 'denied') throw new Refusal(403, 'chat.denied', 'No rights to send to this chat');
    return chat;
  }

  /** Takes up a message that is in the ledger: after a restart, and as it is written. */
  add(entry: LedgerEntry): void {
    const chat = this.find(entry.channel);
    if (!chat) return;
    chat.title = entry.channel_title;
    chat.lastSeq = Math.max(chat.lastSeq, seqOf(entry.message_id));
    chat.newest.push(entry);
    if (chat.newest.length > MAX_COUNT) chat.newest.shift();
  }
}

/** A message's id: the chat and its number there, so that no two are the same. */
export const midOf = (chat: Chat, seq: number): string =>
  `mid.${BigInt.asUintN(64, BigInt(chat.id)).toString(16).padStart(16, '0')}.${seq.toString(16)}`;

/** The number in a message's id. */
export const seqOf = (mid: string): number => parseInt(mid.split('.')[2] ?? '0', 16);
