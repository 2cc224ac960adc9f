interface Call<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns many calls into few: what arrives while a call is under way makes up the next one, so that batches grow with
 * the load and a lone call does not wait.
 */
export class Batcher<In, Out> {
  private waiting: Call<In, Out>[] = [];
  private running = 0;

  /**
   * @param run answers for each item, in the items' order
   * @param options.lanes batches under way at a time, default 1; @param options.max items in a batch, default 500
   * @param options.keyOf items with the same key never share a batch: the later one waits for the next
   */
  constructor(
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
    private readonly options: { lanes?: number; max?: number; keyOf?: (item: In) => string } = {},
  ) {}

  call(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running < (this.options.lanes ?? 1)) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.running += 1;
    await Promise.resolve(); // let the callers of this turn join
    while (this.waiting.length > 0) {
      const batch = this.take();
      try {
        const answers = await this.run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => resolve(answers[i]!));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.running -= 1;
  }

  /** The next batch, in order. */
  private take(): Call<In, Out>[] {
    const { max = 500, keyOf } = this.options;
    if (!keyOf) return this.waiting.splice(0, max);
    const keys = new Set<string>();
    const batch: Call<In, Out>[] = [];
    const later: Call<In, Out>[] = [];
    for (const call of this.waiting) {
      const key = keyOf(call.item);
      if (batch.length === max || keys.has(key)) later.push(call);
      else {
        keys.add(key);
        batch.push(call);
      }
    }
    this.waiting = later;
    return batch;
  }
}
