import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { POSTS } from './posts.tables.js';

/** Publications that readers see twice, longest known first. */
export interface OpenDuplicates {
  /** Total number, up to 10,000. */
  readonly count: number;
  readonly publications: readonly { readonly id: string; readonly since: Instant }[];
}

const MOST_COUNTED = 10_000;

/** Reads the publications with a duplicate that has not been dismissed (D-84). Omits deleted channels. */
@Injectable()
export class OpenDuplicateQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @param ownerId null for all owners @param limit maximum number of publications to list */
  async list(ownerId: string | null, limit: number): Promise<OpenDuplicates> {
    const open = `
      from ${POSTS}.publication p join ${DISCOVERY}.channel c on c.channel_id = p.channel_id
      where p.duplicate_since is not null${ownerId === null ? '' : ' and p.owner_id = $2'}`;
    const { rows } = await this.pool.query<OpenDuplicates>({
      name: `open duplicates ${ownerId === null ? 'of all' : 'of owner'}`,
      text: `
        select
          (select count(*)::int from (select ${open} limit ${MOST_COUNTED}) counted) as count,
          (select coalesce(jsonb_agg(to_jsonb(s) order by s.since, s.id), '[]') from (
            select p.publication_id as id, p.duplicate_since as since ${open}
            order by p.duplicate_since, p.publication_id limit $1) s) as publications`,
      values: [limit, ...(ownerId === null ? [] : [ownerId])],
    });
    return rows[0]!;
  }
}
