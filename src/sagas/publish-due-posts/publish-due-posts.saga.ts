import { setTimeout as sleep } from 'node:timers/promises';
import { BEGINNING, type Position, Unavailable } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';
import { Complaint } from '../../runtime/repeated-failure.js';
import type { Instant } from '../../kernel/instant.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import type { Leases } from '../../postgres/leases.js';
import type { Notifications } from '../../postgres/notifications.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import type { PublishScheduleQueries, UpNext } from '../../projections/publish-schedule/publish-schedule.queries.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import type { ChannelClaims, ClaimedChannel } from './claiming/channel-claims.js';
import type { Ending } from './shutdown-signals.js';
import type { Publish } from './attempt/publication-runner.js';
import type { Rooms } from './claiming/platform-concurrency.js';

/** What the saga works with. */
export interface PublishDuePostsDependencies {
  readonly claims: ChannelClaims;
  readonly schedule: PublishScheduleQueries;
  readonly publish: Publish;
  readonly rooms: Rooms;
  readonly progress: ProjectionProgress;
  readonly leases: Leases;
  readonly notifications: Notifications;
  readonly clock: Clock;
  readonly log: Log;
}

/** A look without a cause, in case a notification was lost. */
const SAFETY_NET_MS = 2_000;
/** How long a channel that gave nothing to do is left alone, ms. */
const REST_MS = 250;
const FAILURE_REST_MS = 1_000;
/** For how long a look at a channel's queue is good: what has come since must not be passed over, ms. */
const FRESH_MS = 1_000;

/**
 * Publishes what is due: takes channels whose head may go, and works each one off in strict order under its lease. It
 * sleeps until the schedule moves, a lease is freed or the next due time comes.
 */
export class PublishDuePosts {
  private readonly working = new Map<string, Promise<void>>();
  private readonly resting = new Map<string, number>();
  private stirred = true;
  private wake: () => void = () => undefined;

  constructor(private readonly on: PublishDuePostsDependencies) {}

  /** Runs until it is told to stop, then waits for what is being sent. */
  async run(ending: Ending): Promise<void> {
    const signal = ending.stop;
    const stir = () => {
      this.stirred = true;
      this.wake();
    };
    const off = [this.on.notifications.on('lease', stir), this.on.progress.onMove('publish-schedule', stir)];
    this.on.rooms.onFree = stir;
    signal.addEventListener('abort', stir);
    const views = ['publish-schedule', 'posts', 'discovery'];
    while (!signal.aborted && !(await this.on.progress.waitFor(views, BEGINNING, FAILURE_REST_MS)));
    const complaint = new Complaint();
    while (!signal.aborted) {
      this.stirred = false;
      try {
        const now = this.on.clock.now();
        const more = await this.claim(now, ending);
        if (!more) await this.sleepUntilDue(now);
        complaint.over();
      } catch (error) {
        const reason = reasonOf(error);
        if (complaint.isNews(reason)) this.on.log.warn({ error: reason }, 'looking for due posts failed');
        await sleep(FAILURE_REST_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    for (const stop of off) stop();
    await Promise.all(this.working.values());
  }

  /** Takes due channels and sets to work on them; true where there may be more. */
  private async claim(now: Instant, ending: Ending): Promise<boolean> {
    for (const [channelId, until] of this.resting) if (until <= now) this.resting.delete(channelId);
    const worker = this.on.leases.workerId;
    if (worker === null) return false;
    const rooms = this.on.rooms.left();
    const except = [...this.resting.keys(), ...this.working.keys()];
    const claimed = await this.on.claims.claimDue(worker, now, rooms, except);
    for (const channel of claimed) {
      const { channelId, platform } = channel;
      this.on.rooms.enter(platform);
      const work = this.workOff(channel, worker, ending).finally(() => {
        this.working.delete(channelId);
        this.on.rooms.leave(platform);
      });
      this.working.set(channelId, work);
    }
    return rooms.some(({ platform, size }) => claimed.filter((one) => one.platform === platform).length === size);
  }

  /** Publishes a channel's due posts one after the other, then gives the channel back. */
  private async workOff(channel: ClaimedChannel, worker: string, ending: Ending): Promise<void> {
    const { channelId } = channel;
    const { schedule, progress, claims, leases, clock, log } = this.on;
    let published = 0;
    try {
      while (!ending.stop.aborted && leases.isValid(worker)) {
        const upNext = await schedule.upNext(channelId, clock.now());
        if (!upNext || upNext.due > clock.now()) break;
        const position = await this.publishInOrder(upNext, worker, ending);
        if (position === null) break;
        published += 1;
        // The next head must be found by a schedule that knows of this one.
        if (!(await progress.waitFor(['publish-schedule'], position))) break;
      }
    } catch (error) {
      const isOutage = error instanceof Unavailable || isUnavailable(error);
      if (isOutage) log.warn({ channel: channelId, reason: String(error) }, 'publishing waits for the database');
      else log.error({ channel: channelId, error: (error as Error).stack }, 'publishing broke off');
      this.resting.set(channelId, clock.now() + FAILURE_REST_MS);
    }
    if (published === 0 && !this.resting.has(channelId)) this.resting.set(channelId, clock.now() + REST_MS);
    await claims.release(channel);
  }

  /**
   * Publishes a head, and what may follow it while the look at the queue is fresh.
   * @returns the position of the last event, or null where the channel is to be left alone.
   */
  private async publishInOrder({ head, followers }: UpNext, worker: string, ending: Ending): Promise<Position | null> {
    const freshUntil = performance.now() + FRESH_MS;
    let taken = await this.on.publish.next(head, worker, ending);
    for (const row of followers) {
      if (!taken?.isOver || performance.now() > freshUntil || ending.stop.aborted) break;
      taken = await this.on.publish.next(row, worker, ending);
    }
    return taken?.position ?? null;
  }

  /** @param lookedAt when due channels were last looked for: what has become due since must not be slept through */
  private async sleepUntilDue(lookedAt: Instant): Promise<void> {
    const next = await this.on.schedule.nextDue(lookedAt, this.on.rooms.platforms);
    const rested = Math.min(...this.resting.values());
    const now = this.on.clock.now();
    const ms = Math.max(1, Math.min(SAFETY_NET_MS, (next ?? Infinity) - now, rested - now));
    if (this.stirred) return;
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
