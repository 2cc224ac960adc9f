/** Reproducible random numbers: set SEED to the number in a test's title. */
export class Random {
  private state: number;

  constructor(readonly seed: number = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))) {
    this.state = seed;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive), by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 (inclusive) to `end` (exclusive). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Returns `count` numbers from 0 to `end`, in ascending order. */
  moments(count: number, end: number): number[] {
    return Array.from({ length: count }, () => this.next() * end).sort((a, b) => a - b);
  }
}
