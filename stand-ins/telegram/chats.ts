import { hash } from 'node:crypto';
import type { LedgerEntry } from '../kit/ledger-entry.js';
import { ApiError, badRequest } from './parameters.js';

/** The bot's relation to a chat. */
export const CHAT_STATES = ['member', 'missing', 'kicked', 'left', 'no_rights'] as const;

/** A chat that exists from the start. */
export interface KnownChat {
  readonly id: string;
  readonly title: string;
  /** Public name without `@`. */
  readonly username?: string;
}

/** A chat. */
export interface Chat {
  /** Its channel in the ledger: the address it was first used with. */
  readonly key: string;
  readonly id: number;
  readonly type: 'channel' | 'group' | 'private';
  username: string | null;
  title: string;
  state: (typeof CHAT_STATES)[number];
  /** The supergroup to which the chat was migrated; null for none. */
  migratedTo: number | null;
  lastMessageId: number;
  /** When each message was sent, in ms, by which bot, and its number in the ledger; message 1 comes first. */
  readonly messages: { readonly at: number; readonly sentBy: string | undefined; readonly seq: number }[];
  /** Whether the bot may delete messages, edit its own, and pin messages. */
  mayDelete: boolean;
  mayEdit: boolean;
  mayPin: boolean;
}

/** Every numeric or `@name` chat exists unless a control changes its state. A chat may have both a name and an id. */
export class Chats {
  private readonly byKey = new Map<string, Chat>();

  constructor(known: readonly KnownChat[] = []) {
    for (const { id, title, username } of known) this.updateChat(id, { title, username });
  }

  /** Returns the chat with the given id or name, creating it if needed; null for an invalid address. */
  getOrCreate(address: string): Chat | null {
    const known = this.byKey.get(address.toLowerCase());
    if (known) return known;
    if (/^-?[1-9]\d{0,14}$/.test(address)) return this.add(address, Number(address), null);
    if (!/^@[a-z]\w{0,31}$/i.test(address)) return null;
    return this.add(address, idFromName(address.toLowerCase()), address.slice(1));
  }

  /**
   * Returns a chat that the bot may post to.
   * @throws ApiError with the server's message if the bot may not post there
   */
  getForPosting(address: string): Chat {
    const chat = this.getForReading(address);
    if (chat.state === 'no_rights') throw badRequest('need administrator rights in the channel chat');
    return chat;
  }

  /** Returns a chat that the bot is in. @throws ApiError with the server's message if the bot may not see it */
  getForReading(address: string): Chat {
    if (address === '') throw badRequest('chat_id is empty');
    const chat = this.getOrCreate(address);
    if (!chat || chat.state === 'missing') throw badRequest('chat not found');
    if (chat.migratedTo !== null) {
      throw new ApiError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: chat.migratedTo,
      });
    }
    const kind = chat.type === 'private' ? 'group' : chat.type;
    if (chat.state === 'kicked') throw new ApiError(403, `Forbidden: bot was kicked from the ${kind} chat`);
    if (chat.state === 'left') throw new ApiError(403, `Forbidden: bot is not a member of the ${kind} chat`);
    return chat;
  }

  /** Changes a chat, or creates it. */
  updateChat(address: string, change: { title?: string | undefined; username?: string | undefined }): Chat | null {
    const chat = this.getOrCreate(address);
    if (!chat) return null;
    if (change.title !== undefined) chat.title = change.title;
    if (change.username !== undefined) {
      chat.username = change.username;
      this.byKey.set(`@${change.username}`.toLowerCase(), chat);
    }
    return chat;
  }

  /** Restores the chat of a ledger entry; new message ids continue after the entry's id. */
  restore({ channel, channel_title, channel_handle, message_id, at, sent_by, seq }: LedgerEntry): void {
    const chat =
      this.byKey.get(channel.toLowerCase()) ??
      this.updateChat(channel, { title: channel_title, username: channel_handle ?? undefined });
    if (!chat) return;
    chat.lastMessageId = Math.max(chat.lastMessageId, Number(message_id));
    chat.messages[Number(message_id) - 1] = { at: Date.parse(at), sentBy: sent_by, seq };
  }

  private add(key: string, id: number, username: string | null): Chat {
    const type = id > 0 ? 'private' : String(id).startsWith('-100') ? 'channel' : 'group';
    const title =
      username === null ? `${type === 'channel' ? 'Channel' : 'Chat'} ${Math.abs(id)}` : titleFromUsername(username);
    const chat: Chat = {
      key,
      id,
      type,
      username,
      title,
      state: 'member',
      migratedTo: null,
      lastMessageId: 0,
      messages: [],
      mayDelete: true,
      mayEdit: true,
      mayPin: true,
    };
    this.byKey.set(key.toLowerCase(), chat);
    this.byKey.set(String(id), chat);
    return chat;
  }
}

/** Derives a named chat's id from its name, so that the id stays the same after a restart. */
const idFromName = (name: string): number =>
  Number(`-100${1_000_000_000 + (parseInt(hash('sha256', name).slice(0, 12), 16) % 9_000_000_000)}`);

const titleFromUsername = (username: string): string => {
  const words = username.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
