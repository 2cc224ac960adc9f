import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { channel } from '../domain/channel/channel.decider.js';
import { publication } from '../domain/publication/publication.decider.js';
import {
  isLookingUp,
  openRecovery,
  recovery,
  recoveryChoice,
  type RecoveryState,
} from '../domain/recovery/recovery.decider.js';
import {
  RECOVERY_ID,
  type RecoveryConfirmed,
  type RecoveryEvent,
  type RecoveryStarted,
} from '../domain/recovery/recovery.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { fold, type RecordedEvent, type RecordedEventOf, streamOf } from '../kernel/events.js';
import { padPosition } from '../kernel/position-text.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { PlannedPostQueries } from '../projections/planned-posts/planned-posts.queries.js';
import { PostStories } from '../projections/posts/post-details.queries.js';
import { CountHeld } from '../projections/publish-schedule/holds.queries.js';
import {
  type OwnedPublication,
  PublishScheduleQueries,
} from '../projections/publish-schedule/publish-schedule.queries.js';
import { inSlices } from '../runtime/cooperative-work.js';
import { type Completed, latestCompleted, requireCompleted, toOutcome } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';
import { PlannedPosts, POSTS_AT_ONCE } from './post/planned-posts.js';
import { rejectUnreadable } from './publication.js';

/** What happens to held posts; null leaves them held. */
export type RecoveryChoice = Pick<RecoveryConfirmed['data'], 'planned' | 'inDoubt'>;

/** What was settled: the number of posts, and of publications. */
export type SettledRecovery = Completed & { readonly planned: number; readonly inDoubt: number };

/** Number of posts or publications found at a time. */
const BATCH_SIZE = 200;
const READ_MODELS = ['planned-posts', 'publish-schedule'];

/**
 * Settles at once what a recovery holds (D-80).
 *
 * Keeping is one event, however many posts it concerns. Cancelling, resending and dismissing go through the posts in
 * batches. Safe to repeat as a whole, because what is settled is not found again.
 */
@Injectable()
export class ConfirmRecovery {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly posts: PlannedPosts,
    private readonly planned: PlannedPostQueries,
    private readonly schedule: PublishScheduleQueries,
    private readonly stories: PostStories,
    private readonly countHeld: CountHeld,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * @throws Unavailable: some posts may already be settled
   * @param ownerId null for all owners
   */
  async execute(
    context: CommandContext,
    ownerId: string | null,
    choice: RecoveryChoice,
  ): Promise<SettledRecovery | Rejection> {
    await this.progress.waitUntilCaughtUp(READ_MODELS, this.aggregates.store);
    const held = await this.countHeld.execute(ownerId);
    if (held.isOpen) return reject('recovery_running', COMMAND_MESSAGES.recoveryRunning);
    const { planned, inDoubt } = choice;
    const isNothing = (planned === null || held.planned === 0) && (inDoubt === null || held.inDoubt === 0);
    if (isNothing) return { position: -1n, planned: 0, inDoubt: 0 };
    if (inDoubt !== null && held.inDoubt > 0 && (await this.isLookingUp()))
      return reject('recovery_running', COMMAND_MESSAGES.recoveryLookingUp);
    const command = { type: 'ConfirmRecovery', ownerId, at: context.at, ...choice } as const;
    const confirmed = await this.aggregates.execute(recoveryChoice, ownerId ?? 'all', command, context);
    const kept = requireCompleted(toOutcome(confirmed));
    const cancelled = planned === 'cancel' ? await this.cancelPlanned(ownerId, context) : [];
    const settled = inDoubt === null ? [] : await this.settleInDoubt(ownerId, inDoubt, context);
    return {
      ...latestCompleted([kept, ...cancelled, ...settled]),
      planned: planned === 'keep' ? held.planned : cancelled.length,
      inDoubt: settled.length,
    };
  }

  /** True if sending again might repeat what a look-up is about to find. */
  private async isLookingUp(): Promise<boolean> {
    return isLookingUp((await this.aggregates.loadAggregate(recovery, RECOVERY_ID)).state);
  }

  private cancelPlanned(ownerId: string | null, context: CommandContext): Promise<readonly Completed[]> {
    return forEachPage(
      (after) => this.planned.findHeld(ownerId, after, BATCH_SIZE),
      ({ postId }) => postId,
      async (post) => {
        const command = { type: 'CancelPlanned', at: context.at, publicationIds: null, ifRevision: null } as const;
        const result = await rejectUnreadable(() =>
          this.posts.execute(post, command, commandFor(context, post.postId)),
        );
        return result && !isRejection(result) && result.events.length > 0 ? result : null;
      },
    );
  }

  private settleInDoubt(
    ownerId: string | null,
    choice: 'resend' | 'dismiss',
    context: CommandContext,
  ): Promise<readonly Completed[]> {
    return forEachPage(
      (after) => this.schedule.findRestored(ownerId, after, BATCH_SIZE),
      ({ publicationId }) => publicationId,
      (row) => this.settle(row, choice, context),
    );
  }

  /** Nothing can be sent to a deleted channel, so its publications are dismissed. */
  private async settle(
    { publicationId, postId, channelId }: OwnedPublication,
    choice: 'resend' | 'dismiss',
    context: CommandContext,
  ): Promise<Completed | null> {
    const { state } = await this.aggregates.loadAggregate(channel, channelId);
    const type = choice === 'dismiss' || state?.deleted ? 'DismissPublication' : 'ResendPublication';
    const command = { type, publicationId, postId, channelId, at: context.at } as const;
    const inStory = commandFor(await this.stories.joinStory(context, postId), publicationId);
    const result = await rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, publicationId, command, inStory)),
    );
    return isRejection(result) ? null : result;
  }
}

const commandFor = (context: CommandContext, id: string): CommandContext => ({
  ...context,
  commandId: `${context.commandId}/${id}`,
});

/** Settles all items, a page at a time. Returns the results of those that were settled. */
const forEachPage = async <Item>(
  read: (after: string) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
  settle: (item: Item) => Promise<Completed | null>,
): Promise<readonly Completed[]> => {
  const settled: Completed[] = [];
  for (let after = ''; ;) {
    const page = await read(after);
    if (page.length === 0) return settled;
    for (const result of await inSlices(page, POSTS_AT_ONCE, settle))
      if (result) settled.push({ position: result.position });
    after = idOf(page.at(-1)!);
  }
};

/** Key of the advisory lock under which recoveries begin and the row in `ops_recovery` is set. */
export const RECOVERY_LOCK = 0x7265636f;

/** The recoveries in the log. */
export interface Recoveries {
  readonly state: RecoveryState;
  /** The event of the latest recovery; null if there was none. */
  readonly latest: RecordedEvent<RecoveryStarted> | null;
  /** True if not everything that waited is marked. */
  readonly isOpen: boolean;
}

/** Reads the recoveries in the log. @throws Unavailable */
export const readRecoveries = async ({
  store,
  codec,
}: Pick<AggregateStore, 'store' | 'codec'>): Promise<Recoveries> => {
  const stored = await store.readStream(streamOf(recovery, RECOVERY_ID));
  const events = stored.map((event) => codec.decode<RecoveryEvent>(event) as RecordedEventOf<RecoveryEvent>);
  const state = fold(recovery, events as readonly RecoveryEvent[]);
  const latest = events.findLast((event) => event.type === 'RecoveryStarted') ?? null;
  return { state, latest, isOpen: openRecovery(state) !== null };
};

/**
 * Makes the row that all processes look at follow the log. Call it under {@link RECOVERY_LOCK}, with recoveries that
 * were read under the lock.
 */
export const setRecoveryRow = async (
  db: Pick<Pool, 'query'>,
  { latest, isOpen }: Pick<Recoveries, 'latest' | 'isOpen'>,
): Promise<void> => {
  const facts = latest?.data ?? null;
  const values = [facts?.recoveryId ?? null, latest ? padPosition(latest.position) : '', facts, isOpen];
  await db.query('update ops_recovery set recovery_id = $1, position = $2, facts = $3, is_open = $4', values);
};
