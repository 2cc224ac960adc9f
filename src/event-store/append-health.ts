import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import type { AppendFailure } from './port.js';

/** Code and message of a refusal that lasts until an operator fixes the cause. */
export type Refusal = Pick<AppendFailure, 'code' | 'message'>;

const PROBE_INTERVAL_MS = 5_000;

/**
 * Tracks whether the store refuses appends, and since when. Logs one line when appends start to fail and one when they
 * succeed again. While the store refuses appends, a probe checks for recovery: a process that the load balancer has
 * taken out of rotation receives no posts that would reveal the recovery.
 */
export class AppendHealth {
  private current: AppendFailure | null = null;
  /** Time of the first failure since the last success, in ms since 1970. */
  private failingSince: number | null = null;
  /** True if that failure was logged; only then is the recovery logged. */
  private isLogged = false;
  private readonly repeated = new RepeatedFailure();
  private timer: NodeJS.Timeout | null = null;
  private isProbing = false;

  /**
   * @param probe attempts an append that leaves nothing in the store
   * @param findRefusal extracts the server's refusal from a probe's error; null for any other error
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

  recordSuccess(): void {
    if (this.failingSince === null) return;
    if (this.isLogged)
      this.log.info({ since: new Date(this.failingSince).toISOString() }, 'the event store accepts appends again');
    this.failingSince = this.current = null;
    this.isLogged = false;
    this.stop();
  }

  recordRefusal({ code, message }: Refusal): void {
    const since = (this.failingSince ??= Date.now());
    // If only some appends fail, failures and successes alternate, and each failure would be logged.
    if (this.current?.code !== code && this.repeated.shouldLog(code)) {
      this.log.error({ code, reason: message }, 'the event store refuses appends until the cause is fixed');
      this.isLogged = true;
    }
    this.current = { code, message, since: this.current?.since ?? since };
    this.timer ??= setInterval(() => this.check(), this.probeIntervalMs).unref();
  }

  /** Records that the store timed out or could not be reached. */
  recordOutage(error: unknown): void {
    if (this.failingSince !== null) return;
    this.failingSince = Date.now();
    const reason = reasonOf(error);
    if (!this.repeated.shouldLog(reason)) return;
    this.isLogged = true;
    this.log.warn({ reason }, 'the event store does not answer; appends are refused until it does');
  }

  /** Probes the store in the background. */
  check(): void {
    if (this.isProbing) return;
    this.isProbing = true;
    void this.tryAppend().finally(() => (this.isProbing = false));
  }

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
