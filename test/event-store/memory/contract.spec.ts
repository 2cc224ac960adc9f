import { MemoryEventStore, MemoryLog } from '../../../src/event-store/memory/memory-event-store.js';
import { describeEventStore } from '../contract.js';
import { carryOut } from '../contract/append-plan.js';

/** Two processes are two clients of one log here. */
describeEventStore('memory', async () => {
  const log = new MemoryLog();
  const open = async (): Promise<MemoryEventStore> => new MemoryEventStore({ log });
  return {
    open,
    openFragile: open,
    openFar: async () => new MemoryEventStore({ firstPosition: 2n ** 53n + 1n }),
    appendElsewhere: async (plan) => carryOut(plan, await open()),
    dropSubscribers: async () => log.dropSubscribers(),
    goAway: async () => {
      log.faults.unavailable = true;
      log.notify();
    },
    comeBack: async () => {
      log.faults.unavailable = false;
      log.notify();
    },
    loseAnswerOf: async (append) => {
      log.faults.loseAnswers = 1;
      return append().then(
        () => undefined,
        (error: unknown) => error,
      );
    },
    stop: async () => undefined,
  };
});
