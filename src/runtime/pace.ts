import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedCache } from './bounded-cache.js';

/** Spaces out turns: a burst may be taken at once; then one turn per interval is due. */
export class Pace {
  /** `performance.now()` timestamp, in ms, at which the full burst is available again if no more turns are taken. */
  private freeAt = -Infinity;

  /**
   * @param intervalMs time between two turns once the burst is used up
   * @param burst number of turns that are due at once, at least 1; one is regained per interval
   */
  constructor(
    private readonly intervalMs: number,
    private readonly burst: number,
  ) {}

  /**
   * Takes turns without waiting; later turns queue behind them.
   * @returns ms until the last of them is due; 0 or less if it already is
   */
  take(turns = 1, now = performance.now()): number {
    this.freeAt = Math.max(this.freeAt, now) + turns * this.intervalMs;
    return this.freeAt - now - this.burst * this.intervalMs;
  }

  /** Returns the ms until the next turn is due; 0 if it already is. */
  delay(now = performance.now()): number {
    return Math.max(0, this.freeAt - now - (this.burst - 1) * this.intervalMs);
  }
}

/** Maximum number of keys to remember. A forgotten key starts with a full burst again. */
const MAX_KEYS = 10_000;

/** Paces the turns of each key. Callers that come too early wait in order; none is refused. */
export class KeyedPace {
  private readonly paces = new BoundedCache<Pace>(MAX_KEYS);

  /** @param burst number of turns that a key may take at once after being idle */
  constructor(
    private readonly intervalMs: number,
    private readonly burst: number,
  ) {}

  /** Takes one or more turns for a key and waits until the last of them is due. */
  async wait(key: string, turns = 1): Promise<void> {
    const ms = this.take(key, turns);
    if (ms > 0) await sleep(Math.ceil(ms));
  }

  /** Waits until all turns taken for a key are due. */
  async settle(key: string): Promise<void> {
    await this.wait(key, 0);
  }

  /** Takes turns for a key, as {@link Pace.take} does. */
  take(key: string, turns: number): number {
    const pace = this.paces.get(key) ?? new Pace(this.intervalMs, this.burst);
    this.paces.set(key, pace);
    return pace.take(turns);
  }
}
