import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Locale } from '../../domain/owner/owner.events.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** The chat that receives an owner's notices. */
export interface NoticeChat {
  readonly chatId: string;
  /** Id of the secret with the bot's token. */
  readonly secretId: string;
  readonly locale: Locale;
}

/** Finds the chats for owners' notices. */
@Injectable()
export class NoticeChats {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds the chat of an owner; null if it has none, or the owner was deleted. */
  async find(ownerId: string): Promise<NoticeChat | null> {
    const { rows } = await this.pool.query<NoticeChat>({
      name: 'notice chat',
      text: `select notice_chat_id as "chatId", notice_secret_id as "secretId", locale from ${DISCOVERY}.owner
             where owner_id = $1 and notice_chat_id is not null`,
      values: [ownerId],
    });
    return rows[0] ?? null;
  }
}
