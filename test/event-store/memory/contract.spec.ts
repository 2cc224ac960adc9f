import { MemoryEventStore, MemoryLog } from '../../support/memory-event-store.js';
import { describeEventStore } from '../contract.js';
import { executePlan } from '../contract/append-plan.js';

/** Here, two clients of one log represent two processes. */
describeEventStore('memory', async () => {
  const log = new MemoryLog();
  const open = async (): Promise<MemoryEventStore> => new MemoryEventStore({ log });
  return {
    open,
    openFragile: open,
    openFar: async () => new MemoryEventStore({ firstPosition: 2n ** 53n + 1n }),
    appendInOtherProcess: async (plan) => executePlan(plan, await open()),
    dropSubscribers: async () => log.dropSubscribers(),
    startOutage: async () => {
      log.faults.isUnavailable = true;
      log.notify();
    },
    endOutage: async () => {
      log.faults.isUnavailable = false;
      log.notify();
    },
    loseResponseOf: async (append) => {
      log.faults.responsesToLose = 1;
      return append().then(
        () => undefined,
        (error: unknown) => error,
      );
    },
    stop: async () => undefined,
  };
});
