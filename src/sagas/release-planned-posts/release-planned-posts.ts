import { Inject, Injectable } from '@nestjs/common';
import { newCommandContext } from '../../commands/command.js';
import { type EncodedChange, PlannedPosts } from '../../commands/post/planned-posts.js';
import { EVENT_STORE, type EventStore, isStoreOutage, type Position } from '../../event-store/port.js';
import { type Clock, type Instant, SHARED_CLOCK } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { isRejection, reasonOf } from '../../kernel/result.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type DuePost, PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import { Semaphore } from '../../runtime/semaphore.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { appendReleases, countTargets, FIRST_ROUND, nextRound, shareRound } from './ordered-releases.js';

/** How long a post is set aside before its release is tried again, in ms. */
const RETRY_MS = 60_000;
/** Maximum number of posts that are set aside; if there are more, the cause is not in the posts. */
const MAX_POSTS = 10_000;

/** Planned posts that this process cannot release, so that they do not hold up others. */
@Injectable()
export class SetAsidePosts {
  private readonly posts = new Map<string, { readonly reason: string; readonly until: number }>();

  /** Ids of the posts whose release must not be tried now. */
  get ids(): string[] {
    const now = performance.now();
    return [...this.current(now)].flatMap(([id, { until }]) => (until > now ? [id] : []));
  }

  /**
   * Sets a post aside for a minute.
   * @returns true unless the post was set aside for the same reason before
   * @throws the error if too many posts are set aside
   */
  add(postId: string, reason: string, error: unknown): boolean {
    if (this.posts.size >= MAX_POSTS && !this.posts.has(postId)) throw error;
    const isNew = this.posts.get(postId)?.reason !== reason;
    this.posts.set(postId, { reason, until: performance.now() + RETRY_MS });
    return isNew;
  }

  /** Forgets a post that can be released after all, or need not be. */
  remove(postId: string): void {
    this.posts.delete(postId);
  }

  /** The number of posts that are set aside, and one of them with the reason; null if there are none. */
  get report(): { readonly count: number; readonly postId: string; readonly reason: string } | null {
    const [first] = this.current(performance.now());
    return first ? { count: this.posts.size, postId: first[0], reason: first[1].reason } : null;
  }

  /** Forgets posts that were not tried again when their time came: they are no longer due. */
  private current(now: number): typeof this.posts {
    for (const [id, { until }] of this.posts) if (until + RETRY_MS < now) this.posts.delete(id);
    return this.posts;
  }
}

/** Records how late a post was released, in ms. */
export type RecordReleaseDelay = (ms: number) => void;

/** Injection token for {@link RecordReleaseDelay}. */
export const RECORD_RELEASE_DELAY = Symbol('RecordReleaseDelay');

const NAME = 'release-planned-posts';
const VIEW = 'planned-posts';
const SCHEDULE = 'publish-schedule';
/**
 * Maximum time, in ms, that a round waits for the publish schedule to queue the publications of earlier rounds. Posts
 * released before that would delay every other owner's next post.
 */
const SCHEDULE_WAIT_MS = 2_000;
/** Number of targets of small posts that were released since the last such wait, from which a round waits again. */
const MOST_UNQUEUED = 1_000;
/**
 * How long large posts must wait after the ones before them, as a multiple of the time that the schedule took to queue
 * those. Other owners' posts then rarely wait behind a large one.
 */
const LARGE_POSTS_REST = 3;
/** Maximum number of posts that are read at a time: a post's content may have a megabyte. */
const LOADS = 25;
/** Maximum sleep, in ms, in case a notification is lost. */
const LONGEST_SLEEP_MS = 500;
const RETRY = { firstMs: 100, longestMs: 2_000 };
const OWN_VERSION_MS = 1_000;
/** Pause after a check that could not release any post, in ms. */
const NOTHING_RELEASED_PAUSE_MS = 100;

/**
 * The pace of posts that are larger than their owner's share of a round. The schedule queues all publications of a post
 * in one step, behind which those of other owners wait.
 */
class LargePosts {
  private latest: { readonly at: number; readonly upTo: Position } | null = null;
  private restUntil = 0;

  constructor(private readonly progress: ProjectionProgress) {}

  /** Tells whether the schedule has queued the latest large posts, and has had time for others since. */
  async mayFollow(): Promise<boolean> {
    const { latest } = this;
    if (latest) {
      if (!(await this.progress.waitFor([SCHEDULE], latest.upTo, 0))) return false;
      const now = performance.now();
      this.restUntil = now + LARGE_POSTS_REST * (now - latest.at);
      this.latest = null;
    }
    return performance.now() >= this.restUntil;
  }

  /** @param upTo a position at or after the releases */
  onReleased(upTo: Position): void {
    this.latest = { at: performance.now(), upTo };
  }
}

/**
 * Releases due planned posts in rounds, which the owners share (D-79); each owner's posts in order of `publish_at`, then
 * acceptance (D-60). A lease preserves the order. Even without the lease, no post would be released twice, because
 * releases are appended at an expected revision. The stream determines whether a post is due; the read model only
 * locates it.
 */
@Injectable()
export class ReleasePlannedPosts {
  private wake: () => void = () => undefined;
  private wakeAt: Instant = 0;
  private readonly loads = new Semaphore(LOADS);

  constructor(
    private readonly queue: PlannedPostQueries,
    private readonly posts: PlannedPosts,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly leases: Leases,
    private readonly notifications: Notifications,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(RECORD_RELEASE_DELAY) private readonly recordDelay: RecordReleaseDelay,
    private readonly setAside: SetAsidePosts,
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
    const { queue, clock, progress, setAside, store } = this;
    const largePosts = new LargePosts(progress);
    let unqueued = 0;
    let bounds = FIRST_ROUND;
    for (let after = ''; !held.aborted;) {
      const now = clock.now();
      const startedAt = performance.now();
      this.wakeAt = 0;
      const nextAt = await queue.findNextDue();
      if (nextAt === null || nextAt > now) {
        bounds = FIRST_ROUND;
        await this.sleepUntil(nextAt ?? Infinity, held);
        continue;
      }
      // A post that is due must not be overtaken because the read model has not reached it yet.
      const head = await store.readHead();
      if (!(await progress.waitFor([VIEW], head))) continue;
      // The time for the schedule counts as the round's: another owner's post waits for both.
      if (unqueued > MOST_UNQUEUED) {
        await progress.waitFor([SCHEDULE], head, SCHEDULE_WAIT_MS);
        unqueued = 0;
      }
      const due = await queue.findDue(now, { ...bounds, after, without: setAside.ids });
      const { small, large, last } = shareRound(due, bounds);
      after = last;
      unqueued += countTargets(small.flat());
      const released = [await this.release(small, String(head), held)];
      if (large.length > 0 && (await largePosts.mayFollow())) {
        released.push(await this.release(large, String(head), held));
        largePosts.onReleased(await store.readHead());
      }
      if (!released.includes(true)) await sleepUnlessAborted(NOTHING_RELEASED_PAUSE_MS, held);
      else bounds = nextRound(bounds, performance.now() - startedAt);
    }
  }

  /** Releases posts, each owner's in order. @returns false if none of them is due any more */
  private async release(
    owners: readonly (readonly DuePost[])[],
    knownUpTo: string,
    held: AbortSignal,
  ): Promise<boolean> {
    const released = await Promise.all(owners.map((due) => this.releaseOfOwner(due, knownUpTo, held)));
    return released.includes(true);
  }

  private async releaseOfOwner(due: readonly DuePost[], knownUpTo: string, held: AbortSignal): Promise<boolean> {
    const { posts, recordDelay, setAside } = this;
    const encoded = await Promise.all(due.map((post) => this.encode(post, knownUpTo)));
    const releases = encoded.filter((release) => release !== null);
    await appendReleases(posts, releases, () => !held.aborted, {
      onReleased: ({ loaded, events }) => {
        setAside.remove(loaded.state.postId);
        for (const { type, data } of events)
          if (type === 'PostReleased') recordDelay(data.at - (data.publishAt ?? data.at));
      },
      onRefused: ({ loaded: { state, stream } }, error) => this.setPostAside(state.postId, stream, error),
    });
    return releases.length > 0;
  }

  /**
   * Reads a post and encodes its release; null if there is nothing to release. A post that cannot be read, for example
   * because its events are damaged, does not hold up others (ADR-111).
   */
  private async encode(post: DuePost, knownUpTo: string): Promise<EncodedChange | null> {
    const { posts, clock, setAside } = this;
    const done = await this.loads.acquire();
    try {
      const loaded = await posts.load(post);
      if (!loaded) return null;
      const at = clock.now();
      const change = await posts.encode(loaded, { type: 'ReleasePost', at, knownUpTo }, contextOf(post.postId, at));
      // Rejected: another process has released or changed the post in the meantime. The next check will show it.
      if (!isRejection(change)) return change;
      setAside.remove(post.postId);
      return null;
    } catch (error) {
      if (isStoreOutage(error) || isUnavailable(error)) throw error;
      this.setPostAside(post.postId, post.stream, error);
      return null;
    } finally {
      done();
    }
  }

  private setPostAside(postId: string, stream: string, error: unknown): void {
    const reason = reasonOf(error);
    if (!this.setAside.add(postId, reason, error)) return;
    this.log.error({ post_id: postId, stream, reason }, 'a planned post cannot be released; it is set aside');
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
