import { NotAppended } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';

/**
 * Moment from which a post must not be accepted any more. Two clocks measure it, because a suspended machine stops the
 * monotonic one, and a person may set the other back.
 */
export class AcceptanceLimit {
  private readonly startedAt = performance.now();
  private readonly startedOn: number;

  /** @param limitMs time from now on, in ms */
  constructor(
    private readonly limitMs: number,
    private readonly clock: Clock,
  ) {
    this.startedOn = clock.now();
  }

  /** To be called directly before an append. @throws NotAppended the time is over */
  check(): void {
    const passed = Math.max(performance.now() - this.startedAt, this.clock.now() - this.startedOn);
    if (passed > this.limitMs) throw new NotAppended('the post was not accepted in time; send it again');
  }
}
