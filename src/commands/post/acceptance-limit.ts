import { NotAppended } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';

/**
 * Time after which a post must not be accepted. Two clocks measure it, because the monotonic clock stops while the
 * machine is suspended, and the other clock may be set back.
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

  /** Call directly before an append. @throws NotAppended if the time is up */
  check(): void {
    const passed = Math.max(performance.now() - this.startedAt, this.clock.now() - this.startedOn);
    if (passed > this.limitMs) throw new NotAppended('the post was not accepted in time; send it again');
  }
}
