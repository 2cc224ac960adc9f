import { Inject, Injectable } from '@nestjs/common';
import { newCommandContext } from '../../commands/origin.js';
import { type EncodedChange, type LoadedPost, PlannedPosts } from '../../commands/post/planned-posts.js';
import { isDamaged } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Instant } from '../../kernel/instant.js';
import { LOG, type Log } from '../../kernel/log.js';
import { isRejection } from '../../kernel/result.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type PlannedPlace, PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { appendReleases } from './ordered-releases.js';

/** Records how late a post was released, in ms. */
export type RecordReleaseDelay = (ms: number) => void;

/** Injection token for {@link RecordReleaseDelay}. */
export const RECORD_RELEASE_DELAY = Symbol('RecordReleaseDelay');

const NAME = 'release-planned-posts';
const VIEW = 'planned-posts';
/** Maximum number of posts that are released together. */
const WAVE = 500;
/** Maximum sleep, in ms, because the clock may be set forward in the meantime or a notification may be lost. */
const LONGEST_SLEEP_MS = 500;
const RETRY = { firstMs: 100, longestMs: 2_000 };
const OWN_VERSION_MS = 1_000;
/** Pause after a check that could not release any post, in ms. */
const NOTHING_RELEASED_PAUSE_MS = 100;

/**
 * Releases due planned posts in order of `publish_at`, then acceptance (D-60). A lease preserves the order. Even
 * without the lease, no post would be released twice, because releases are appended at an expected revision. The stream
 * determines whether a post is due; the read model only locates it.
 */
@Injectable()
export class ReleasePlannedPosts {
  private wake: () => void = () => undefined;
  private wakeAt: Instant = 0;
  /** Posts whose damaged events were logged. */
  private readonly damaged = new Set<string>();

  constructor(
    private readonly queue: PlannedPostQueries,
    private readonly posts: PlannedPosts,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly leases: Leases,
    private readonly notifications: Notifications,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(RECORD_RELEASE_DELAY) private readonly recordDelay: RecordReleaseDelay,
  ) {}

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, log, notifications, progress } = this;
    while (!signal.aborted && !(await progress.waitForOwnVersions([VIEW], OWN_VERSION_MS)));
    const unsubscribe = notifications.subscribe('planned', (earliest) => {
      if (Number(earliest) < this.wakeAt) this.wake();
    });
    const failure = 'failed to release planned posts; retrying';
    const work = (held: AbortSignal) => this.work(held);
    await runUnderLease(leases, log, { lease: `saga/${NAME}`, retry: RETRY, failure, work }, signal);
    unsubscribe();
  }

  private async work(held: AbortSignal): Promise<void> {
    const { queue, clock, progress, store } = this;
    while (!held.aborted) {
      const now = clock.now();
      this.wakeAt = 0;
      const { due: known, nextAt } = await queue.findDue(now, 1);
      if (known.length === 0) {
        await this.sleepUntil(nextAt ?? Infinity, held);
        continue;
      }
      // A post that is due must not be overtaken because the read model has not reached it yet.
      if (!(await progress.waitFor([VIEW], await store.readHead()))) continue;
      // Damaged posts stay due. However many there are, they must not fill the wave.
      const { due } = await queue.findDue(now, WAVE + this.damaged.size);
      if (due.length > 0 && !(await this.release(due, held))) await sleepUnlessAborted(NOTHING_RELEASED_PAUSE_MS, held);
    }
  }

  /** Releases posts in order. @returns false if none of them is due any more */
  private async release(due: readonly PlannedPlace[], held: AbortSignal): Promise<boolean> {
    const { posts, clock, recordDelay } = this;
    const loaded = await Promise.all(due.map((place) => this.load(place)));
    const releases: EncodedChange[] = [];
    for (const post of loaded) {
      if (!post) continue;
      const at = clock.now();
      const change = posts.encode(post, { type: 'ReleasePost', at }, contextOf(post.state.postId, at));
      // Rejected: another process has released or changed the post in the meantime. The next check will show it.
      if (!isRejection(change)) releases.push(change);
    }
    await appendReleases(
      posts,
      releases,
      () => !held.aborted,
      ({ events }) => {
        for (const { type, data } of events)
          if (type === 'PostReleased') recordDelay(data.at - (data.publishAt ?? data.at));
      },
    );
    return releases.length > 0;
  }

  /** Reads a post; null if there is nothing to release. Damaged events of one post do not hold up others (ADR-111). */
  private async load(place: PlannedPlace): Promise<LoadedPost | null> {
    const { posts, log } = this;
    try {
      return await posts.load(place);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      const { postId, stream } = place;
      if (!this.damaged.has(postId)) log.error({ post_id: postId, stream }, 'the events of a planned post are damaged');
      this.damaged.add(postId);
      return null;
    }
  }

  private async sleepUntil(at: Instant, held: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.wakeAt = at;
    this.wake = wake;
    held.addEventListener('abort', wake, { once: true });
    await sleepUnlessAborted(Math.min(Math.max(1, at - this.clock.now()), LONGEST_SLEEP_MS), woken.signal);
    held.removeEventListener('abort', wake);
  }
}

/**
 * Returns the same context in every process, so that repeating a release with an unknown outcome produces the same
 * event.
 */
const contextOf = (postId: string, at: Instant) =>
  newCommandContext(
    { actor: `system:${NAME}`, requestId: '', causationId: postId, correlationId: '', clientAddress: null },
    NAME,
    at,
  );
