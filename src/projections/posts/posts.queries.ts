import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { JsonObject } from '../../kernel/json.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { PostPayloads, type ReadPost } from './post-payloads.js';
import type { PostRow, PublicationRow, PublicationViewState } from './posts.tables.js';

/** A post and what became of it on each target, in the order of its targets. */
export interface PostWithPublications {
  readonly post: PostRow;
  readonly publications: readonly PublicationRow[];
  readonly metadata: JsonObject | null;
}

/** One post with its payload; null where there is none. @param ownerId only where it belongs to this owner; null: whoever's */
export class FindPost extends Query<(PostWithPublications & { readonly payload: ReadPost['payload'] }) | null> {
  constructor(
    readonly postId: string,
    readonly ownerId: string | null,
  ) {
    super();
  }
}

/** Which posts are asked for; what is absent, and an owner of null, leaves none out. */
export interface PostFilter {
  readonly ownerId: string | null;
  readonly endpointId?: string;
  /** Posts with a publication on this channel … */
  readonly channelId?: string;
  /** … in this state; of both, one publication must meet both. */
  readonly state?: PublicationViewState;
}

/** Posts, the newest first. @param page.before only those older than this one */
export class ListPosts extends Query<PostWithPublications[]> {
  constructor(
    readonly filter: PostFilter,
    readonly page: { readonly before: string | null; readonly limit: number },
  ) {
    super();
  }
}

type Found = Pick<PostWithPublications, 'post' | 'publications'>;

const CATCH_UP_MS = 2_000;

@QueryHandler(FindPost)
export class FindPostHandler implements IQueryHandler<FindPost> {
  private readonly payloads: PostPayloads;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    codec: EventCodec,
    private readonly progress: ProjectionProgress,
  ) {
    this.payloads = new PostPayloads(store, codec);
  }

  async execute({ postId, ownerId }: FindPost) {
    const row = (await this.find(postId, ownerId)) ?? (await this.findLater(postId, ownerId));
    if (!row) return null;
    const { post, publications } = row;
    const { payload } = await this.payloads.read(post.stream, post.revision);
    return { post, publications, metadata: payload.metadata ?? null, payload };
  }

  /** Whoever was just answered with a post's id finds it, although the view may be a moment behind the acceptance. */
  private async findLater(postId: string, ownerId: string | null): Promise<Found | null> {
    await this.progress.waitFor(['posts'], await this.store.head(), CATCH_UP_MS);
    return this.find(postId, ownerId);
  }

  private async find(postId: string, ownerId: string | null): Promise<Found | null> {
    const { rows } = await this.pool.query<Found>({
      name: 'find post',
      text: `select to_jsonb(p) as post, ${PUBLICATIONS} as publications from posts.post p
             where p.post_id = $1 and ($2::text is null or p.owner_id = $2)`,
      values: [postId, ownerId],
    });
    return rows[0] ?? null;
  }
}

@QueryHandler(ListPosts)
export class ListPostsHandler implements IQueryHandler<ListPosts> {
  private readonly payloads: PostPayloads;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    codec: EventCodec,
    private readonly progress: ProjectionProgress,
  ) {
    this.payloads = new PostPayloads(store, codec);
  }

  async execute({ filter, page }: ListPosts): Promise<PostWithPublications[]> {
    // Two views have to agree on what is not over; and whoever has just posted finds the post.
    await this.progress.catchUp(['posts', 'publish-schedule'], this.store);
    const { text, values } = listStatement(filter, page);
    const { rows } = await this.pool.query<Found>(text, values);
    const found: PostWithPublications[] = [];
    // One after the other: a page of heavy payloads would not fit into memory at once.
    for (const { post, publications } of rows)
      found.push({ post, publications, metadata: await this.metadataOf(post) });
    return found;
  }

  private async metadataOf(post: PostRow): Promise<JsonObject | null> {
    if (!post.in_parts) return post.metadata === null ? null : (JSON.parse(post.metadata) as JsonObject);
    return (await this.payloads.read(post.stream, post.revision)).payload.metadata ?? null;
  }
}

const PUBLICATIONS = `coalesce((
  select jsonb_agg(to_jsonb(x) order by x.publication_id) from posts.publication x where x.post_id = p.post_id), '[]')`;

/** Conditions that were not asked for are left out, not made true for all: only so does each list walk along an index. */
const listStatement = (
  { ownerId, endpointId, channelId, state }: PostFilter,
  { before, limit }: ListPosts['page'],
): { text: string; values: unknown[] } => {
  const values: unknown[] = [limit];
  const ofPost: string[] = ['true'];
  const ofPublication: string[] = [];
  if (ownerId !== null) ofPost.push(`p.owner_id = $${values.push(ownerId)}`);
  if (endpointId !== undefined) ofPost.push(`p.endpoint_id = $${values.push(endpointId)}`);
  if (before !== null) ofPost.push(`p.post_id < $${values.push(before)}`);
  if (channelId !== undefined) ofPublication.push(`x.channel_id = $${values.push(channelId)}`);
  if (state !== undefined) ofPublication.push(inState(state, `$${values.push(state)}`, channelId !== undefined));
  if (ofPublication.length > 0)
    ofPost.push(`p.post_id in (select x.post_id from posts.publication x where ${ofPublication.join(' and ')})`);
  const text = `select to_jsonb(p) as post, ${PUBLICATIONS} as publications from posts.post p
                where ${ofPost.join(' and ')} order by p.post_id desc limit $1`;
  return { text, values };
};

/**
 * That a publication is in a state, said so that an index finds it. What is not over is found through the schedule, which
 * holds little else.
 */
const inState = (state: PublicationViewState, parameter: string, isOfOneChannel: boolean): string => {
  if (state === 'published' || isOfOneChannel) return `x.state = ${parameter}`;
  if (state !== 'queued' && state !== 'publishing') return `x.settled = ${parameter}`;
  return `x.state = ${parameter} and x.publication_id in (select publication_id from publish_schedule.publication where waits)`;
};
