/**
 * Shares the result of an expensive call: callers that arrive while it runs wait for the same result, which is then
 * reused for `keepMs`. Only one call runs at a time, however many callers there are. An error is thrown to the callers
 * that waited for it, and is not kept.
 */
export class SharedResult<T> {
  private running: Promise<T> | null = null;
  private kept: { readonly value: T; readonly until: number } | null = null;

  /**
   * @param keepMs how long a result is kept, in ms; 0 shares it only with callers that waited for it
   * @param now reads a monotonic clock, in ms
   */
  constructor(
    private readonly call: () => Promise<T>,
    private readonly keepMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns a result at most `keepMs` old, or waits for the running call or a new one. @throws the call's error */
  get(): Promise<T> {
    if (this.kept && this.now() < this.kept.until) return Promise.resolve(this.kept.value);
    return (this.running ??= this.run());
  }

  private async run(): Promise<T> {
    try {
      const value = await this.call();
      this.kept = { value, until: this.now() + this.keepMs };
      return value;
    } finally {
      this.running = null;
    }
  }
}
