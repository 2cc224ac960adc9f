import type { BackgroundTask } from './background-task.js';

/** Runs a saga that follows the log, or the erasures that one has noted. */
export class EventSagaTask implements BackgroundTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly saga: { run(signal: AbortSignal): Promise<void> }) {}

  start(): void {
    this.running = this.saga.run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
