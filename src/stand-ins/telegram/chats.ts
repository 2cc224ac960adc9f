import { hash } from 'node:crypto';
import type { LedgerEntry } from '../kit/ledger.js';
import { Refusal, badRequest } from './refusal.js';

/** What a bot finds when it posts. */
export const CHAT_STATES = ['member', 'missing', 'kicked', 'left', 'no_rights'] as const;
/** One of these. */
export type ChatState = (typeof CHAT_STATES)[number];

/** A chat that a stand-in knows from the beginning. */
export interface KnownChat {
  readonly id: string;
  readonly title: string;
  /** Without `@`. */
  readonly username?: string;
}

/** A chat, its name, and how far its messages are numbered. */
export interface Chat {
  /** How the ledger names it: as it was first addressed. */
  readonly key: string;
  readonly id: number;
  readonly type: 'channel' | 'group' | 'private';
  username: string | null;
  title: string;
  state: ChatState;
  /** The supergroup that it became. */
  migratedTo: number | null;
  lastMessageId: number;
}

/** Every numeric or `@name` chat exists until a control says otherwise; a name and an id may be the same chat. */
export class Chats {
  private readonly byKey = new Map<string, Chat>();

  constructor(known: readonly KnownChat[] = []) {
    for (const { id, title, username } of known) this.describe(id, { title, username });
  }

  /** The chat under an id or name; null where it cannot be one. */
  find(address: string): Chat | null {
    const known = this.byKey.get(address.toLowerCase());
    if (known) return known;
    if (/^-?[1-9]\d{0,14}$/.test(address)) return this.add(address, Number(address), null);
    if (!/^@[a-z]\w{0,31}$/i.test(address)) return null;
    return this.add(address, idOfName(address.toLowerCase()), address.slice(1));
  }

  /** The chat that a bot may post to; a {@link Refusal} in the server's words where it may not. */
  forPosting(address: string): Chat {
    if (address === '') throw badRequest('chat_id is empty');
    const chat = this.find(address);
    if (!chat || chat.state === 'missing') throw badRequest('chat not found');
    if (chat.migratedTo !== null) {
      throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: chat.migratedTo,
      });
    }
    const kind = chat.type === 'private' ? 'group' : chat.type;
    if (chat.state === 'kicked') throw new Refusal(403, `Forbidden: bot was kicked from the ${kind} chat`);
    if (chat.state === 'left') throw new Refusal(403, `Forbidden: bot is not a member of the ${kind} chat`);
    if (chat.state === 'no_rights') throw badRequest('need administrator rights in the channel chat');
    return chat;
  }

  /** Changes what is known of a chat, and makes one where there is none. */
  describe(address: string, change: { title?: string | undefined; username?: string | undefined }): Chat | null {
    const chat = this.find(address);
    if (!chat) return null;
    if (change.title !== undefined) chat.title = change.title;
    if (change.username !== undefined) {
      chat.username = change.username;
      this.byKey.set(`@${change.username}`.toLowerCase(), chat);
    }
    return chat;
  }

  /** Goes on numbering where a ledger's entry left off. */
  restore({ channel, channel_title, channel_handle, message_id }: LedgerEntry): void {
    const chat =
      this.byKey.get(channel.toLowerCase()) ??
      this.describe(channel, { title: channel_title, username: channel_handle ?? undefined });
    if (chat) chat.lastMessageId = Math.max(chat.lastMessageId, Number(message_id));
  }

  private add(key: string, id: number, username: string | null): Chat {
    const type = id > 0 ? 'private' : String(id).startsWith('-100') ? 'channel' : 'group';
    const title = username === null ? `${type === 'channel' ? 'Channel' : 'Chat'} ${Math.abs(id)}` : titleOf(username);
    const chat: Chat = { key, id, type, username, title, state: 'member', migratedTo: null, lastMessageId: 0 };
    this.byKey.set(key.toLowerCase(), chat);
    this.byKey.set(String(id), chat);
    return chat;
  }
}

/** A name's chat keeps its number over restarts: it follows from the name. */
const idOfName = (name: string): number =>
  Number(`-100${1_000_000_000 + (parseInt(hash('sha256', name).slice(0, 12), 16) % 9_000_000_000)}`);

const titleOf = (username: string): string => {
  const words = username.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
