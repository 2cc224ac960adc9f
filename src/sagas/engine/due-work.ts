import type { Position } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';
import type { Instant } from '../../kernel/instant.js';
import type { Log } from '../../kernel/log.js';
import { detailOf, reasonOf } from '../../kernel/reason.js';
import type { Leases } from '../../postgres/leases.js';
import type { Notifications } from '../../postgres/notifications.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { ClaimedKey, DueClaims } from './due-claims.js';
import type { GroupConcurrency } from './group-concurrency.js';
import { isOutage } from './outage.js';
import { OutageNotice } from './outage-notice.js';
import { OwnShards } from './own-shards.js';
import type { ShutdownSignals } from './shutdown-signals.js';

/** Services of {@link DueWork}. */
export interface DueWorkDependencies {
  readonly claims: Pick<DueClaims, 'claim' | 'release'>;
  readonly concurrency: GroupConcurrency;
  readonly progress: ProjectionProgress;
  readonly leases: Leases;
  readonly notifications: Notifications;
  readonly clock: Clock;
  readonly log: Log;
}

/** One kind of due work: what is waited for, read and done. */
export interface DueWorkKind<Queue> {
  /** Name of a key in the log: `channel`. */
  readonly keyName: string;
  /** Activity in the log: `publishing`. */
  readonly activity: string;
  /** Channel of notifications that name the shards of keys which became due. */
  readonly notification: 'due' | 'deliveries';
  /** Read models that the work needs. */
  readonly views: readonly string[];
  /** The read model with the queues. */
  readonly schedule: string;
  /** Reads a key's queue; null if nothing on it is due. */
  readonly readQueue: (key: string, now: Instant) => Promise<Queue | null>;
  /**
   * Works off what is due, in order.
   * @returns the position of the last event; null if nothing can be done on the key yet
   */
  readonly workOff: (queue: Queue, worker: string, signals: ShutdownSignals) => Promise<Position | null>;
}

/** Interval in ms at which a worker looks after the keys of all workers, and in case a notification was lost. */
const SWEEP_MS = 2_000;
/** Time in ms before a key without work is claimed again. */
const IDLE_COOLDOWN_MS = 250;
const FAILURE_COOLDOWN_MS = 1_000;

/**
 * Does work that is due: claims keys whose next work is due, and works off the queue of each under its lease. It sleeps until
 * a key of its own shards is due or free, or the next sweep comes: then it claims the keys of other workers too, which may be
 * silent or busy (ADR-102). Publishing (by channel) and webhook deliveries (by output) run on it (ADR-151).
 */
export class DueWork<Queue> {
  private readonly activeKeys = new Map<string, Promise<void>>();
  /** Keys that are not claimed until a moment of `performance.now()`: the system's clock may be set back (ADR-103). */
  private readonly cooldowns = new Map<string, number>();
  private readonly shards: OwnShards;
  private readonly outage: OutageNotice;
  /** Moment of `performance.now()` of the next sweep. */
  private nextSweepAt = 0;
  /** True while a sweep has found more keys than there is room for: the next claim continues it. */
  private isSweeping = false;
  private isWakeRequested = true;
  private wake: () => void = () => undefined;

  constructor(
    private readonly kind: DueWorkKind<Queue>,
    private readonly deps: DueWorkDependencies,
  ) {
    this.shards = new OwnShards(deps.leases, kind.schedule);
    this.outage = new OutageNotice(kind.activity, deps.log);
  }

  /** Runs until the drain signal, then waits for work under way. */
  async run(signals: ShutdownSignals): Promise<void> {
    const { drain } = signals;
    const unsubscribe = this.listen(drain);
    const { views } = this.kind;
    while (!drain.aborted && !(await this.deps.progress.waitForOwnVersions(views, FAILURE_COOLDOWN_MS)));
    const claimFailure = new RepeatedFailure();
    while (!drain.aborted) {
      this.isWakeRequested = false;
      try {
        await this.sleepUntil(await this.claimAndStart(signals));
        claimFailure.clear();
      } catch (error) {
        const reason = reasonOf(error);
        if (claimFailure.shouldLog(reason))
          this.deps.log.warn({ error: reason }, `failed to claim a due ${this.kind.keyName}; retrying`);
        await sleepUnlessAborted(FAILURE_COOLDOWN_MS, drain);
      }
    }
    unsubscribe();
    await Promise.all(this.activeKeys.values());
  }

  /** Wakes the saga when keys of its own may be due or free. Returns a function that ends that. */
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
    return notifications.subscribe(this.kind.notification, (payload) => wakeFor(new Set(payload.split(' '))));
  }

  private requestWake(): void {
    this.isWakeRequested = true;
    this.wake();
  }

  /** Claims due keys and starts to work on them. @returns moment of `performance.now()` for the next claim */
  private async claimAndStart(signals: ShutdownSignals): Promise<number> {
    for (const [key, until] of this.cooldowns) if (until <= performance.now()) this.cooldowns.delete(key);
    const { leases, clock, concurrency, claims } = this.deps;
    const worker = leases.workerId;
    if (worker === null) return performance.now() + SWEEP_MS;
    const now = clock.now();
    const capacity = concurrency.free();
    const except = [...this.cooldowns.keys(), ...this.activeKeys.keys()];
    this.isSweeping ||= performance.now() >= this.nextSweepAt;
    if (this.isSweeping) this.nextSweepAt = performance.now() + SWEEP_MS;
    const { list: shards, mostKeys } = this.shards;
    const scope = { shards, mostKeys, isSweep: this.isSweeping };
    const { claimed, nextDue, keyCount } = await claims.claim(worker, now, capacity, except, scope);
    if (keyCount !== null) this.shards.update(keyCount);
    for (const each of claimed) this.start(each, worker, signals);
    // Keys of other owners may be due behind those of an owner that has its share now: they are claimed without it, at once.
    const hasFilledShare = claimed.some((one) => concurrency.isFull(one));
    if (hasFilledShare) this.isWakeRequested = true;
    this.isSweeping &&=
      hasFilledShare ||
      capacity.some(({ group, size }) => claimed.filter((one) => one.group === group).length === size);
    const untilDue = (nextDue ?? Infinity) - clock.now();
    return Math.min(performance.now() + Math.min(untilDue, SWEEP_MS), this.nextSweepAt, ...this.cooldowns.values());
  }

  private start(claimed: ClaimedKey, worker: string, signals: ShutdownSignals): void {
    const { key } = claimed;
    const { concurrency } = this.deps;
    concurrency.acquire(claimed);
    const working = this.workOffQueue(claimed, worker, signals).finally(() => {
      this.activeKeys.delete(key);
      concurrency.release(claimed);
    });
    this.activeKeys.set(key, working);
  }

  /** Works off what is due on a key, then releases the key. */
  private async workOffQueue(claimed: ClaimedKey, worker: string, signals: ShutdownSignals): Promise<void> {
    const { key } = claimed;
    const { keyName, activity, schedule, readQueue, workOff } = this.kind;
    const { progress, claims, leases, clock, log } = this.deps;
    let batches = 0;
    const keptUntil = performance.now() + SWEEP_MS;
    try {
      while (!signals.drain.aborted && leases.stillHoldsLeasesOf(worker)) {
        if (performance.now() > keptUntil && !this.shards.has(key)) break; // its own worker takes over
        const queue = await readQueue(key, clock.now());
        if (!queue) break;
        const position = await workOff(queue, worker, signals);
        if (position === null) break;
        batches += 1;
        this.outage.recordSuccess();
        // The next read must be of a schedule that includes this outcome.
        if (!(await progress.waitFor([schedule], position))) break;
      }
    } catch (error) {
      if (isOutage(error)) this.outage.recordOutage(error);
      else log.error({ [keyName]: key, error: detailOf(error) }, `${activity} failed on a ${keyName}; retrying`);
      this.cooldowns.set(key, performance.now() + FAILURE_COOLDOWN_MS);
    }
    if (batches === 0 && !this.cooldowns.has(key)) this.cooldowns.set(key, performance.now() + IDLE_COOLDOWN_MS);
    await claims.release(claimed);
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
