import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { POSTS } from './posts.tables.js';

/** A post that is waiting for approval. */
interface PendingApproval {
  readonly post_id: string;
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly endpoint_id: string;
  /** Null if the endpoint has no name or was deleted. */
  readonly endpoint_name: string | null;
  readonly since: Instant;
}

/** Posts that are waiting for approval, longest wait first. */
export interface PendingApprovals {
  /** Total number, up to 10,000. */
  readonly count: number;
  readonly posts: readonly PendingApproval[];
}

const MOST_COUNTED = 10_000;

/** Reads the posts that are waiting for approval (D-62). */
@Injectable()
export class PendingApprovalQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @param ownerId null for all owners @param limit maximum number of posts to list */
  async list(ownerId: string | null, limit: number): Promise<PendingApprovals> {
    const isPending = `pending_since is not null${ownerId === null ? '' : ' and owner_id = $2'}`;
    const { rows } = await this.pool.query<PendingApprovals>({
      name: `pending approvals ${ownerId === null ? 'of all' : 'of owner'}`,
      text: `
        select
          (select count(*)::int from (
            select from ${POSTS}.post where ${isPending} limit ${MOST_COUNTED}) counted) as count,
          (select coalesce(jsonb_agg(to_jsonb(s) order by s.since, s.post_id), '[]') from (
            select p.post_id, p.owner_id, o.name as owner_name, p.endpoint_id, e.name as endpoint_name,
              p.pending_since as since
            from (select * from ${POSTS}.post where ${isPending} order by pending_since, post_id limit $1) p
            left join ${DISCOVERY}.owner o on o.owner_id = p.owner_id
            left join ${DISCOVERY}.endpoint e on e.endpoint_id = p.endpoint_id) s) as posts`,
      values: [limit, ...(ownerId === null ? [] : [ownerId])],
    });
    return rows[0]!;
  }
}
