import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { raiseNotice } from '../../commands/notice.js';
import { PlannedPosts } from '../../commands/post/planned-posts.js';
import { recordPublicationProgress } from '../../commands/publication.js';
import { readRecoveries, RECOVERY_LOCK, setRecoveryRow } from '../../commands/recovery.js';
import { owner as ownerDecider } from '../../domain/owner/owner.decider.js';
import { publication as decider } from '../../domain/publication/publication.decider.js';
import { RESTORED } from '../../domain/publication/publication.events.js';
import { isLookingUp, recovery } from '../../domain/recovery/recovery.decider.js';
import { RECOVERY_ID, type RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { type CommandContext, isDamaged } from '../../event-store/codec.js';
import type { Position } from '../../event-store/port.js';
import { iso } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { deriveId } from '../../kernel/ids.js';
import { LOG, type Log } from '../../kernel/log.js';
import { isRejection } from '../../kernel/result.js';
import { gatewayError } from '../../platforms/publisher.js';
import { Leases } from '../../postgres/leases.js';
import { withTransaction } from '../../postgres/pool.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import {
  type OwnedPublication,
  PublishScheduleQueries,
} from '../../projections/publish-schedule/publish-schedule.queries.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { causedBy } from '../engine/event-saga.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { noticesIn } from '../raise-notices/raise-notices.js';
import { LookUpRestored } from './look-up-restored.js';
import { RECOVER_MESSAGES } from './messages.js';

const NAME = 'recover';
/** Number of posts or publications that are read and marked at a time. */
const BATCH_SIZE = 200;

const restoredError = gatewayError(RESTORED, 'internal', RECOVER_MESSAGES.restored);

/**
 * Marks everything that waited when a recovery began (D-80): planned posts that were due are released, then all
 * publications queued before are put in doubt. Safe to repeat after a crash at any line: what is still queued is what
 * has not been marked.
 */
@Injectable()
export class MarkRestored {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly posts: PlannedPosts,
    private readonly planned: PlannedPostQueries,
    private readonly schedule: PublishScheduleQueries,
    private readonly progress: ProjectionProgress,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns the number of publications that became in doubt @throws Unavailable @throws ReadModelBehind */
  async markAll(started: RecordedEvent<RecoveryStarted>, signal: AbortSignal): Promise<number> {
    const owners = new Set<string>();
    const released = await this.releaseDue(started, signal);
    await this.progress.requireUpTo('publish-schedule', released);
    await this.progress.requireUpTo('planned-posts', released);
    const marked = await this.markQueued(started, owners, signal);
    await this.forEachPage(
      (after) => this.planned.findHeld(null, after, BATCH_SIZE),
      ({ postId }) => postId,
      async ({ ownerId }) => void owners.add(ownerId),
      signal,
    );
    for (const ownerId of owners) if (!signal.aborted) await this.notify(ownerId, started);
    return marked;
  }

  /**
   * Releases the planned posts that were due when the recovery began, as of a time before it, so that their publications
   * are marked. @returns position of the last release
   */
  private async releaseDue(started: RecordedEvent<RecoveryStarted>, signal: AbortSignal): Promise<Position> {
    const { at } = started.data;
    let last = started.position;
    await this.forEachPage(
      (after) => this.planned.findHeld(null, after, BATCH_SIZE, at),
      ({ postId }) => postId,
      async (post) => {
        const command = { type: 'ReleasePost', at, knownUpTo: String(started.position - 1n) } as const;
        const result = await this.posts.execute(post, command, contextOf(started, post.postId));
        if (result && !isRejection(result) && result.position > last) last = result.position;
      },
      signal,
    );
    return last;
  }

  private async markQueued(
    started: RecordedEvent<RecoveryStarted>,
    owners: Set<string>,
    signal: AbortSignal,
  ): Promise<number> {
    let marked = 0;
    await this.forEachPage(
      (after) => this.schedule.findUnmarked(started.position, after, BATCH_SIZE),
      ({ publicationId }) => publicationId,
      async (row) => {
        if (await this.mark(row, started)) marked += 1;
        owners.add(row.ownerId);
      },
      signal,
    );
    return marked;
  }

  private async mark(
    { publicationId, postId, channelId }: OwnedPublication,
    started: RecordedEvent<RecoveryStarted>,
  ): Promise<boolean> {
    const ids = { publicationId, postId, channelId };
    const known = await this.aggregates.loadAggregate(decider, publicationId);
    const command = { type: 'MarkRestored', at: Date.now(), error: restoredError, ...ids } as const;
    const context = contextOf(started, publicationId);
    return !isRejection(await recordPublicationProgress(this.aggregates, context, command, known));
  }

  /** Handles all items, a page at a time. Damaged events of one item do not hold up others (ADR-111). */
  private async forEachPage<Item>(
    read: (after: string) => Promise<readonly Item[]>,
    idOf: (item: Item) => string,
    handle: (item: Item) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let after = ''; !signal.aborted;) {
      const page = await read(after);
      if (page.length === 0) return;
      await Promise.all(
        page.map((item) =>
          handle(item).catch((error: unknown) => {
            if (!isDamaged(error)) throw error;
            this.log.error({ item: idOf(item) }, 'cannot hold after a restore: its events are damaged');
          }),
        ),
      );
      after = idOf(page.at(-1)!);
    }
    signal.throwIfAborted();
  }

  private async notify(ownerId: string, { data, ...event }: RecordedEvent<RecoveryStarted>): Promise<void> {
    const { state } = await this.aggregates.loadAggregate(ownerDecider, ownerId);
    if (!state) return;
    const { at, recoveryId, from, until } = data;
    const text = noticesIn(state.locale).restored({ from: iso(from ?? until), until: iso(until) });
    const noticeId = deriveId('ntc', `${NAME}/${recoveryId}/${ownerId}`);
    const context = contextOf({ data, ...event }, noticeId);
    await raiseNotice(this.aggregates, context, { noticeId, ownerId, kind: 'restored', subject: {}, text, at });
  }
}

/** Returns the same context however often an item is handled, so that repeating it changes nothing. */
const contextOf = (started: RecordedEvent<RecoveryStarted>, id: string): CommandContext => ({
  actor: `system:${NAME}`,
  requestId: started.requestId,
  causationId: started.id,
  correlationId: started.correlationId,
  clientAddress: null,
  commandId: `${NAME}/${started.id}/${id}`,
  at: Date.now(),
});

const RETRY = { firstMs: 100, longestMs: 5_000 };
const VIEWS = ['planned-posts', 'publish-schedule'];
const LOOK_UP_VIEWS = ['publish-schedule', 'posts', 'discovery'];
const LOOK_MS = 1_000;

/**
 * Finishes a recovery that a start has begun (D-80): nothing is published until everything that waited is in doubt or
 * held. Then looks up what is in doubt. Runs in one process at a time. The log decides, not the row that other
 * processes read.
 */
@Injectable()
export class Recover {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly progress: ProjectionProgress,
    private readonly leases: Leases,
    private readonly marking: MarkRestored,
    private readonly lookUps: LookUpRestored,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Runs until the signal is aborted. Survives outages. */
  run(signal: AbortSignal): Promise<void> {
    const failure = 'failed to hold what waited before a restore; retrying';
    const work = async (held: AbortSignal): Promise<void> => {
      let mayBeInDoubt = true;
      while (!held.aborted) {
        if (await this.isOpen()) {
          await this.finish(held);
          mayBeInDoubt = true;
        } else if (mayBeInDoubt) {
          await this.lookUp(held);
          mayBeInDoubt = false;
        } else await sleepUnlessAborted(LOOK_MS, held);
      }
    };
    return runUnderLease(this.leases, this.log, { lease: `saga/${NAME}`, retry: RETRY, failure, work }, signal);
  }

  private async isOpen(): Promise<boolean> {
    const { rows } = await this.pool.query<{ is_open: boolean }>('select is_open from ops_recovery');
    return rows[0]!.is_open;
  }

  private async finish(signal: AbortSignal): Promise<void> {
    const { aggregates, progress, log } = this;
    const { latest: started, isOpen } = await readRecoveries(aggregates);
    if (started && isOpen) {
      while (!signal.aborted && !(await progress.waitForOwnVersions(VIEWS, LOOK_MS)));
      while (!signal.aborted && !(await progress.waitFor(VIEWS, started.position, LOOK_MS)));
      signal.throwIfAborted();
      const inDoubt = await this.marking.markAll(started, signal);
      const { recoveryId } = started.data;
      const at = Date.now();
      const context = { ...causedBy(started, NAME), commandId: `${NAME}/${recoveryId}`, at };
      const command = { type: 'MarkRecovered', recoveryId, at, inDoubt } as const;
      await aggregates.execute(recovery, RECOVERY_ID, command, context);
      log.warn({ in_doubt: inDoubt }, 'what waited before the restore is held; new posts are published again');
    }
    await this.followLog();
  }

  /** Looks up what the latest recovery put in doubt. Ends early if another recovery begins. */
  private async lookUp(signal: AbortSignal): Promise<void> {
    const { aggregates, progress, log } = this;
    const { latest: started, state } = await readRecoveries(aggregates);
    if (!started || !isLookingUp(state)) return;
    while (!signal.aborted && !(await progress.waitForOwnVersions(LOOK_UP_VIEWS, LOOK_MS)));
    await progress.requireUpTo('publish-schedule', await aggregates.store.readHead());
    const superseded = new AbortController();
    const timer = setInterval(() => {
      void this.isOpen().then(
        (isOpen) => isOpen && superseded.abort(),
        () => undefined,
      );
    }, LOOK_MS);
    try {
      const found = await this.lookUps.lookUpAll(started, AbortSignal.any([signal, superseded.signal]));
      const { recoveryId } = started.data;
      const at = Date.now();
      const context = { ...causedBy(started, NAME), commandId: `${NAME}/${recoveryId}/look-up`, at };
      await aggregates.execute(recovery, RECOVERY_ID, { type: 'MarkLookedUp', recoveryId, at, found }, context);
      if (found > 0) log.warn({ found }, 'posts in doubt after the restore were found on their networks');
    } catch (error) {
      if (!superseded.signal.aborted) throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** Lets other work continue once the log says so, unless a process is about to begin another recovery. */
  private async followLog(): Promise<void> {
    await withTransaction(this.pool, async (tx) => {
      const text = 'select pg_try_advisory_xact_lock($1) as locked';
      const { rows } = await tx.query<{ locked: boolean }>(text, [RECOVERY_LOCK]);
      if (rows[0]!.locked) await setRecoveryRow(tx, await readRecoveries(this.aggregates));
    });
  }
}
