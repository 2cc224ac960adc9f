import { BoundedCache } from '../../runtime/bounded-cache.js';

const MINUTE_MS = 60_000;
/** Number of wrong keys that an address may send within a minute (D-55). */
const ALLOWED = 100;
/** Maximum number of addresses to track. Above that, the address with the oldest last wrong key is dropped. */
const MAX_ADDRESSES = 10_000;

/** Counts wrong management keys by address, in a sliding minute (D-55). */
export class WrongKeys {
  /** Times of each address's latest wrong keys, oldest first; at most one more than allowed. */
  private readonly times = new BoundedCache<number[]>(MAX_ADDRESSES);

  /** @param now returns the time of a monotonic clock, in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  add(address: string): void {
    const times = this.times.get(address) ?? [];
    times.push(this.now());
    if (times.length > ALLOWED + 1) times.shift();
    this.times.set(address, times);
  }

  /** Returns how long an address has to wait, in whole seconds; 0 if it sent no more wrong keys than allowed. */
  retryAfterSeconds(address: string): number {
    const times = this.times.get(address);
    if (!times || times.length <= ALLOWED) return 0;
    return Math.max(0, Math.ceil((times[0]! + MINUTE_MS - this.now()) / 1_000));
  }
}
