import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { JsonObject, PartOfList } from '../../kernel/ids.js';
import { countMedia, excerptOfPost } from '../../payload/excerpt.js';
import type { PublishPayload } from '../../payload/payload.js';
import { POOL } from '../../postgres/tokens.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { ProjectionProgress } from '../engine/progress.js';
import { SHOWN_BYTES } from '../list-bounds.js';
import { PostHorizon, PostLookup } from './archived-posts.queries.js';
import {
  calendarStatement,
  INLINE_BYTES,
  lastStatement,
  listStatement,
  type PostFilter,
  type PostRange,
  PUBLICATIONS,
} from './list-posts.sql.js';
import { PostPayloads } from './post-payloads.js';
import { type PostRow, POSTS, type PublicationRow } from './posts.tables.js';
import { countFoundStatement, MOST_FOUND, type StemmedWord, stemStatement, toQuery } from './search-posts.sql.js';

/** A post and its publications, in the order of its targets (D-57). */
export interface PostWithPublications {
  readonly post: PostRow;
  readonly publications: readonly PublicationRow[];
  readonly summary: PostSummary;
}

/** The parts of a payload that post lists show. Values are null if the payload cannot be read exactly as accepted. */
interface PostSummary {
  readonly metadata: JsonObject | null;
  /** True if a list omits the metadata because it is large. */
  readonly isMetadataTruncated: boolean;
  /** The beginning of the text; null if the post has no text. */
  readonly excerpt: string | null;
  readonly mediaCount: number | null;
}

/** A post, its publications and its payload, which is null if it cannot be read exactly as accepted. */
export type FoundPost = PostWithPublications & { readonly payload: PublishPayload | null };

/** Returns a post's calendar key, the cursor for the next page. */
export const calendarKeyOf = ({ publish_at, post_id }: Pick<PostRow, 'publish_at' | 'post_id'>): string =>
  `${publish_at ?? ''}/${post_id}`;

type PostAndPublications = Pick<PostWithPublications, 'post' | 'publications'>;

/** Number of large metadata values to read per statement, at most half a megabyte in total. */
const READ_AT_ONCE = 8;
/** Number of posts that a search looks at before it uses the index of words. */
const FIRST_LOOKED_AT = 2_000;
/** Number of posts that a page of a search for common words looks at. */
const MOST_LOOKED_AT = 20_000;
/** How many summaries to cache for payloads stored in parts. Without metadata, each takes a few hundred bytes. */
const KEPT = 10_000;

/**
 * Finds a post with its payload; null if there is none.
 * @param ownerId owner that it must belong to; null for any owner
 */
@Injectable()
export class FindPost {
  constructor(
    private readonly lookup: PostLookup,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly payloads: PostPayloads,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @param endpointIds the only endpoints whose posts to find; null for any */
  async execute(postId: string, ownerId: string | null, endpointIds: readonly string[] | null = null) {
    const row = await this.progress.findUpToDate('posts', this.store, () => this.findRow(postId, ownerId));
    if (!row || (endpointIds !== null && !endpointIds.includes(row.post.endpoint_id))) return null;
    const payload = await this.payloads.readPayload(row.post.stream, row.post.content_revision);
    return { ...row, summary: summarise(payload), payload };
  }

  private findRow(postId: string, ownerId: string | null): Promise<PostAndPublications | null> {
    return this.lookup.findOne<PostAndPublications>({
      name: 'find post',
      text: `select to_json(p) as post, ${PUBLICATIONS} as publications from ${POSTS}.post p
             where p.post_id = $1 and ($2::text is null or p.owner_id = $2)`,
      values: [postId, ownerId],
    });
  }
}

/** Lists posts, newest first, as many as fit in one response. */
@Injectable()
export class ListPosts {
  private readonly ofParts = new BoundedCache<PostSummary>(KEPT);

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly payloads: PostPayloads,
    private readonly progress: ProjectionProgress,
    private readonly horizon: PostHorizon,
  ) {}

  /** @param words words that all listed posts must have; undefined for any */
  async execute(
    filter: PostFilter,
    range: PostRange,
    words?: readonly string[],
  ): Promise<PartOfList<PostWithPublications>> {
    // Both views must agree on which publications are unfinished, and a post accepted a moment ago must be listed.
    await this.progress.waitUntilCaughtUp(['posts', 'publish-schedule'], this.store);
    const part = await (words === undefined ? this.read(filter, range) : this.search(filter, range, words));
    return this.horizon.endList(part, range.limit);
  }

  /**
   * Looks at the first posts one by one, which fills a page if the words are common. If it does not, takes the posts from
   * the index or, if too many have the words, looks at more and cuts the list there (ADR-408).
   */
  private async search(filter: PostFilter, range: PostRange, words: readonly string[]) {
    const { rows: stems } = await this.pool.query<StemmedWord>(stemStatement(words));
    const query = toQuery(stems, filter.ownerId);
    const first = await this.lookAt(FIRST_LOOKED_AT, { ...filter, words: { query, isIndexed: false } }, range);
    if (first.end === undefined) return first;
    const { rows } = await this.pool.query<{ readonly count: number }>(countFoundStatement(query));
    if (rows[0]!.count <= MOST_FOUND) return this.read({ ...filter, words: { query, isIndexed: true } }, range);
    return this.lookAt(MOST_LOOKED_AT, { ...filter, words: { query, isIndexed: false } }, range);
  }

  /** Lists the matching posts among the first in a range. */
  private async lookAt(count: number, filter: PostFilter, range: PostRange): Promise<PartOfList<PostWithPublications>> {
    const { rows } = await this.pool.query<{ readonly key: string }>(lastStatement(filter, range, count));
    const last = rows[0]?.key ?? null;
    const part = await this.read(filter, { ...range, last });
    const isFull = part.isCut || part.rows.length >= range.limit;
    return isFull || last === null ? part : { ...part, isCut: true, end: last };
  }

  private async read(filter: PostFilter, range: PostRange): Promise<PartOfList<PostWithPublications>> {
    const statement = filter.order === 'publish_at' ? calendarStatement : listStatement;
    const { rows } = await this.pool.query<ListedPost>(statement(filter, range));
    const metadata = await this.readMetadata(rows);
    const found: PostWithPublications[] = [];
    // One at a time, because a page of large payloads might not fit into memory.
    for (const { post, publications } of rows) {
      const sent = post.metadata ?? metadata.get(post.post_id) ?? null;
      found.push({ post, publications, summary: await this.readSummary(post, sent) });
    }
    return { rows: found, isCut: rows[0]?.is_cut ?? false };
  }

  /** Reads the metadata that a list shows but its rows lack, a few values at a time to keep each read short. */
  private async readMetadata(rows: readonly ListedPost[]): Promise<ReadonlyMap<string, string>> {
    const ids = rows.flatMap(({ post }) =>
      post.metadata_bytes > INLINE_BYTES && post.metadata_bytes <= SHOWN_BYTES ? [post.post_id] : [],
    );
    const found = new Map<string, string>();
    for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
      const { rows: read } = await this.pool.query<{ readonly post_id: string; readonly metadata: string }>({
        name: 'metadata of posts',
        text: `select post_id, metadata from ${POSTS}.post where post_id = any($1)`,
        values: [ids.slice(i, i + READ_AT_ONCE)],
      });
      for (const { post_id, metadata } of read) found.set(post_id, metadata);
      await yieldToEventLoop();
    }
    return found;
  }

  private async readSummary(post: ListedPost['post'], sent: string | null): Promise<PostSummary> {
    if (post.in_parts && !post.content_erased) return this.readSummaryOfParts(post);
    if (sent !== null && sent.length > INLINE_BYTES) await yieldToEventLoop();
    const { excerpt, media_count: mediaCount, metadata_bytes: bytes } = post;
    const metadata = sent === null ? null : (JSON.parse(sent) as JsonObject);
    return { metadata, isMetadataTruncated: bytes > SHOWN_BYTES, excerpt, mediaCount };
  }

  /**
   * Summarises a payload stored in parts. Caches the summary if it has no metadata, because an event's payload never
   * changes.
   */
  private async readSummaryOfParts({ stream, content_revision }: ListedPost['post']): Promise<PostSummary> {
    const place = `${stream}@${content_revision}`;
    const known = this.ofParts.get(place);
    if (known) return known;
    const payload = await this.payloads.readPayload(stream, content_revision);
    await yieldToEventLoop();
    const summary = shorten(summarise(payload));
    if (payload && summary.metadata === null) this.ofParts.set(place, summary);
    return summary;
  }
}

/** A list row. `metadata` is also null if it is larger than {@link INLINE_BYTES}. */
type ListedPost = Omit<PostAndPublications, 'post'> & {
  readonly post: PostRow & { readonly metadata_bytes: number };
  readonly is_cut: boolean;
};

/** Omits metadata that is too large for a list. */
const shorten = (summary: PostSummary): PostSummary =>
  summary.metadata !== null && Buffer.byteLength(JSON.stringify(summary.metadata)) > SHOWN_BYTES
    ? { ...summary, metadata: null, isMetadataTruncated: true }
    : summary;

const summarise = (payload: PublishPayload | null): PostSummary => ({
  metadata: payload?.metadata ?? null,
  isMetadataTruncated: false,
  excerpt: excerptOfPost(payload),
  mediaCount: payload && countMedia(payload),
});

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
