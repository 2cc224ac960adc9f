import { type EventStore, Unavailable, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { derivedUuid } from '../../../src/kernel/ids.js';

/** Appends of one writer that shares streams with other writers: `count` events, one by one, to each stream in turn. */
export interface AppendPlan {
  readonly writer: string;
  readonly streams: readonly string[];
  readonly count: number;
}

/** The nth event of a writer; the same in every process. */
export const plannedEvent = ({ writer, streams }: AppendPlan, n: number) => ({
  id: derivedUuid(`${streams[0]}/${writer}/${n}`),
  type: 'Planned',
  data: JSON.stringify({ writer, n }),
  metadata: '{}',
});

/** Carries the plan out as a command handler would: read, append at the revision read, again after a lost race. */
export const carryOut = async (plan: AppendPlan, store: EventStore): Promise<void> => {
  for (let n = 0; n < plan.count; n++) {
    const stream = plan.streams[n % plan.streams.length] as string;
    while (!(await appended(store, stream, plannedEvent(plan, n)))) {
      // somebody else was first
    }
  }
};

const appended = async (
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
