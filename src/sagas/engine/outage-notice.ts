import { Unavailable } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';

/** Logs an outage and its end once for all keys of one kind of work. */
export class OutageNotice {
  private isWaiting = false;

  /** @param activity name of the activity in the log, such as `publishing` */
  constructor(
    private readonly activity: string,
    private readonly log: Log,
  ) {}

  /** Records that an outage interrupted the work on a key. */
  recordOutage(error: unknown): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    const server = error instanceof Unavailable ? 'event store' : 'database';
    this.log.warn({ reason: reasonOf(error) }, `${this.activity} waits until the ${server} is available`);
  }

  /** Records that the work on a key succeeded. */
  recordSuccess(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.log.info({}, `${this.activity} continues after an outage`);
  }
}
