import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedCache } from './bounded-cache.js';

/** Maximum number of keys to remember. A forgotten key starts with a full burst again. */
const MAX_KEYS = 10_000;

/**
 * Paces the turns of each key: after a burst, one turn per interval. Callers that come too early wait in order; none is
 * refused.
 */
export class KeyedPace {
  /**
   * `performance.now()` timestamp at which each key's last turn is due; in the past while part of the burst is left.
   */
  private readonly due = new BoundedCache<number>(MAX_KEYS);

  /** @param burst number of turns that a key may take at once after being idle */
  constructor(
    private readonly intervalMs: number,
    private readonly burst: number,
  ) {}

  /** Reserves one or more turns for a key and waits until the last of them is due. */
  async wait(key: string, turns = 1): Promise<void> {
    await this.rest(this.take(key, turns));
  }

  /** Waits until all turns reserved for a key are due. */
  async settle(key: string): Promise<void> {
    await this.rest(this.take(key, 0));
  }

  /**
   * Reserves turns for a key without waiting; later callers queue behind them.
   * @returns ms until the last of them is due; 0 or less if it already is
   */
  take(key: string, turns: number): number {
    const now = performance.now();
    const due = Math.max(this.due.get(key) ?? 0, now - this.burst * this.intervalMs) + turns * this.intervalMs;
    this.due.set(key, due);
    return due - now;
  }

  private async rest(ms: number): Promise<void> {
    if (ms > 0) await sleep(Math.ceil(ms));
  }
}
