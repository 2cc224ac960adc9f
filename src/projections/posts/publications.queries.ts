import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { POSTS, type PublicationRow } from './posts.tables.js';

const CATCH_UP_TIMEOUT_MS = 2_000;

/**
 * Finds a publication; null if there is none.
 * @param ownerId owner to whom it must belong; null for any owner
 */
@Injectable()
export class FindPublication {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(publicationId: string, ownerId: string | null): Promise<PublicationRow | null> {
    const found = await this.find(publicationId, ownerId);
    if (found) return found;
    // The view may not have reached a post that was accepted a moment ago.
    await this.progress.waitFor(['posts'], await this.store.readHead(), CATCH_UP_TIMEOUT_MS);
    return this.find(publicationId, ownerId);
  }

  private async find(publicationId: string, ownerId: string | null): Promise<PublicationRow | null> {
    const { rows } = await this.pool.query<{ row: PublicationRow }>({
      name: 'find publication',
      text: `select to_jsonb(x) as row from ${POSTS}.publication x
             where x.publication_id = $1 and ($2::text is null or x.owner_id = $2)`,
      values: [publicationId, ownerId],
    });
    return rows[0]?.row ?? null;
  }
}

/**
 * Lists a channel's publications in the order of their sequence numbers (D-37).
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
