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

  /** Records a success: the next failure will be logged. */
  clear(): void {
    this.lastMessage = null;
  }
}
