import { setMaxListeners } from 'node:events';
import type { ShutdownSignals } from '../../sagas/engine/shutdown-signals.js';
import type { BackgroundTask } from './background-task.js';

/** Longest wait of a stopping worker for the answers of networks and customers' servers, in ms. A post whose send it aborts is in doubt. */
const DRAIN_MS = 3_000;

/** Publishes due posts, or delivers webhooks; finishes the sends under way when it stops. */
export class PublishingTask implements BackgroundTask {
  private readonly drain = new AbortController();
  private readonly abort = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly saga: { run(signals: ShutdownSignals): Promise<void> }) {
    // Hundreds of channels listen to them at a time, which is no leak.
    setMaxListeners(0, this.drain.signal, this.abort.signal);
  }

  start(): void {
    this.running = this.saga.run({ drain: this.drain.signal, abort: this.abort.signal });
  }

  async stop(): Promise<void> {
    this.drain.abort();
    const timer = setTimeout(() => this.abort.abort(), DRAIN_MS);
    await this.running;
    clearTimeout(timer);
  }
}
