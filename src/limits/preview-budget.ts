import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitsProfile } from '../config/limits-profile.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { yieldToEventLoop } from '../runtime/cooperative-work.js';

interface Account {
  /** Computing time left, in ms; negative if the last task overran the budget. */
  readonly leftMs: number;
  /** `performance.now()` timestamp at which `leftMs` was computed, in ms. */
  readonly at: number;
}

/** Fraction of the per-minute budget that may be spent in one burst. */
const BURST = 1 / 4;
const MINUTE_MS = 60_000;
const MOST_ACCOUNTS = 10_000;
/** Work that takes at least this long, in ms, is followed by a pause. */
const REST_FROM_MS = 10;

/**
 * Limits the computing time of each owner's previews (ADR-209). Each process has its own budget, because previews run
 * on the thread that serves requests (only slow patterns run in a helper process). The budget refills steadily, up to a
 * quarter of a minute's amount, and each preview is charged for the time it took. After work that blocked the thread,
 * no preview runs for the same length of time, so that the thread can serve other requests.
 */
export class PreviewBudget {
  private readonly accounts = new BoundedCache<Account>(MOST_ACCOUNTS);
  private readonly perMinute: number | null;
  /** `performance.now()` timestamp before which no other work may run, in ms. */
  private restsUntil = 0;

  constructor(
    { previewMsPerMinute }: Pick<LimitsProfile, 'previewMsPerMinute'>,
    private readonly now: () => number = () => performance.now(),
    private readonly rest: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.perMinute = previewMsPerMinute;
  }

  /**
   * Runs `work` and charges the owner for the time until it returns or first awaits.
   * @param reject returns the error to throw if nothing is left; receives the whole seconds until a full burst is
   * available again
   */
  async spend<T>(ownerId: string, reject: (retryAfter: number) => Error, work: () => T | Promise<T>): Promise<T> {
    await yieldToEventLoop();
    if (this.perMinute === null) return work();
    this.requireTime(ownerId, this.perMinute, reject);
    // If several calls are waiting for the same moment, the first one to run makes the others wait longer.
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
