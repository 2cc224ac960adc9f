import { type EventStore, Unavailable, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { deriveUuid } from '../../../src/kernel/ids.js';

/** Appends of one writer that shares streams with other writers: `count` events, one at a time, to each stream in turn. */
export interface AppendPlan {
  readonly writer: string;
  readonly streams: readonly string[];
  readonly count: number;
}

/** Returns the nth event of a writer. It is the same in every process. */
export const plannedEvent = ({ writer, streams }: AppendPlan, n: number) => ({
  id: deriveUuid(`${streams[0]}/${writer}/${n}`),
  type: 'Planned',
  data: JSON.stringify({ writer, n }),
  metadata: '{}',
});

/** Executes the plan like a command handler: reads, appends at the revision that it read, and tries again after a conflict. */
export const executePlan = async (plan: AppendPlan, store: EventStore): Promise<void> => {
  for (let n = 0; n < plan.count; n++) {
    const stream = plan.streams[n % plan.streams.length] as string;
    while (!(await appendPlannedEvent(store, stream, plannedEvent(plan, n)))) {
      // another writer was first
    }
  }
};

const appendPlannedEvent = async (
  store: EventStore,
  stream: string,
  event: ReturnType<typeof plannedEvent>,
): Promise<boolean> => {
  const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
  for (;;) {
    try {
      await store.append(stream, last?.revision ?? 'noStream', [event]);
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      if (!(error instanceof Unavailable)) throw error;
    }
  }
};
