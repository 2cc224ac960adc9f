import { setTimeout as sleep } from 'node:timers/promises';

/** A batch of at least this size comes from concurrent callers, not from one caller that waits for each result. */
const CONCURRENT_BATCH_SIZE = 4;

/**
 * Minimum interval between the batches of concurrent callers. Each call to the database has a fixed cost, which
 * thousands of callers would otherwise pay hundreds of times a second for a few items each. A single caller never
 * waits.
 */
export class BatchInterval {
  private earliestStart = 0;

  /** @param ms minimum time from the start of a batch of concurrent callers to the start of the next batch */
  constructor(private readonly ms: number) {}

  /**
   * Waits until the next batch may start. If several callers are waiting, the first one to call {@link recordBatch}
   * starts the batch.
   */
  async waitForNextBatch(): Promise<void> {
    for (let ms = this.remainingMs(); ms > 0; ms = this.remainingMs()) await sleep(ms);
  }

  /** Records that a batch of this size starts now. */
  recordBatch(size: number): void {
    this.earliestStart = size < CONCURRENT_BATCH_SIZE ? 0 : performance.now() + this.ms;
  }

  private remainingMs(): number {
    return this.earliestStart - performance.now();
  }
}

/** Thrown when a call was not carried out, because too many others were waiting or it waited too long. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/**
 * Default maximum number of waiting items. If more are waiting, the batches cannot keep up, and queueing only uses
 * memory.
 */
const MAX_WAITING = 10_000;
/** Default maximum wait per item, in ms. */
const MAX_WAIT_MS = 10_000;

interface Call<In, Out> {
  readonly item: In;
  /** `performance.now()` timestamp, in ms. */
  readonly arrivedAt: number;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines many calls into a few. Items that arrive while a batch runs form the next batch, so batches grow with the
 * load, and a single caller does not wait.
 */
export class Batcher<In, Out> {
  private waiting: Call<In, Out>[] = [];
  private activeLanes = 0;
  private readonly activeKeys = new Set<string>();
  private readonly interval: BatchInterval;
  private expiry: NodeJS.Timeout | null = null;

  /**
   * @param runBatch returns a result for each item, in the same order
   * @param options.concurrency maximum number of batches that run at a time, default 1
   * @param options.maxBatchSize maximum number of items in a batch, default 500
   * @param options.splitAbove if more items than this are waiting, a batch takes half of them, but at least this many.
   * Callers that get their results together also call again together. Without the split, they would move in lockstep,
   * and each stage of the work would be idle while all callers are in another stage.
   * @param options.intervalMs see {@link BatchInterval}, default 0
   * @param options.maxWaiting maximum number of waiting items, default 10,000
   * @param options.maxWaitMs how long an item may wait for its batch to start, in ms, default 10,000; Infinity for no
   * limit
   * @param options.keyOf items with the same key never run at the same time: the later one waits for the earlier one
   */
  constructor(
    private readonly runBatch: (items: readonly In[]) => Promise<readonly Out[]>,
    private readonly options: {
      concurrency?: number;
      maxBatchSize?: number;
      splitAbove?: number;
      intervalMs?: number;
      maxWaiting?: number;
      maxWaitMs?: number;
      keyOf?: (item: In) => string;
    } = {},
  ) {
    this.interval = new BatchInterval(options.intervalMs ?? 0);
  }

  /** Adds an item to a batch and returns its result. @throws Overloaded if the item is not put in a batch */
  submit(item: In): Promise<Out> {
    const { maxWaiting = MAX_WAITING, maxWaitMs = MAX_WAIT_MS } = this.options;
    return new Promise((resolve, reject) => {
      if (this.waiting.length >= maxWaiting)
        return reject(new Overloaded('too many calls are waiting for the database'));
      this.waiting.push({ item, arrivedAt: performance.now(), resolve, reject });
      if (maxWaitMs < Infinity) this.expiry ??= setTimeout(() => this.refuseExpired(maxWaitMs), maxWaitMs).unref();
      if (this.activeLanes < (this.options.concurrency ?? 1)) void this.runLane();
    });
  }

  private async runLane(): Promise<void> {
    this.activeLanes += 1;
    await this.interval.waitForNextBatch(); // callers of the same event loop turn join the batch
    for (let batch = this.takeBatch(); batch.length > 0; batch = this.takeBatch()) {
      this.interval.recordBatch(batch.length);
      try {
        const results = await this.runBatch(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => resolve(results[i]!));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      const { keyOf } = this.options;
      if (keyOf) for (const { item } of batch) this.activeKeys.delete(keyOf(item));
      if (this.waiting.length > 0) await this.interval.waitForNextBatch();
    }
    this.activeLanes -= 1;
  }

  /** Rejects the items that have waited too long, and schedules the next check. */
  private refuseExpired(maxWaitMs: number): void {
    const latest = performance.now() - maxWaitMs;
    const expired = this.waiting.filter(({ arrivedAt }) => arrivedAt <= latest);
    if (expired.length > 0) this.waiting = this.waiting.filter(({ arrivedAt }) => arrivedAt > latest);
    for (const { reject } of expired)
      reject(new Overloaded(`waited ${maxWaitMs / 1_000} s because earlier calls to the database have not finished`));
    const oldest = this.waiting[0]?.arrivedAt;
    this.expiry =
      oldest === undefined
        ? null
        : setTimeout(() => this.refuseExpired(maxWaitMs), Math.max(1, oldest - latest)).unref();
  }

  /**
   * Takes the next batch, in order. It is empty if no items are waiting, or if the keys of all waiting items are in
   * use.
   */
  private takeBatch(): Call<In, Out>[] {
    const { keyOf, splitAbove = Infinity } = this.options;
    const max = Math.min(this.options.maxBatchSize ?? 500, Math.max(splitAbove, Math.ceil(this.waiting.length / 2)));
    if (!keyOf) return this.waiting.splice(0, max);
    const keys = new Set<string>();
    const batch: Call<In, Out>[] = [];
    const later: Call<In, Out>[] = [];
    for (const call of this.waiting) {
      const key = keyOf(call.item);
      if (batch.length === max || keys.has(key) || this.activeKeys.has(key)) later.push(call);
      else batch.push(call);
      keys.add(key); // a later item with the same key must not overtake this one
    }
    for (const { item } of batch) this.activeKeys.add(keyOf(item));
    this.waiting = later;
    return batch;
  }
}
