import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { JsonObject } from '../../kernel/json.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import type { PublishPayload } from '../../payload/payload.js';
import { PostPayloads } from './post-payloads.js';
import { POSTS, type PostRow, type PublicationRow, type PublicationViewState } from './posts.tables.js';
import { SCHEDULE } from '../publish-schedule/publish-schedule.tables.js';

/** A post and its publications, in the order of its targets (D-57). */
export interface PostWithPublications {
  readonly post: PostRow;
  readonly publications: readonly PublicationRow[];
  readonly metadata: JsonObject | null;
}

/** A post, its publications and its payload; null: the payload cannot be read as it was accepted. */
export type FoundPost = PostWithPublications & { readonly payload: PublishPayload | null };

/** Finds a post with its payload; null if there is none. @param ownerId finds it only if it belongs to this owner; null: any owner */
export class FindPost extends Query<FoundPost | null> {
  constructor(
    readonly postId: string,
    readonly ownerId: string | null,
  ) {
    super();
  }
}

/** A filter of posts; an absent field, or an owner of null, matches all. */
export interface PostFilter {
  readonly ownerId: string | null;
  readonly endpointId?: string;
  /** Posts with a publication on this channel … */
  readonly channelId?: string;
  /** … in this state; of both, one publication must meet both. */
  readonly state?: PublicationViewState;
}

/** Lists posts, the newest first. @param page.before only those older than this one */
export class ListPosts extends Query<PostWithPublications[]> {
  constructor(
    readonly filter: PostFilter,
    readonly page: { readonly before: string | null; readonly limit: number },
  ) {
    super();
  }
}

type PostAndPublications = Pick<PostWithPublications, 'post' | 'publications'>;

const CATCH_UP_TIMEOUT_MS = 2_000;

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
    const row = (await this.findRow(postId, ownerId)) ?? (await this.findRowAfterCatchUp(postId, ownerId));
    if (!row) return null;
    const { post, publications } = row;
    const payload = await this.payloads.readPayload(post.stream, post.revision);
    return { post, publications, metadata: payload?.metadata ?? null, payload };
  }

  /** Waits for the view before searching: it may not have reached a post that was accepted just before the request. */
  private async findRowAfterCatchUp(postId: string, ownerId: string | null): Promise<PostAndPublications | null> {
    await this.progress.waitFor(['posts'], await this.store.readHead(), CATCH_UP_TIMEOUT_MS);
    return this.findRow(postId, ownerId);
  }

  private async findRow(postId: string, ownerId: string | null): Promise<PostAndPublications | null> {
    const { rows } = await this.pool.query<PostAndPublications>({
      name: 'find post',
      text: `select to_jsonb(p) as post, ${PUBLICATIONS} as publications from ${POSTS}.post p
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
    // Both views must agree on the publications that have not ended, and a post accepted just before must be listed.
    await this.progress.waitUntilCaughtUp(['posts', 'publish-schedule'], this.store);
    const { text, values } = listStatement(filter, page);
    const { rows } = await this.pool.query<PostAndPublications>(text, values);
    const found: PostWithPublications[] = [];
    // Sequentially, as a page of large payloads might not fit into memory.
    for (const { post, publications } of rows)
      found.push({ post, publications, metadata: await this.readMetadata(post) });
    return found;
  }

  private async readMetadata(post: PostRow): Promise<JsonObject | null> {
    if (!post.in_parts) return post.metadata === null ? null : (JSON.parse(post.metadata) as JsonObject);
    return (await this.payloads.readPayload(post.stream, post.revision))?.metadata ?? null;
  }
}

const PUBLICATIONS = `coalesce((
  select jsonb_agg(to_jsonb(x) order by x.place) from ${POSTS}.publication x where x.post_id = p.post_id), '[]')`;

/** Conditions that do not apply are omitted, not made true for all rows, so that each list can use an index. */
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
  if (state !== undefined) ofPublication.push(stateCondition(state, `$${values.push(state)}`, channelId !== undefined));
  if (ofPublication.length > 0)
    ofPost.push(`p.post_id in (select x.post_id from ${POSTS}.publication x where ${ofPublication.join(' and ')})`);
  const text = `select to_jsonb(p) as post, ${PUBLICATIONS} as publications from ${POSTS}.post p
                where ${ofPost.join(' and ')} order by p.post_id desc limit $1`;
  return { text, values };
};

/** SQL that selects the publications that wait, by the conditions of the schedule's two indexes of them. */
const WAITING = `
  select publication_id from ${SCHEDULE}.publication where waits and project_pause_id is null
  union all select publication_id from ${SCHEDULE}.publication where project_pause_id is not null`;

/**
 * Returns the condition that a publication is in a state, in a form that can use an index. Publications that have not
 * ended are found through the schedule, which contains few others.
 */
const stateCondition = (state: PublicationViewState, parameter: string, isOfOneChannel: boolean): string => {
  if (state === 'published' || isOfOneChannel) return `x.state = ${parameter}`;
  if (state !== 'queued' && state !== 'publishing') return `x.settled = ${parameter}`;
  return `x.state = ${parameter} and x.publication_id in (${WAITING})`;
};
