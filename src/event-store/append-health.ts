import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/reason.js';
import { RepeatedFailure } from '../runtime/repeated-failure.js';
import type { AppendFailure } from './port.js';

/** Code and message of a refusal that lasts until an operator fixes the cause. */
export type Refusal = Pick<AppendFailure, 'code' | 'message'>;

/** Interval at which a store that refuses appends is probed while no appends arrive, in ms. */
const PROBE_INTERVAL_MS = 5_000;

/**
 * State of appending: whether the store refuses to write, and since when. Writes one line to the log when it begins to
 * fail and one when it writes again. While it refuses, a probe finds out when it accepts appends again: a process that
 * its load balancer has taken out of rotation gets no posts that would show it.
 */
export class AppendHealth {
  private current: AppendFailure | null = null;
  /** Time of the first failure since the last success, in ms since 1970. */
  private failingSince: number | null = null;
  /** True if that failure was logged: then its end is logged, too. */
  private isLogged = false;
  private readonly repeated = new RepeatedFailure();
  private timer: NodeJS.Timeout | null = null;
  private isProbing = false;

  /**
   * @param probe attempts an append and undoes it
   * @param findRefusal finds the server's refusal in an error of the probe; null for any other error
   */
  constructor(
    private readonly log: Log,
    private readonly probe: () => Promise<void>,
    private readonly findRefusal: (error: unknown) => Refusal | null,
    private readonly probeIntervalMs = PROBE_INTERVAL_MS,
  ) {}

  get failure(): AppendFailure | null {
    return this.current;
  }

  /** Records that the store wrote. */
  recordSuccess(): void {
    if (this.failingSince === null) return;
    if (this.isLogged)
      this.log.info({ since: new Date(this.failingSince).toISOString() }, 'the event store accepts appends again');
    this.failingSince = this.current = null;
    this.isLogged = false;
    this.stop();
  }

  /** Records that the store refused to write. */
  recordRefusal({ code, message }: Refusal): void {
    const since = (this.failingSince ??= Date.now());
    // If only some appends fail, failures and successes alternate.
    if (this.current?.code !== code && this.repeated.shouldLog(code)) {
      this.log.error({ code, reason: message }, 'the event store refuses appends until the cause is fixed');
      this.isLogged = true;
    }
    this.current = { code, message, since: this.current?.since ?? since };
    this.timer ??= setInterval(() => this.check(), this.probeIntervalMs).unref();
  }

  /** Records that the store did not answer in time, or could not be reached. */
  recordOutage(error: unknown): void {
    if (this.failingSince !== null) return;
    this.failingSince = Date.now();
    const reason = reasonOf(error);
    if (!this.repeated.shouldLog(reason)) return;
    this.isLogged = true;
    this.log.warn({ reason }, 'the event store does not answer appends; they are refused in the meantime');
  }

  /** Attempts an append in the background. */
  check(): void {
    if (this.isProbing) return;
    this.isProbing = true;
    void this.tryAppend().finally(() => (this.isProbing = false));
  }

  /** Ends the probes. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private async tryAppend(): Promise<void> {
    try {
      await this.probe();
      if (this.current) this.recordSuccess();
    } catch (error) {
      const refusal = this.findRefusal(error);
      if (refusal) this.recordRefusal(refusal);
    }
  }
}
