import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, isStoreOutage } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { PartOfList } from '../../kernel/ids.js';
import { excerptOfPost } from '../../payload/excerpt.js';
import { POOL } from '../../postgres/tokens.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { ProjectionProgress } from '../engine/progress.js';
import { PLANNED_POSTS } from '../planned-posts/planned-posts.tables.js';
import { PostHorizon, PostLookup } from './archived-posts.queries.js';
import { calendarStatement, listStatement, type PostRange, PUBLICATIONS, STATUS_BYTES } from './list-posts.sql.js';
import { PostPayloads } from './post-payloads.js';
import {
  type PostApproval,
  type PostRow,
  POSTS,
  type PublicationRow,
  type PublicationViewState,
} from './posts.tables.js';

/** A post with its publications, in the order defined by D-57. */
export interface EndpointPost {
  readonly post: Omit<PostRow, 'metadata'>;
  readonly publications: readonly PublicationRow[];
}

/** Finds a post that an endpoint accepted (D-48); null if there is none. */
@Injectable()
export class FindEndpointPost {
  constructor(
    private readonly lookup: PostLookup,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  execute(endpointId: string, postId: string): Promise<EndpointPost | null> {
    return this.progress.findUpToDate('posts', this.store, () =>
      this.lookup.findOne<EndpointPost>({
        name: 'find post of an endpoint',
        text: `select to_json(p) as post, ${PUBLICATIONS} as publications from ${POSTS}.post p
               where p.post_id = $1 and p.endpoint_id = $2`,
        values: [postId, endpointId],
      }),
    );
  }
}

/**
 * Lists the posts that an endpoint accepted, as many as fit in one response: planned posts by `publish_at`, all others
 * newest first.
 */
@Injectable()
export class ListEndpointPosts {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly horizon: PostHorizon,
  ) {}

  /** @param state publication state; undefined for any */
  async execute(
    endpointId: string,
    state: PublicationViewState | undefined,
    range: PostRange,
  ): Promise<PartOfList<EndpointPost>> {
    // Both views must agree on which publications are unfinished, and a post accepted a moment ago must be listed.
    await this.progress.waitUntilCaughtUp(['posts', 'publish-schedule'], this.store);
    const filter = { ownerId: null, endpointId, state };
    const statement = state === 'planned' ? calendarStatement : listStatement;
    const { rows } = await this.pool.query<EndpointPost & { readonly is_cut: boolean }>(
      statement(filter, { ...range, bytes: STATUS_BYTES }),
    );
    return this.horizon.endList({ rows, isCut: rows[0]?.is_cut ?? false }, range.limit);
  }
}

type ExcerptRow = Pick<PostRow, 'post_id' | 'stream' | 'revision' | 'in_parts' | 'excerpt'>;

/** How many excerpts to cache for payloads stored in parts. They stay valid until the content is erased. */
const KEPT = 2_000;

/** Finds post excerpts. If a payload is stored in parts (D-42), its excerpt is read from the event store and cached. */
@Injectable()
export class PostExcerpts {
  private readonly ofParts = new BoundedCache<{ readonly excerpt: string | null }>(KEPT);

  constructor(
    private readonly lookup: PostLookup,
    private readonly payloads: PostPayloads,
  ) {}

  /** Returns the excerpts by post id. An excerpt is null if the post has no text or cannot currently be read. */
  async find(postIds: readonly string[]): Promise<Map<string, string | null>> {
    const ids = [...new Set(postIds)];
    const rows = await this.lookup.find<ExcerptRow>(ids, {
      name: 'excerpts of posts',
      text: `select post_id, stream, content_revision as revision, in_parts and not content_erased as in_parts, excerpt
             from ${POSTS}.post where post_id = any($1)`,
      values: [ids],
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

type Place = Pick<PostRow, 'stream' | 'revision'>;

/** The event that accepted a post. */
type FoundPlace = Place & {
  /** True if the post was accepted as a planned post, so that more of its events may follow in the stream (D-58). */
  readonly was_planned: boolean;
};

/** What lists know of a post's content. */
export type PostSummary = Pick<
  PostRow,
  'post_id' | 'stream' | 'content_revision' | 'in_parts' | 'excerpt' | 'media_count'
>;

/** Locates posts and their content in the event store through the read model `posts`. */
@Injectable()
export class PostPlaces {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly lookup: PostLookup,
  ) {}

  /** Finds the event that accepted a post; null if the read model does not (yet) show the post. */
  find(postId: string): Promise<FoundPlace | null> {
    const text = `select stream, revision, released_at is null or content_revision <> revision as was_planned
      from ${POSTS}.post where post_id = $1`;
    return this.lookup.findOne<FoundPlace>({ text, values: [postId] });
  }

  /** Finds the event that accepted a publication's post; null in the same cases as {@link find}. */
  findOfPublication(publicationId: string): Promise<Place | null> {
    const text = `select stream, revision from ${POSTS}.post join ${POSTS}.publication using (post_id) where publication_id = $1`;
    return this.lookup.findOne<Place>({ text, values: [publicationId] });
  }

  /** Finds the event from which `PostPayloads.readPost` reads a post; null in the same cases as {@link find}. */
  findContent(postId: string): Promise<Place | null> {
    const text = `select stream, content_revision as revision from ${POSTS}.post where post_id = $1`;
    return this.lookup.findOne<Place>({ text, values: [postId] });
  }

  /** Returns whether the content of a post was erased (D-100). */
  async isErased(postId: string): Promise<boolean> {
    const text = `select content_erased from ${POSTS}.post where post_id = $1`;
    const found = await this.lookup.findOne<{ content_erased: boolean }>({ text, values: [postId] });
    return found?.content_erased ?? false;
  }

  /** Finds what lists know of the content of posts. */
  async findSummaries(postIds: readonly string[]): Promise<readonly PostSummary[]> {
    if (postIds.length === 0) return [];
    const text = `select post_id, stream, content_revision, in_parts and not content_erased as in_parts, excerpt, media_count from ${POSTS}.post where post_id = any($1)`;
    return this.lookup.find<PostSummary>(postIds, { name: 'summaries of posts', text, values: [postIds] });
  }

  /** Finds the content that a publication was released with, and its project; null if the read model does not (yet) show it. */
  findContentOfPublication(publicationId: string): Promise<(Place & { readonly project_id: string }) | null> {
    const text = `select stream, coalesce(released_stream_revision, content_revision) as revision, project_id
      from ${POSTS}.post join ${POSTS}.publication using (post_id) where publication_id = $1`;
    return this.lookup.findOne<Place & { project_id: string }>({ text, values: [publicationId] });
  }

  /** Returns whether a publication of a post in a project has yet to end, unless it is missing from the read model. */
  async hasUnfinished(postId: string, projectId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ found: boolean }>({
      name: 'unfinished publication',
      text: `select exists (select from ${POSTS}.publication where post_id = $1 and project_id = $2
               and state not in ('published', 'failed', 'filtered', 'dismissed', 'withdrawn', 'withdraw_failed')) as found`,
      values: [postId, projectId],
    });
    return rows[0]!.found;
  }
}

/** The reason why a planned post is waiting (D-65). */
export interface PlanHold {
  /** `restored`: events were lost, so the post may have been published, changed or cancelled since (D-80). */
  readonly rule: 'scheduled' | 'approval' | 'restored';
  /** Null if the post is waiting for a person. */
  readonly until: Instant | null;
  /** Id of the event that caused the hold. */
  readonly eventId: string;
  /** Null if no time was given. */
  readonly publishAt: Instant | null;
}

/** Returns the approval of a post; null if none was required. */
export const approvalOf = ({ approval }: Pick<PostRow, 'approval'>): PostApproval | null =>
  approval === null ? null : (JSON.parse(approval) as PostApproval);

/** Returns what a planned post is waiting for; a recovery takes precedence, then approval. */
export const planHoldOf = (
  post: Pick<PostRow, 'publish_at' | 'approval' | 'plan_event'>,
  isHeld: boolean,
): PlanHold => {
  const { publish_at: publishAt, plan_event: eventId } = post;
  if (isHeld) return { rule: 'restored', until: null, eventId, publishAt };
  if (approvalOf(post)?.state === 'pending') return { rule: 'approval', until: null, eventId, publishAt };
  return { rule: 'scheduled', until: publishAt, eventId, publishAt };
};

/** Reads what planned posts are waiting for. */
@Injectable()
export class PostPlans {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the holds by post id, without unknown posts. */
  async find(postIds: readonly string[]): Promise<Map<string, PlanHold>> {
    if (postIds.length === 0) return new Map();
    const { rows } = await this.pool.query<{ post: PostRow; is_held: boolean }>({
      name: 'plans of posts',
      text: `select jsonb_build_object('post_id', p.post_id, 'publish_at', p.publish_at, 'approval', p.approval,
               'plan_event', p.plan_event) as post,
               exists (select from ${PLANNED_POSTS}.planned_post h where h.post_id = p.post_id and h.is_held) as is_held
             from ${POSTS}.post p where p.post_id = any($1)`,
      values: [[...new Set(postIds)]],
    });
    return new Map(rows.map(({ post, is_held }) => [post.post_id, planHoldOf(post, is_held)]));
  }
}

/** How many posts' correlation ids to remember. They never change. */
const STORIES_KEPT = 10_000;

/**
 * Reads the correlation ids of posts from the events that accepted them, because the read model does not have them. Such
 * an event is large if the post has many channels, each of whose publications asks for it, so the ids are remembered.
 */
@Injectable()
export class PostStories {
  private readonly ofPosts = new BoundedCache<Promise<string | null>>(STORIES_KEPT);

  constructor(
    private readonly places: PostPlaces,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Returns a post's correlation id; null if the read model does not show the post (yet).
   * @throws Unavailable @throws UndecodableEvent
   */
  async findOfPost(postId: string): Promise<string | null> {
    const reading = this.ofPosts.getOrCreate(postId, async () => this.read(await this.places.find(postId)));
    let found: string | null = null;
    try {
      found = await reading;
    } finally {
      if (found === null) this.ofPosts.delete(postId);
    }
    return found;
  }

  /** Returns the correlation id of a publication's post, like {@link findOfPost}. */
  async findOfPublication(publicationId: string): Promise<string | null> {
    return this.read(await this.places.findOfPublication(publicationId));
  }

  /**
   * Returns a decision's context with the correlation id of its post, so that the decision becomes part of the post's
   * story (ADR-140).
   */
  async joinStory<C extends { readonly correlationId: string }>(context: C, postId: string): Promise<C> {
    const correlationId = await this.findOfPost(postId);
    return correlationId === null ? context : { ...context, correlationId };
  }

  private async read(place: { readonly stream: string; readonly revision: string } | null): Promise<string | null> {
    if (!place) return null;
    const [accepted] = await this.store.readStream(place.stream, { from: BigInt(place.revision), limit: 1 });
    return accepted ? this.codec.readEnvelope(accepted).correlation_id : null;
  }
}
