import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { isStoreOutage } from '../../event-store/store-outage.js';
import { excerptOfPost } from '../../payload/excerpt.js';
import { POOL } from '../../postgres/tokens.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { PostPayloads } from './post-payloads.js';
import { type PostRow, POSTS } from './posts.tables.js';

type ExcerptRow = Pick<PostRow, 'post_id' | 'stream' | 'revision' | 'in_parts' | 'excerpt'>;

/** How many excerpts to cache for payloads stored in parts. They stay valid because events never change. */
const KEPT = 2_000;

/** Finds post excerpts. If a payload is stored in parts (D-42), its excerpt is read from the event store and cached. */
@Injectable()
export class PostExcerpts {
  private readonly ofParts = new BoundedCache<{ readonly excerpt: string | null }>(KEPT);

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly payloads: PostPayloads,
  ) {}

  /** Returns the excerpts by post id. An excerpt is null if the post has no text or cannot currently be read. */
  async find(postIds: readonly string[]): Promise<Map<string, string | null>> {
    const { rows } = await this.pool.query<ExcerptRow>({
      name: 'excerpts of posts',
      text: `select post_id, stream, content_revision as revision, in_parts, excerpt from ${POSTS}.post where post_id = any($1)`,
      values: [[...new Set(postIds)]],
    });
    const excerpts = new Map<string, string | null>();
    // One at a time, because a page of large payloads might not fit into memory.
    for (const row of rows) excerpts.set(row.post_id, row.in_parts ? await this.readFromParts(row) : row.excerpt);
    return excerpts;
  }

  private async readFromParts({ stream, revision }: ExcerptRow): Promise<string | null> {
    const place = `${stream}@${revision}`;
    const known = this.ofParts.get(place);
    if (known) return known.excerpt;
    try {
      const excerpt = excerptOfPost(await this.payloads.readPayload(stream, revision));
      this.ofParts.set(place, { excerpt });
      return excerpt;
    } catch (error) {
      if (isStoreOutage(error)) return null;
      throw error;
    }
  }
}
