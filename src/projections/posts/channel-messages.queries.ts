import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import type { ProjectionProgress } from '../engine/progress.js';

/** How many of a channel's newest publications are looked at. */
const LOOKED_AT = 50;
/** How long to wait for views that know of everything up to a position, ms. */
const PATIENCE_MS = 2_000;

/** Messages that this program knows to be in a chat: none of them can be another post's. */
export class ChannelMessages {
  constructor(
    private readonly pool: Pool,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * Ids of the newest messages in the chat that a channel stands for, over all channels that stand for it (D-3).
   * @param position of the log, up to which the answer must know everything; null: the views are not there yet
   */
  async inChatOf(channelId: string, position: Position): Promise<Set<string> | null> {
    if (!(await this.progress.waitFor(['posts', 'discovery'], position, PATIENCE_MS))) return null;
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'messages in a chat',
      text: `
        select jsonb_array_elements_text(p.message_ids) as id
        from discovery.channel c
        join discovery.channel same on same.platform = c.platform and same.address = c.address
        cross join lateral (
          select message_ids from posts.publication
          where channel_id = same.channel_id and message_ids <> '[]'
          order by sequence desc limit ${LOOKED_AT}) p
        where c.channel_id = $1`,
      values: [channelId],
    });
    return new Set(rows.map(({ id }) => id));
  }
}
