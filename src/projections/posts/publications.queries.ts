import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { POSTS, type PublicationRow } from './posts.tables.js';

/**
 * Finds a publication; null if there is none.
 * @param ownerId owner that it must belong to; null for any owner
 */
@Injectable()
export class FindPublication {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  execute(publicationId: string, ownerId: string | null): Promise<PublicationRow | null> {
    return this.progress.findUpToDate('posts', this.store, async () => {
      const { rows } = await this.pool.query<{ row: PublicationRow }>({
        name: 'find publication',
        text: `select to_jsonb(x) as row from ${POSTS}.publication x
               where x.publication_id = $1 and ($2::text is null or x.owner_id = $2)`,
        values: [publicationId, ownerId],
      });
      return rows[0]?.row ?? null;
    });
  }
}

/**
 * Lists a channel's publications in order of sequence number (D-37).
 * @param from first sequence number, inclusive
 */
@Injectable()
export class ListReceipts {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(channelId: string, from: number, limit: number): Promise<PublicationRow[]> {
    await this.progress.waitUntilCaughtUp(['posts'], this.store);
    const { rows } = await this.pool.query<{ row: PublicationRow }>({
      name: 'list receipts',
      text: `select to_jsonb(x) as row from ${POSTS}.publication x
             where x.channel_id = $1 and x.sequence >= $2 order by x.sequence limit $3`,
      values: [channelId, from, limit],
    });
    return rows.map(({ row }) => row);
  }
}
