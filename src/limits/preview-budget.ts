import type { LimitsProfile } from '../config/limits-profile.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { yieldToEventLoop } from '../runtime/cooperative-work.js';

interface Account {
  /** Computing time left, in ms; below 0 after work that took longer. */
  readonly leftMs: number;
  /** Moment of `performance.now()` at which that was left. */
  readonly at: number;
}

/** Part of a minute's computing time that may be used at once. */
const BURST = 1 / 4;
const MINUTE_MS = 60_000;
const MOST_ACCOUNTS = 10_000;

/**
 * The computing time of previews, for each owner (ADR-209). Previews run on the thread that answers requests, so the budget
 * belongs to a process: time flows in steadily, up to a quarter of a minute's amount, and each piece of work is charged with the
 * time for which it blocked the thread. Other requests run between two pieces.
 */
export class PreviewBudget {
  private readonly accounts = new BoundedCache<Account>(MOST_ACCOUNTS);
  private readonly perMinute: number | null;

  constructor(
    { previewMsPerMinute }: Pick<LimitsProfile, 'previewMsPerMinute'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.perMinute = previewMsPerMinute;
  }

  /**
   * Does a piece of work, and charges its owner with the time that it takes until it returns or first waits.
   * @param reject returns the error that is thrown if nothing is left, from the whole seconds after which a full burst is there
   */
  async spend<T>(ownerId: string, reject: (retryAfter: number) => Error, work: () => T | Promise<T>): Promise<T> {
    await yieldToEventLoop();
    if (this.perMinute === null) return work();
    const most = this.perMinute * BURST;
    const startedAt = this.now();
    const leftMs = this.refill(ownerId, this.perMinute, startedAt);
    if (leftMs <= 0) throw reject(Math.ceil((((most - leftMs) / this.perMinute) * MINUTE_MS) / 1_000));
    try {
      return work();
    } finally {
      const at = this.now();
      this.accounts.set(ownerId, { leftMs: leftMs - (at - startedAt), at });
    }
  }

  private refill(ownerId: string, perMinute: number, at: number): number {
    const most = perMinute * BURST;
    const account = this.accounts.get(ownerId);
    return account ? Math.min(most, account.leftMs + ((at - account.at) * perMinute) / MINUTE_MS) : most;
  }
}
