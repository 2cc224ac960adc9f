import type { Pool } from 'pg';
import { isStoreOutage } from '../../event-store/store-outage.js';
import { excerptOf } from '../../payload/excerpt.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import type { PostPayloads } from './post-payloads.js';
import { POSTS, type PostRow } from './posts.tables.js';

type ExcerptRow = Pick<PostRow, 'post_id' | 'stream' | 'revision' | 'in_parts' | 'excerpt'>;

/** Excerpts of large payloads that are kept: a post never changes. */
const KEPT = 2_000;

/** Finds the excerpts of posts. Those of payloads that are stored in parts (D-42) come from the event store, once. */
export class PostExcerpts {
  private readonly ofParts = new BoundedCache<{ readonly excerpt: string | null }>(KEPT);

  constructor(
    private readonly pool: Pool,
    private readonly payloads: PostPayloads,
  ) {}

  /** Returns the excerpts by post. Null: it has no text, or cannot be read at present. */
  async find(postIds: readonly string[]): Promise<Map<string, string | null>> {
    const { rows } = await this.pool.query<ExcerptRow>({
      name: 'excerpts of posts',
      text: `select post_id, stream, revision, in_parts, excerpt from ${POSTS}.post where post_id = any($1)`,
      values: [[...new Set(postIds)]],
    });
    const excerpts = new Map<string, string | null>();
    // Sequentially, as a page of large payloads might not fit into memory.
    for (const row of rows) excerpts.set(row.post_id, row.in_parts ? await this.readFromParts(row) : row.excerpt);
    return excerpts;
  }

  private async readFromParts({ post_id, stream, revision }: ExcerptRow): Promise<string | null> {
    const known = this.ofParts.get(post_id);
    if (known) return known.excerpt;
    try {
      const excerpt = excerptOf((await this.payloads.readPayload(stream, revision))?.text);
      this.ofParts.set(post_id, { excerpt });
      return excerpt;
    } catch (error) {
      if (isStoreOutage(error)) return null;
      throw error;
    }
  }
}
