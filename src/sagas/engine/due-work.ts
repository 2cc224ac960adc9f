import { Inject, Injectable } from '@nestjs/common';
import type { Position } from '../../event-store/port.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Instant } from '../../kernel/instant.js';
import { LOG, type Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { ClaimedKey, DueClaims } from './due-claims.js';
import type { GroupConcurrency } from './group-concurrency.js';
import { isOutage } from './outage.js';
import { OutageNotice } from './outage-notice.js';
import { OwnShards } from './own-shards.js';
import type { ShutdownSignals } from './shutdown-signals.js';

/** Services that all due work needs. */
@Injectable()
export class DueWorkServices {
  constructor(
    readonly progress: ProjectionProgress,
    readonly leases: Leases,
    readonly notifications: Notifications,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
  ) {}
}

/** One kind of due work: how to wait for it, read it and do it. */
export interface DueWorkKind<Queue> {
  readonly claims: Pick<DueClaims, 'claim' | 'release'>;
  readonly concurrency: GroupConcurrency;
  /** Name of a key in log messages, such as `channel`. */
  readonly keyName: string;
  /** Name of the activity in log messages, such as `publishing`. */
  readonly activity: string;
  /** Notification channel that names the shards of keys that became due. */
  readonly notification: 'due' | 'deliveries';
  /** Read models that the work needs. */
  readonly readModels: readonly string[];
  /** The read model with the queues. */
  readonly schedule: string;
  /** Reads a key's queue; null if nothing on it is due. */
  readonly readQueue: (key: string, now: Instant) => Promise<Queue | null>;
  /**
   * Processes the due items, in order.
   * @returns the position of the last event; null if nothing can be done on the key yet
   */
  readonly workOff: (queue: Queue, worker: string, signals: ShutdownSignals) => Promise<Position | null>;
}

/** Interval, in ms, at which a worker checks the keys of all workers, in case a notification was lost. */
const SWEEP_MS = 2_000;
/** How long to leave an idle key alone, in ms. */
const IDLE_COOLDOWN_MS = 250;
const FAILURE_COOLDOWN_MS = 1_000;

/**
 * Claims due keys, and processes the queue of each under its lease: channels for publishing, webhook outputs for
 * deliveries (ADR-151). Sleeps until a key in its own shards is due or free, or until the next sweep, which also claims
 * keys of other workers that may be busy or gone (ADR-102).
 */
export class DueWork<Queue> {
  private readonly activeKeys = new Map<string, Promise<void>>();
  /**
   * Keys not to claim, with end times as `performance.now()` timestamps, because the system clock may be set back
   * (ADR-103).
   */
  private readonly cooldowns = new Map<string, number>();
  private readonly shards: OwnShards;
  private readonly outage: OutageNotice;
  /** `performance.now()` timestamp of the next sweep. */
  private nextSweepAt = 0;
  /** True if a sweep found more keys than there was room for; the next claim then continues it. */
  private isSweeping = false;
  /** Aborted to trigger the next claim at once. */
  private woken = new AbortController();

  constructor(
    private readonly kind: DueWorkKind<Queue>,
    private readonly deps: DueWorkServices,
  ) {
    this.shards = new OwnShards(deps.leases, kind.schedule);
    this.outage = new OutageNotice(kind.activity, deps.log);
  }

  /** Runs until the drain signal, then waits for work in progress. */
  async run(signals: ShutdownSignals): Promise<void> {
    const { drain } = signals;
    const unsubscribe = this.listen(drain);
    const { readModels } = this.kind;
    while (!drain.aborted && !(await this.deps.progress.waitForOwnVersions(readModels, FAILURE_COOLDOWN_MS)));
    const claimFailure = new RepeatedFailure();
    while (!drain.aborted) {
      this.woken = new AbortController();
      try {
        const nextAt = await this.claimAndStart(signals);
        await sleepUnlessAborted(Math.max(1, nextAt - performance.now()), this.woken.signal);
        claimFailure.clear();
      } catch (error) {
        const reason = reasonOf(error);
        if (claimFailure.shouldLog(reason))
          this.deps.log.warn({ reason }, `failed to claim a due ${this.kind.keyName}; retrying`);
        await sleepUnlessAborted(FAILURE_COOLDOWN_MS, drain);
      }
    }
    unsubscribe();
    await Promise.all(this.activeKeys.values());
  }

  /** Wakes this loop when its own keys may be due or free. Returns a function that unsubscribes. */
  private listen(drain: AbortSignal): () => void {
    const { leases, notifications } = this.deps;
    const { concurrency } = this.kind;
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
    this.woken.abort('woken'); // the default reason would create an error for each call
  }

  /** Claims due keys and starts working on them. @returns `performance.now()` timestamp of the next claim */
  private async claimAndStart(signals: ShutdownSignals): Promise<number> {
    for (const [key, until] of this.cooldowns) if (until <= performance.now()) this.cooldowns.delete(key);
    const { leases, clock } = this.deps;
    const { concurrency, claims } = this.kind;
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
    // An owner that has just reached its share may have crowded out other owners' keys: claim again without that owner.
    const hasFilledShare = claimed.some((one) => concurrency.isFull(one));
    if (hasFilledShare) this.requestWake();
    this.isSweeping &&=
      hasFilledShare ||
      capacity.some(({ group, size }) => claimed.filter((one) => one.group === group).length === size);
    const untilDue = (nextDue ?? Infinity) - clock.now();
    return Math.min(performance.now() + Math.min(untilDue, SWEEP_MS), this.nextSweepAt, ...this.cooldowns.values());
  }

  private start(claimed: ClaimedKey, worker: string, signals: ShutdownSignals): void {
    const { key } = claimed;
    const { concurrency } = this.kind;
    concurrency.acquire(claimed);
    const working = this.workOffQueue(claimed, worker, signals).finally(() => {
      this.activeKeys.delete(key);
      concurrency.release(claimed);
    });
    this.activeKeys.set(key, working);
  }

  /** Processes a key's due items, then releases the key. */
  private async workOffQueue(claimed: ClaimedKey, worker: string, signals: ShutdownSignals): Promise<void> {
    const { key } = claimed;
    const { claims, keyName, activity, schedule, readQueue, workOff } = this.kind;
    const { progress, leases, clock, log } = this.deps;
    let batches = 0;
    const keptUntil = performance.now() + SWEEP_MS;
    try {
      while (!signals.drain.aborted && leases.stillHoldsLeasesOf(worker)) {
        if (performance.now() > keptUntil && !this.shards.has(key)) break; // the key's own worker takes over
        const queue = await readQueue(key, clock.now());
        if (!queue) break;
        const position = await workOff(queue, worker, signals);
        if (position === null) break;
        batches += 1;
        this.outage.recordSuccess();
        // The next read must see a schedule that includes this outcome.
        if (!(await progress.waitFor([schedule], position))) break;
      }
    } catch (error) {
      if (isOutage(error)) this.outage.recordOutage(error);
      else log.error({ [keyName]: key, err: error }, `${activity} failed on a ${keyName}; retrying`);
      this.cooldowns.set(key, performance.now() + FAILURE_COOLDOWN_MS);
    }
    if (batches === 0 && !this.cooldowns.has(key)) this.cooldowns.set(key, performance.now() + IDLE_COOLDOWN_MS);
    await claims.release(claimed);
  }
}
