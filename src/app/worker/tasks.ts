import { setMaxListeners } from 'node:events';

/** Work that a process does from startup until it is stopped. */
export interface BackgroundTask {
  start(): void;
  /** Stops the work cleanly; resolves once it has stopped. */
  stop(): Promise<void>;
}

/** Work that runs until it is stopped. */
export interface RunningSaga {
  /**
   * Runs until `drain` is aborted, then completes the work in progress.
   * @param abort aborted when running calls to networks and customers' servers must stop at once
   */
  run(drain: AbortSignal, abort: AbortSignal): Promise<void>;
}

/** How long a stopping worker waits for its sends to finish, in ms. Aborting a send leaves the post in doubt. */
const DRAIN_MS = 3_000;

/** Runs a saga. When stopped, gives the sends in progress {@link DRAIN_MS} to finish. */
export class SagaTask implements BackgroundTask {
  private readonly drain = new AbortController();
  private readonly abort = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly saga: RunningSaga) {
    // Hundreds of channels may listen at a time, which is not a leak.
    setMaxListeners(0, this.drain.signal, this.abort.signal);
  }

  start(): void {
    this.running = this.saga.run(this.drain.signal, this.abort.signal);
  }

  async stop(): Promise<void> {
    this.drain.abort();
    const timer = setTimeout(() => this.abort.abort(), DRAIN_MS);
    await this.running;
    clearTimeout(timer);
  }
}
