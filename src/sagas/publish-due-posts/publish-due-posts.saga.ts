import type { Position } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';
import type { Instant } from '../../kernel/instant.js';
import type { Log } from '../../kernel/log.js';
import { detailOf, reasonOf } from '../../kernel/reason.js';
import type { Leases } from '../../postgres/leases.js';
import type { Notifications } from '../../postgres/notifications.js';
import type {
  PublishScheduleQueries,
  ChannelQueue,
} from '../../projections/publish-schedule/publish-schedule.queries.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import type { ChannelClaims, ClaimedChannel } from './claiming/channel-claims.js';
import { isOutage } from './outage.js';
import type { ShutdownSignals } from './shutdown-signals.js';
import type { PublicationRunner } from './attempt/publication-runner.js';
import type { PlatformConcurrency } from './claiming/platform-concurrency.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** Dependencies of {@link PublishDuePostsSaga}. */
export interface PublishDuePostsSagaDependencies {
  readonly claims: ChannelClaims;
  readonly schedule: PublishScheduleQueries;
  readonly runner: PublicationRunner;
  readonly concurrency: PlatformConcurrency;
  readonly progress: ProjectionProgress;
  readonly leases: Leases;
  readonly notifications: Notifications;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longest sleep in ms, in case a notification was lost. */
const MAX_SLEEP_MS = 2_000;
/** Time in ms before a channel without work is claimed again. */
const IDLE_COOLDOWN_MS = 250;
const FAILURE_COOLDOWN_MS = 1_000;
/** Time in ms for which a read of a channel's queue is valid: later arrivals must not be skipped. */
const QUEUE_TTL_MS = 1_000;

/**
 * Publishes due posts: claims channels whose first publication is due, and publishes each channel's queue in strict order
 * under its lease. It sleeps until the schedule advances, a lease is released or the next due time comes.
 */
export class PublishDuePostsSaga {
  private readonly activeChannels = new Map<string, Promise<void>>();
  /** Channels that are not claimed until a moment of `performance.now()`: the system's clock may be set back (ADR-103). */
  private readonly cooldowns = new Map<string, number>();
  private isWakeRequested = true;
  private wake: () => void = () => undefined;

  constructor(private readonly deps: PublishDuePostsSagaDependencies) {}

  /** Runs until the drain signal, then waits for attempts under way. */
  async run(signals: ShutdownSignals): Promise<void> {
    const { drain } = signals;
    const requestWake = () => {
      this.isWakeRequested = true;
      this.wake();
    };
    const unsubscribe = [
      this.deps.notifications.subscribe('lease', requestWake),
      this.deps.progress.onAdvance('publish-schedule', requestWake),
    ];
    this.deps.concurrency.onFree = requestWake;
    drain.addEventListener('abort', requestWake);
    const views = ['publish-schedule', 'posts', 'discovery'];
    while (!drain.aborted && !(await this.deps.progress.waitForOwnVersions(views, FAILURE_COOLDOWN_MS)));
    const claimFailure = new RepeatedFailure();
    while (!drain.aborted) {
      this.isWakeRequested = false;
      try {
        const now = this.deps.clock.now();
        const mayHaveMore = await this.claimAndPublish(now, signals);
        if (!mayHaveMore) await this.sleepUntilDue(now);
        claimFailure.clear();
      } catch (error) {
        const reason = reasonOf(error);
        if (claimFailure.shouldLog(reason))
          this.deps.log.warn({ error: reason }, 'failed to claim due channels; retrying');
        await sleepUnlessAborted(FAILURE_COOLDOWN_MS, drain);
      }
    }
    for (const stop of unsubscribe) stop();
    await Promise.all(this.activeChannels.values());
  }

  /** Claims due channels and starts to publish on them. @returns true if more channels may be due */
  private async claimAndPublish(now: Instant, signals: ShutdownSignals): Promise<boolean> {
    for (const [channelId, until] of this.cooldowns) if (until <= performance.now()) this.cooldowns.delete(channelId);
    const worker = this.deps.leases.workerId;
    if (worker === null) return false;
    const capacity = this.deps.concurrency.free();
    const except = [...this.cooldowns.keys(), ...this.activeChannels.keys()];
    const claimed = await this.deps.claims.claimDueChannels(worker, now, capacity, except);
    for (const channel of claimed) {
      const { channelId, platform } = channel;
      this.deps.concurrency.acquire(platform);
      const publishing = this.publishQueue(channel, worker, signals).finally(() => {
        this.activeChannels.delete(channelId);
        this.deps.concurrency.release(platform);
      });
      this.activeChannels.set(channelId, publishing);
    }
    return capacity.some(({ platform, size }) => claimed.filter((one) => one.platform === platform).length === size);
  }

  /** Publishes a channel's due posts one after the other, then releases the channel. */
  private async publishQueue(channel: ClaimedChannel, worker: string, signals: ShutdownSignals): Promise<void> {
    const { channelId } = channel;
    const { schedule, progress, claims, leases, clock, log } = this.deps;
    let batches = 0;
    try {
      while (!signals.drain.aborted && leases.stillHoldsLeasesOf(worker)) {
        const queue = await schedule.readQueue(channelId, clock.now());
        if (!queue || queue.due > clock.now()) break;
        const position = await this.publishInOrder(queue, worker, signals);
        if (position === null) break;
        batches += 1;
        // The next read must be of a schedule that includes this outcome.
        if (!(await progress.waitFor(['publish-schedule'], position))) break;
      }
    } catch (error) {
      if (isOutage(error))
        log.warn({ channel: channelId, reason: reasonOf(error) }, 'publishing waits until the database is available');
      else log.error({ channel: channelId, error: detailOf(error) }, 'failed to publish on a channel; retrying');
      this.cooldowns.set(channelId, performance.now() + FAILURE_COOLDOWN_MS);
    }
    if (batches === 0 && !this.cooldowns.has(channelId))
      this.cooldowns.set(channelId, performance.now() + IDLE_COOLDOWN_MS);
    await claims.releaseChannel(channel);
  }

  /**
   * Publishes the first publication of a queue, and its followers while the read of the queue is valid.
   * @returns the position of the last event; null if nothing can be done on the channel yet
   */
  private async publishInOrder(
    { head, followers }: ChannelQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const validUntil = performance.now() + QUEUE_TTL_MS;
    let result = await this.deps.runner.run(head, worker, signals);
    for (const row of followers) {
      if (!result?.isOver || performance.now() > validUntil || signals.drain.aborted) break;
      result = await this.deps.runner.run(row, worker, signals);
    }
    return result?.position ?? null;
  }

  /** @param claimedAt time of the last claim: the sleep must not miss a channel that has become due since */
  private async sleepUntilDue(claimedAt: Instant): Promise<void> {
    const next = await this.deps.schedule.findNextDue(claimedAt, this.deps.concurrency.platforms);
    const untilDue = (next ?? Infinity) - this.deps.clock.now();
    const untilCooled = Math.min(...this.cooldowns.values()) - performance.now();
    const ms = Math.max(1, Math.min(MAX_SLEEP_MS, untilDue, untilCooled));
    if (this.isWakeRequested) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
  }
}
