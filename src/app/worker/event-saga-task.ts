import type { DomainEvent } from '../../kernel/events.js';
import type { EventSaga } from '../../sagas/engine/event-saga.js';
import type { BackgroundTask } from './background-task.js';

/** Runs a saga that follows the log. */
export class EventSagaTask implements BackgroundTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly saga: Pick<EventSaga<DomainEvent>, 'run'>) {}

  start(): void {
    this.running = this.saga.run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
