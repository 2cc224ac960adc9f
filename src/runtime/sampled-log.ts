const MINUTE_MS = 60_000;

const callEveryMinute = (callback: () => void): NodeJS.Timeout => setInterval(callback, MINUTE_MS).unref();

/**
 * Logs events that anyone can trigger at will: the first at once, then once a minute the number of further events, with
 * the details of the latest (ADR-89).
 */
export class SampledLog<Details extends object> {
  private timer: NodeJS.Timeout | null = null;
  private more = 0;
  private last: Details | null = null;

  /** @param log called with the details of an event and the number of events that the log line represents */
  constructor(
    private readonly log: (details: Details, count: number) => void,
    private readonly callRegularly = callEveryMinute,
  ) {}

  /** Records an event. Never throws, never waits. */
  add(details: Details): void {
    if (this.timer) {
      this.more += 1;
      this.last = details;
      return;
    }
    this.log(details, 1);
    this.timer = this.callRegularly(() => this.flush());
  }

  /** Logs the events since the last line. If there are none, the next event is logged at once. */
  private flush(): void {
    if (this.last) this.log(this.last, this.more);
    else {
      clearInterval(this.timer!);
      this.timer = null;
    }
    this.more = 0;
    this.last = null;
  }
}
