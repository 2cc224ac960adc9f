/**
 * The result of a costly call, for many askers: those that ask while it runs wait for the same call, and its result serves
 * those that ask within `keepMs` after it. However many ask, and however long the call takes, one call runs at a time. An
 * error reaches the askers that waited for it and is not kept.
 */
export class SharedResult<T> {
  private running: Promise<T> | null = null;
  private kept: { readonly value: T; readonly until: number } | null = null;

  /**
   * @param keepMs time for which a result is kept, ms; 0: only for those that waited for it
   * @param now ms of a monotonic clock
   */
  constructor(
    private readonly call: () => Promise<T>,
    private readonly keepMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns a result that is at most `keepMs` old, or that of a call that runs already. @throws the call's error */
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
