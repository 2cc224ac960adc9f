import type { Position } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';
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
import { OwnShards } from './claiming/own-shards.js';
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

/** Interval in ms at which a worker looks after the channels of all workers, and in case a notification was lost. */
const SWEEP_MS = 2_000;
/** Time in ms before a channel without work is claimed again. */
const IDLE_COOLDOWN_MS = 250;
const FAILURE_COOLDOWN_MS = 1_000;
/** Time in ms for which a read of a channel's queue is valid: later arrivals must not be skipped. */
const QUEUE_TTL_MS = 1_000;

/**
 * Publishes due posts: claims channels whose first publication is due, and publishes each channel's queue in strict order
 * under its lease. It sleeps until a channel of its own shards is due or free, or the next sweep comes: then it claims the
 * channels of other workers too, which may be silent or busy (ADR-102).
 */
export class PublishDuePostsSaga {
  private readonly activeChannels = new Map<string, Promise<void>>();
  /** Channels that are not claimed until a moment of `performance.now()`: the system's clock may be set back (ADR-103). */
  private readonly cooldowns = new Map<string, number>();
  private readonly shards: OwnShards;
  /** Moment of `performance.now()` of the next sweep. */
  private nextSweepAt = 0;
  /** True while a sweep has found more channels than there is room for: the next claim continues it. */
  private isSweeping = false;
  private isWakeRequested = true;
  private wake: () => void = () => undefined;

  constructor(private readonly deps: PublishDuePostsSagaDependencies) {
    this.shards = new OwnShards(deps.leases);
  }

  /** Runs until the drain signal, then waits for attempts under way. */
  async run(signals: ShutdownSignals): Promise<void> {
    const { drain } = signals;
    const unsubscribe = this.listen(drain);
    const views = ['publish-schedule', 'posts', 'discovery'];
    while (!drain.aborted && !(await this.deps.progress.waitForOwnVersions(views, FAILURE_COOLDOWN_MS)));
    const claimFailure = new RepeatedFailure();
    while (!drain.aborted) {
      this.isWakeRequested = false;
      try {
        await this.sleepUntil(await this.claimAndPublish(signals));
        claimFailure.clear();
      } catch (error) {
        const reason = reasonOf(error);
        if (claimFailure.shouldLog(reason))
          this.deps.log.warn({ error: reason }, 'failed to claim due channels; retrying');
        await sleepUnlessAborted(FAILURE_COOLDOWN_MS, drain);
      }
    }
    unsubscribe();
    await Promise.all(this.activeChannels.values());
  }

  /** Wakes the saga when channels of its own may be due or free. Returns a function that ends that. */
  private listen(drain: AbortSignal): () => void {
    const { leases, notifications, concurrency } = this.deps;
    const wakeFor = (shards: ReadonlySet<string> | null) => {
      if (this.shards.hasAny(shards)) this.requestWake();
    };
    leases.onRelease(wakeFor);
    leases.onWorkers(() => {
      this.shards.update();
      this.requestWake();
    });
    this.shards.update();
    concurrency.onFree = () => this.requestWake();
    drain.addEventListener('abort', () => this.requestWake());
    return notifications.subscribe('due', (payload) => wakeFor(new Set(payload.split(' '))));
  }

  private requestWake(): void {
    this.isWakeRequested = true;
    this.wake();
  }

  /** Claims due channels and starts to publish on them. @returns moment of `performance.now()` for the next claim */
  private async claimAndPublish(signals: ShutdownSignals): Promise<number> {
    for (const [channelId, until] of this.cooldowns) if (until <= performance.now()) this.cooldowns.delete(channelId);
    const { leases, clock, concurrency, claims } = this.deps;
    const worker = leases.workerId;
    if (worker === null) return performance.now() + SWEEP_MS;
    const now = clock.now();
    const capacity = concurrency.free();
    const except = [...this.cooldowns.keys(), ...this.activeChannels.keys()];
    this.isSweeping ||= performance.now() >= this.nextSweepAt;
    if (this.isSweeping) this.nextSweepAt = performance.now() + SWEEP_MS;
    const { list: shards, mostChannels } = this.shards;
    const scope = { shards, mostChannels, isSweep: this.isSweeping };
    const { channels, nextDue, channelCount } = await claims.claimDueChannels(worker, now, capacity, except, scope);
    if (channelCount !== null) this.shards.update(channelCount);
    for (const channel of channels) this.startPublishing(channel, worker, signals);
    this.isSweeping &&= capacity.some(
      ({ platform, size }) => channels.filter((one) => one.platform === platform).length === size,
    );
    const untilDue = (nextDue ?? Infinity) - clock.now();
    return Math.min(performance.now() + Math.min(untilDue, SWEEP_MS), this.nextSweepAt, ...this.cooldowns.values());
  }

  private startPublishing(channel: ClaimedChannel, worker: string, signals: ShutdownSignals): void {
    const { channelId, platform } = channel;
    const { concurrency } = this.deps;
    concurrency.acquire(platform);
    const publishing = this.publishQueue(channel, worker, signals).finally(() => {
      this.activeChannels.delete(channelId);
      concurrency.release(platform);
    });
    this.activeChannels.set(channelId, publishing);
  }

  /** Publishes a channel's due posts one after the other, then releases the channel. */
  private async publishQueue(channel: ClaimedChannel, worker: string, signals: ShutdownSignals): Promise<void> {
    const { channelId } = channel;
    const { schedule, progress, claims, leases, clock, log } = this.deps;
    let batches = 0;
    const keptUntil = performance.now() + SWEEP_MS;
    try {
      while (!signals.drain.aborted && leases.stillHoldsLeasesOf(worker)) {
        if (performance.now() > keptUntil && !this.shards.has(channelId)) break; // its own worker takes over
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
        log.warn(
          { channel: channelId, reason: reasonOf(error) },
          'publishing waits until the event store and the database are available',
        );
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

  /** Sleeps until a moment of `performance.now()`, or until it is woken. */
  private async sleepUntil(moment: number): Promise<void> {
    if (this.isWakeRequested) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, moment - performance.now()));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
  }
}
