import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';

/** Work that keeps failing. */
export interface WorkFailure {
  readonly name: string;
  /** The latest error. */
  readonly reason: string;
  /** Number of failures in a row. */
  readonly failures: number;
  /** Time since the first of them, in s. */
  readonly seconds: number;
}

interface Attempts {
  readonly reason: string;
  readonly failures: number;
  /** Timestamps of a monotonic clock, in ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Work that has not failed again by then has recovered. */
  readonly until: number;
}

/** Work counts as failing after this many failures over this time, in ms. */
const FAILURES = 3;
const FAILING_MS = 10_000;
/** Work has recovered once an attempt has run this long without failing, in ms. */
const RECOVERED_MS = 15_000;
/** Longest time between failures that are in a row, in ms: an attempt may take long to fail. */
const IN_A_ROW_MS = 300_000;

/**
 * The work of this process that fails again and again, for operators. Work recovers if it succeeds, or if it runs for a
 * while without failing: here, or in a process that has taken it over.
 */
export class FailingWork {
  private readonly works = new Map<string, Attempts>();

  /** @param retryMs time until the next attempt @param now ms of a monotonic clock */
  recordFailure(name: string, reason: string, retryMs: number, now = performance.now()): void {
    this.forgetOld(now);
    const { failures, firstAt } = this.works.get(name) ?? { failures: 0, firstAt: now };
    const until = now + retryMs + RECOVERED_MS;
    this.works.set(name, { reason, failures: failures + 1, firstAt, lastAt: now, until });
  }

  recordSuccess(name: string): void {
    this.works.delete(name);
  }

  /** Lists the work that keeps failing, by name. */
  list(now = performance.now()): readonly WorkFailure[] {
    this.forgetOld(now);
    return [...this.works]
      .filter(([, { failures, firstAt, until }]) => failures >= FAILURES && now - firstAt >= FAILING_MS && now < until)
      .map(([name, { reason, failures, firstAt }]) => ({
        name,
        reason,
        failures,
        seconds: Math.round((now - firstAt) / 1_000),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private forgetOld(now: number): void {
    for (const [name, { lastAt }] of this.works) if (now - lastAt > IN_A_ROW_MS) this.works.delete(name);
  }
}

/** Minimum time before the same failure is logged again, in ms. */
const REPEAT_AFTER_MS = 30_000;

/** Decides when to log a repeating failure, so that the log does not fill up with the same message. */
export class RepeatedFailure {
  private lastMessage: string | null = null;
  private loggedAt = 0;

  /** True if the message is new, or was last logged at least 30 s ago. @param now ms of a monotonic clock */
  shouldLog(message: string, now = performance.now()): boolean {
    if (message === this.lastMessage && now - this.loggedAt < REPEAT_AFTER_MS) return false;
    this.lastMessage = message;
    this.loggedAt = now;
    return true;
  }

  /** Logs a failure as a warning, unless {@link shouldLog} says no. @param context further fields of the log line */
  warn(log: Log, error: unknown, message: string, context: object = {}): void {
    const reason = reasonOf(error);
    if (this.shouldLog(reason)) log.warn({ ...context, reason }, message);
  }

  /** Records a success: the next failure will be logged. */
  clear(): void {
    this.lastMessage = null;
  }
}
