import { NotAppended } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';

/**
 * Deadline for accepting a post. It is measured with two clocks, because the monotonic clock stops while the machine is
 * suspended and the wall clock may be set back.
 */
export class AcceptanceLimit {
  private readonly startedAt = performance.now();
  private readonly startedOn: number;

  /** @param limitMs time from now to the deadline, in ms */
  constructor(
    private readonly limitMs: number,
    private readonly clock: Clock,
  ) {
    this.startedOn = clock.now();
  }

  /** Checks the deadline; call directly before an append. @throws NotAppended if the time is up */
  check(): void {
    const passed = Math.max(performance.now() - this.startedAt, this.clock.now() - this.startedOn);
    if (passed > this.limitMs) throw new NotAppended('the post was not accepted in time; send it again');
  }
}
