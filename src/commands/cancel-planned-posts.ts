import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { type Position, Unavailable } from '../event-store/port.js';
import type { Instant } from '../kernel/clock.js';
import { isRejection } from '../kernel/result.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { type PlannedPlace, PlannedPostQueries } from '../projections/planned-posts/planned-posts.queries.js';
import { inSlices } from '../runtime/cooperative-work.js';
import type { Completed } from './command.js';
import { PlannedPosts, POSTS_AT_ONCE } from './post/planned-posts.js';
import { READ_MODELS_OF_POSTS } from './post/read-models.js';
import { rejectUnreadable } from './publication.js';

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
export class CancelPlannedPosts extends Command<PlannedPostsCancelled> {
  /** @param since null for all */
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    readonly since: Instant | null,
  ) {
    super();
  }
}

@CommandHandler(CancelPlannedPosts)
export class CancelPlannedPostsHandler implements ICommandHandler<CancelPlannedPosts> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly queries: PlannedPostQueries,
    private readonly posts: PlannedPosts,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @throws Unavailable */
  async execute({ context, endpointId, since }: CancelPlannedPosts): Promise<PlannedPostsCancelled> {
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
