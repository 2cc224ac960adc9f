import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { withTransaction } from '../postgres/pool.js';
import { POOL } from '../postgres/tokens.js';

/** Maximum number of drafts per owner. */
export const MAX_DRAFTS = 100;

/** Drafts that a caller may use. */
export interface DraftScope {
  /** Null for all owners. */
  readonly ownerId: string | null;
  /** Null for drafts of all endpoints and of none. */
  readonly endpointIds: readonly string[] | null;
}

/** The part of a draft that its client writes. */
export interface DraftContent {
  readonly endpointId: string | null;
  readonly title: string | null;
  /** JSON text. */
  readonly content: string;
}

/** A draft without its content. */
export interface DraftRow extends Omit<DraftContent, 'content'> {
  readonly id: string;
  readonly ownerId: string;
  /** Starts at 1 and rises with each change. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Actor of the last change. */
  readonly updatedBy: string;
}

const COLUMNS = `draft_id as id, owner_id as "ownerId", endpoint_id as "endpointId", title, revision,
  created_at as "createdAt", updated_at as "updatedAt", updated_by as "updatedBy"`;

/** Returns the SQL condition for a scope. @param n number of the parameter with the owner's id; the endpoints' ids follow */
const inScope = (n: number): string =>
  `($${n}::text is null or owner_id = $${n}) and ($${n + 1}::text[] is null or endpoint_id = any($${n + 1}))`;

const valuesOf = ({ ownerId, endpointIds }: DraftScope): unknown[] => [ownerId, endpointIds];

/** Stores drafts in `ops_draft`, outside the event log, so that deleting a draft or its owner erases it. */
@Injectable()
export class Drafts {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Lists drafts, newest first. @param before id, exclusive; null for the first page */
  async list(scope: DraftScope, before: string | null, limit: number): Promise<DraftRow[]> {
    const { rows } = await this.pool.query<DraftRow>({
      name: 'list drafts',
      text: `select ${COLUMNS} from ops_draft where ${inScope(1)} and ($3::text is null or draft_id < $3)
             order by draft_id desc limit $4`,
      values: [...valuesOf(scope), before, limit],
    });
    return rows;
  }

  /** Finds a draft with its content. */
  async find(id: string, scope: DraftScope): Promise<(DraftRow & Pick<DraftContent, 'content'>) | null> {
    const { rows } = await this.pool.query<DraftRow & Pick<DraftContent, 'content'>>({
      name: 'find draft',
      text: `select ${COLUMNS}, content from ops_draft where draft_id = $3 and ${inScope(1)}`,
      values: [...valuesOf(scope), id],
    });
    return rows[0] ?? null;
  }

  /** Adds a draft, unless it exists already. @returns false if the owner has too many */
  create(id: string, ownerId: string, draft: DraftContent, actor: string): Promise<boolean> {
    return withTransaction(this.pool, async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('drafts of ' || $1, 0))`, [ownerId]);
      const { rows } = await tx.query<{ others: number }>(
        'select count(*)::int as others from ops_draft where owner_id = $1 and draft_id <> $2',
        [ownerId, id],
      );
      if (rows[0]!.others >= MAX_DRAFTS) return false;
      await tx.query(
        `insert into ops_draft (draft_id, owner_id, endpoint_id, title, content, updated_by)
         values ($1, $2, $3, $4, $5, $6) on conflict (draft_id) do nothing`,
        [id, ownerId, draft.endpointId, draft.title, draft.content, actor],
      );
      return true;
    });
  }

  /** Replaces a draft. @returns false if it does not exist or has another revision */
  async replace(id: string, revisions: readonly number[], draft: DraftContent, actor: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update ops_draft set endpoint_id = $3, title = $4, content = $5, updated_by = $6,
         revision = revision + 1, updated_at = now()
       where draft_id = $1 and revision = any($2)`,
      [id, revisions, draft.endpointId, draft.title, draft.content, actor],
    );
    return rowCount === 1;
  }

  /** Deletes a draft. @param revisions null for any @returns false if it does not exist or has another revision */
  async delete(id: string, scope: DraftScope, revisions: readonly number[] | null): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `delete from ops_draft where draft_id = $3 and ${inScope(1)} and ($4::int[] is null or revision = any($4))`,
      [...valuesOf(scope), id, revisions],
    );
    return rowCount === 1;
  }

  /** Deletes all drafts of an owner. */
  async eraseOf(ownerId: string): Promise<void> {
    await this.pool.query('delete from ops_draft where owner_id = $1', [ownerId]);
  }
}
