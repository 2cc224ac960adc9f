import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { POSTS, type PublicationRow } from './posts.tables.js';

/** A publication with details that help people recognise it. */
export interface PublicationDetails {
  readonly row: PublicationRow;
  readonly accepted_at: Instant;
  /** Null if the channel was deleted. */
  readonly channel_name: string | null;
  /** Null if the owner was deleted. */
  readonly owner_name: string | null;
}

/** Finds publications with their channels, owners and times. */
@Injectable()
export class PublicationDetailsQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the known publications, by id. */
  async find(publicationIds: readonly string[]): Promise<Map<string, PublicationDetails>> {
    if (publicationIds.length === 0) return new Map();
    const { rows } = await this.pool.query<PublicationDetails>({
      name: 'details of publications',
      text: `
        select to_jsonb(x) as row, p.accepted_at::float8 as accepted_at, c.name as channel_name,
          o.name as owner_name
        from ${POSTS}.publication x join ${POSTS}.post p on p.post_id = x.post_id
        left join ${DISCOVERY}.channel c on c.channel_id = x.channel_id
        left join ${DISCOVERY}.owner o on o.owner_id = x.owner_id
        where x.publication_id = any($1)`,
      values: [publicationIds],
    });
    return new Map(rows.map((details) => [details.row.publication_id, details]));
  }
}
