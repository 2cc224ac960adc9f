import { Inject, Injectable } from '@nestjs/common';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { type CommandContext, isDamaged } from '../../event-store/codec.js';
import { type Position, Unavailable } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { isRejection, reasonOf } from '../../kernel/result.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import {
  type PlannedPlace,
  PlannedPostQueries,
  type PlannedPublications,
} from '../../projections/planned-posts/planned-posts.queries.js';
import type { ResourceId } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { inSlices } from '../../runtime/cooperative-work.js';
import { type Completed, latestCompleted } from '../command.js';
import { rejectUnreadable } from '../publication.js';
import { PlannedPosts, POSTS_AT_ONCE, READ_MODELS_OF_POSTS } from './planned-posts.js';

/** Number of posts found at a time; each may have thousands of publications. */
const BATCH_SIZE = 50;
const NOTHING: Completed = { position: -1n };

/** Cancels the planned publications of a deleted channel, project, endpoint or owner. */
@Injectable()
export class PlannedCancellations {
  constructor(
    @Inject(PlannedPostQueries) private readonly planned: Pick<PlannedPostQueries, 'findPlanned'>,
    private readonly posts: PlannedPosts,
    @Inject(ProjectionProgress) private readonly progress: Pick<ProjectionProgress, 'requireUpTo'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Cancels the planned publications of a resource, a batch of posts at a time. Leaves posts that the read model shows
   * although their streams hold nothing to cancel, and posts whose events are damaged, which it logs.
   * @returns position of the last event that changed or released one of these posts
   * @throws Unavailable @throws ReadModelBehind
   */
  async cancelAll(of: ResourceId, context: CommandContext): Promise<Completed> {
    let last = NOTHING;
    for (;;) {
      const completed = latestCompleted([last, await this.cancelOnce(of, context)]);
      if (completed.position === last.position) return last;
      last = completed;
      // The next round must not find these posts again, only posts that were planned in the meantime.
      await this.progress.requireUpTo('planned-posts', last.position);
    }
  }

  /** Goes through the planned posts of a resource once. */
  private async cancelOnce(of: ResourceId, context: CommandContext): Promise<Completed> {
    let last = NOTHING;
    for (let after = ''; ;) {
      const batch = await this.planned.findPlanned(of, { after, limit: BATCH_SIZE });
      if (batch.length === 0) return last;
      last = latestCompleted([
        last,
        ...(await inSlices(batch, POSTS_AT_ONCE, (post) => this.cancelReadable(post, context))),
      ]);
      after = batch.at(-1)!.postId;
    }
  }

  private async cancelReadable(post: PlannedPublications, context: CommandContext): Promise<Completed> {
    try {
      return await this.cancel(post, context);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      // It cannot be released either: the saga of the releases sets it aside.
      const { postId, stream } = post;
      const detail = { post_id: postId, stream, reason: reasonOf(error) };
      this.log.error(detail, 'a planned post cannot be read, and is not cancelled');
      return NOTHING;
    }
  }

  private async cancel(post: PlannedPublications, context: CommandContext): Promise<Completed> {
    const { publicationIds } = post;
    const command = { type: 'CancelPlanned', at: context.at, publicationIds, ifRevision: null } as const;
    const each = { ...context, commandId: `${context.commandId}/cancel-planned/${post.postId}` };
    const result = await this.posts.execute(post, command, each);
    if (result && !isRejection(result)) return result;
    // The post was released first: its publications are already in their queues.
    return (await this.posts.load(post)) ?? NOTHING;
  }
}

/** Number of posts found at a time. */
const PAGE_SIZE = 200;
/** How much earlier than its acceptance a post's id may be, in ms: storing its payload takes time, and clocks differ. */
const ID_LEAD_MS = 86_400_000;

/** The outcome of {@link CancelPlannedPosts}. */
export interface PlannedPostsCancelled extends Completed {
  /** Number of posts that were cancelled. */
  readonly cancelled: number;
}

/**
 * Cancels the planned posts that an endpoint has accepted since a time, for example with a stolen token (D-87). Each
 * post is cancelled by an event of its own, so the command may be repeated after a crash: it then cancels the rest.
 */
@Injectable()
export class CancelPlannedPosts {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly queries: PlannedPostQueries,
    private readonly posts: PlannedPosts,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * @throws Unavailable
   * @param since null for all
   */
  async execute(context: CommandContext, endpointId: string, since: Instant | null): Promise<PlannedPostsCancelled> {
    // Every post that was accepted before must be found. Later ones are left: a client may keep sending posts.
    const upTo = await this.aggregates.store.readHead();
    if (!(await this.progress.waitFor(['planned-posts'], upTo))) throw new Unavailable('planned-posts is behind');
    const from = since === null ? 0 : Math.max(0, since - ID_LEAD_MS);
    let [position, cancelled, after]: [Position, number, string] = [-1n, 0, ''];
    for (;;) {
      const page = await this.queries.findAccepted(endpointId, { from, upTo, after, limit: PAGE_SIZE });
      for (const done of await inSlices(page, POSTS_AT_ONCE, (place) => this.cancel(place, since, context))) {
        if (done === null) continue;
        cancelled++;
        if (done > position) position = done;
      }
      if (page.length < PAGE_SIZE) return { position, cancelled };
      // Leaves time for the read models, which other owners need too.
      await this.progress.waitFor(READ_MODELS_OF_POSTS, position);
      after = page.at(-1)!.postId;
    }
  }

  /** Returns the position of the cancellation; null if the post was accepted earlier, released or changed by others, or cannot be read. */
  private async cancel(place: PlannedPlace, since: Instant | null, context: CommandContext): Promise<Position | null> {
    const result = await rejectUnreadable(() => this.cancelSince(place, since, context));
    return result && !isRejection(result) && result.events.length > 0 ? result.position : null;
  }

  private async cancelSince(place: PlannedPlace, since: Instant | null, context: CommandContext) {
    if (since !== null) {
      const loaded = await this.posts.load(place);
      if (!loaded || loaded.state.acceptedAt < since) return null;
    }
    const command = { type: 'CancelPlanned', at: context.at, publicationIds: null, ifRevision: null } as const;
    const each = { ...context, commandId: `${context.commandId}/${place.postId}` };
    return this.posts.execute(place, command, each);
  }
}
