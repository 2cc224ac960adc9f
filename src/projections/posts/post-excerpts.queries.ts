import type { Pool } from 'pg';
import { isStoreOutage } from '../../event-store/store-outage.js';
import { excerptOf } from '../../payload/excerpt.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import type { PostPayloads } from './post-payloads.js';
import { POSTS, type PostRow } from './posts.tables.js';

/** The excerpt of a post; null: the post has no text. */
interface KnownExcerpt {
  readonly excerpt: string | null;
}

/** Excerpts that are kept: a post never changes. */
const KEPT = 2_000;

/** Reads the excerpts of posts from their accepting events. */
export class PostExcerpts {
  private readonly known = new BoundedCache<KnownExcerpt>(KEPT);

  constructor(
    private readonly pool: Pool,
    private readonly payloads: PostPayloads,
  ) {}

  /** Returns the excerpts by post. Null: it has no text, or cannot be read at present. */
  async find(postIds: readonly string[]): Promise<Map<string, string | null>> {
    const missing = [...new Set(postIds)].filter((id) => !this.known.get(id));
    if (missing.length > 0) await this.load(missing);
    return new Map(postIds.map((id) => [id, this.known.get(id)?.excerpt ?? null]));
  }

  private async load(postIds: readonly string[]): Promise<void> {
    const { rows } = await this.pool.query<Pick<PostRow, 'post_id' | 'stream' | 'revision'>>({
      name: 'places of posts',
      text: `select post_id, stream, revision from ${POSTS}.post where post_id = any($1)`,
      values: [postIds],
    });
    const loads = rows.map(async ({ post_id, stream, revision }) => {
      const payload = await this.payloads.readPayload(stream, revision);
      this.known.set(post_id, { excerpt: excerptOf(payload?.text) });
    });
    for (const load of await Promise.allSettled(loads))
      if (load.status === 'rejected' && !isStoreOutage(load.reason)) throw load.reason;
  }
}
