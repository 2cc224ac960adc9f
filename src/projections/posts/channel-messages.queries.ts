import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { ProjectionProgress, READER_TIMEOUT_MS } from '../engine/progress.js';
import { POSTS } from './posts.tables.js';

/** How many of a channel's newest publications to search. */
const NEWEST_PUBLICATIONS = 50;

/** Finds messages already recorded for a post; no other post may claim them. */
@Injectable()
export class ChannelMessages {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * Finds the ids of the newest messages in a channel's chat, published by any channel that uses the chat (D-3).
   * @param position that the views must have reached
   * @returns null if they do not reach it within two seconds
   */
  async findMessageIds(channelId: string, position: Position): Promise<Set<string> | null> {
    if (!(await this.progress.waitFor(['posts', 'discovery'], position, READER_TIMEOUT_MS))) return null;
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'messages in a chat',
      text: `
        select jsonb_array_elements_text(p.message_ids) as id
        from ${DISCOVERY}.channel c
        join ${DISCOVERY}.channel same on same.platform = c.platform and same.address = c.address
        cross join lateral (
          select message_ids from ${POSTS}.publication
          where channel_id = same.channel_id and message_ids <> '[]'
          order by sequence desc limit ${NEWEST_PUBLICATIONS}) p
        where c.channel_id = $1`,
      values: [channelId],
    });
    return new Set(rows.map(({ id }) => id));
  }
}
