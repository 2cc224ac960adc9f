import { Spacing } from './batch-interval.js';

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
  private readonly keysUnderWay = new Set<string>();
  private readonly spacing: Spacing;

  /**
   * @param run answers for each item, in the items' order
   * @param options.lanes batches under way at a time, default 1; @param options.max items in a batch, default 500
   * @param options.wave where more than so many wait, half of them are taken, at least so many: callers that are answered
   * together come again together, and would go round as one wave, each of their steps idle while they are at another
   * @param options.spacing ms, default 0; see {@link Spacing}
   * @param options.keyOf items with the same key are never under way together: the later one waits for the earlier
   */
  constructor(
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
    private readonly options: {
      lanes?: number;
      max?: number;
      wave?: number;
      spacing?: number;
      keyOf?: (item: In) => string;
    } = {},
  ) {
    this.spacing = new Spacing(options.spacing ?? 0);
  }

  call(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running < (this.options.lanes ?? 1)) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.running += 1;
    await this.spacing.turn(); // the callers of this turn join, too
    for (let batch = this.take(); batch.length > 0; batch = this.take()) {
      this.spacing.began(batch.length);
      try {
        const answers = await this.run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => resolve(answers[i]!));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      const { keyOf } = this.options;
      if (keyOf) for (const { item } of batch) this.keysUnderWay.delete(keyOf(item));
      if (this.waiting.length > 0) await this.spacing.turn();
    }
    this.running -= 1;
  }

  /** The next batch, in order. None: nothing waits, or what waits does so for another lane. */
  private take(): Call<In, Out>[] {
    const { keyOf, wave = Infinity } = this.options;
    const max = Math.min(this.options.max ?? 500, Math.max(wave, Math.ceil(this.waiting.length / 2)));
    if (!keyOf) return this.waiting.splice(0, max);
    const keys = new Set<string>();
    const batch: Call<In, Out>[] = [];
    const later: Call<In, Out>[] = [];
    for (const call of this.waiting) {
      const key = keyOf(call.item);
      if (batch.length === max || keys.has(key) || this.keysUnderWay.has(key)) later.push(call);
      else batch.push(call);
      keys.add(key); // whoever comes later with it may not overtake
    }
    for (const { item } of batch) this.keysUnderWay.add(keyOf(item));
    this.waiting = later;
    return batch;
  }
}
