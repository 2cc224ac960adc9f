import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { POSTS } from './posts.tables.js';

/** Whether posts need an uploaded file. */
export interface MediaUse {
  readonly isNeeded: boolean;
  /** Time of the latest event about a post that names it. */
  readonly lastNeededAt: Instant;
}

/** The posts that need a file. */
export interface MediaUsers {
  readonly count: number;
  /** At most 50, newest first. */
  readonly postIds: readonly string[];
}

/** Finds the posts that name uploaded files (D-90). */
@Injectable()
export class FindMediaUses {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the uses of files, by id; a file that no post has named is absent. */
  async find(mediaIds: readonly string[]): Promise<ReadonlyMap<string, MediaUse>> {
    if (mediaIds.length === 0) return new Map();
    const { rows } = await this.pool.query<{ id: string; is_needed: boolean; last: string | null }>({
      name: 'uses of media',
      text: `select m.id,
               exists (select from ${POSTS}.media_use u where u.media_id = m.id and u.open > 0) as is_needed,
               (select max(u.last_event_at) from ${POSTS}.media_use u where u.media_id = m.id) as last
             from unnest($1::text[]) m(id)`,
      values: [mediaIds],
    });
    return new Map(
      rows.flatMap(({ id, is_needed: isNeeded, last }) =>
        last === null ? [] : [[id, { isNeeded, lastNeededAt: Number(last) }] as const],
      ),
    );
  }

  /** Returns the posts that need a file. */
  async findUsers(mediaId: string): Promise<MediaUsers> {
    const { rows } = await this.pool.query<{ count: number; post_ids: readonly string[] }>({
      name: 'users of medium',
      text: `select
               (select count(*)::int from ${POSTS}.media_use where media_id = $1 and open > 0) as count,
               array(select post_id from ${POSTS}.media_use where media_id = $1 and open > 0
                     order by post_id desc limit 50) as post_ids`,
      values: [mediaId],
    });
    return { count: rows[0]!.count, postIds: rows[0]!.post_ids };
  }
}
