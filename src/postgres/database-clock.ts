import type { Pool } from 'pg';
import type { Clock, Instant } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { RepeatedFailure } from '../runtime/failing-work.js';

/** How often the database's clock is read, in ms. */
const READ_EVERY_MS = 10_000;

/**
 * The database's clock, which all processes share. Between reads, the time goes on with the process's monotonic clock,
 * so a step of its system clock changes nothing (ADR-241). A delayed answer, or a machine that was suspended, makes the
 * clock late until the next read, never early.
 */
export class DatabaseClock implements Clock {
  private known: { readonly time: Instant; readonly at: number } | null = null;
  private timer: NodeJS.Timeout | null = null;
  private readonly failure = new RepeatedFailure();

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly log: Log,
  ) {}

  /** Reads the clock, then reads it again every ten seconds until {@link stop}. @throws Error if the database does not respond */
  async start(): Promise<void> {
    await this.read();
    this.timer = setInterval(() => void this.readAgain(), READ_EVERY_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  now(): Instant {
    const { time, at } = this.known!;
    return time + Math.floor(performance.now() - at);
  }

  private async read(): Promise<void> {
    const { rows } = await this.pool.query<{ time: string }>({
      name: 'database time',
      text: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text as time',
    });
    this.known = { time: Number(rows[0]!.time), at: performance.now() };
  }

  private async readAgain(): Promise<void> {
    try {
      await this.read();
      this.failure.clear();
    } catch (error) {
      this.failure.warn(this.log, error, "failed to read the database's clock; retrying");
    }
  }
}
