import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitsProfile } from '../config/limits-profile.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { yieldToEventLoop } from '../runtime/cooperative-work.js';

interface Account {
  /** Computing time left, in ms; negative if the last work took longer than the time left. */
  readonly leftMs: number;
  /** Time by `performance.now()` at which `leftMs` was computed. */
  readonly at: number;
}

/** Share of a minute's computing time that may be used at once. */
const BURST = 1 / 4;
const MINUTE_MS = 60_000;
const MOST_ACCOUNTS = 10_000;
/** Work that takes less time than this, in ms, is not followed by a pause. */
const REST_FROM_MS = 10;

/**
 * Limits the computing time of each owner's previews (ADR-209). Each process has its own budget, because previews run
 * on the thread that answers requests, apart from slow patterns, which run in a helper process. The budget refills
 * steadily, up to a quarter of a minute's amount, and each preview is charged for the time it took. After work that
 * blocked the thread, no other preview runs for the same time, so that the thread serves other requests.
 */
export class PreviewBudget {
  private readonly accounts = new BoundedCache<Account>(MOST_ACCOUNTS);
  private readonly perMinute: number | null;
  /** Time by `performance.now()` before which no other work may run. */
  private restsUntil = 0;

  constructor(
    { previewMsPerMinute }: Pick<LimitsProfile, 'previewMsPerMinute'>,
    private readonly now: () => number = () => performance.now(),
    private readonly rest: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.perMinute = previewMsPerMinute;
  }

  /**
   * Runs `work`, and charges the owner for the time until it returns or first awaits.
   * @param reject returns the error to throw if nothing is left, given the whole seconds until a full burst
   */
  async spend<T>(ownerId: string, reject: (retryAfter: number) => Error, work: () => T | Promise<T>): Promise<T> {
    await yieldToEventLoop();
    if (this.perMinute === null) return work();
    this.requireTime(ownerId, this.perMinute, reject);
    // If several calls wait for the same time, the first to run postpones the others.
    while (this.restsUntil > this.now()) await this.rest(this.restsUntil - this.now());
    const leftMs = this.requireTime(ownerId, this.perMinute, reject);
    const startedAt = this.now();
    try {
      return work();
    } finally {
      const at = this.now();
      const took = at - startedAt;
      this.accounts.set(ownerId, { leftMs: leftMs - took, at });
      if (took > REST_FROM_MS) this.restsUntil = at + took;
    }
  }

  /** Charges an owner for work done by another process. @param work returns its result and how long it took */
  async spendElsewhere<T extends { readonly tookMs: number }>(
    ownerId: string,
    reject: (retryAfter: number) => Error,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.perMinute === null) return work();
    this.requireTime(ownerId, this.perMinute, reject);
    const done = await work();
    const at = this.now();
    this.accounts.set(ownerId, { leftMs: this.refill(ownerId, this.perMinute, at) - done.tookMs, at });
    return done;
  }

  /** Returns an owner's time left, above 0. @throws the error from `reject` if nothing is left */
  private requireTime(ownerId: string, perMinute: number, reject: (retryAfter: number) => Error): number {
    const leftMs = this.refill(ownerId, perMinute, this.now());
    if (leftMs > 0) return leftMs;
    throw reject(Math.ceil((((perMinute * BURST - leftMs) / perMinute) * MINUTE_MS) / 1_000));
  }

  private refill(ownerId: string, perMinute: number, at: number): number {
    const most = perMinute * BURST;
    const account = this.accounts.get(ownerId);
    return account ? Math.min(most, account.leftMs + ((at - account.at) * perMinute) / MINUTE_MS) : most;
  }
}
