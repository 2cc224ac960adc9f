import type { EventStore } from '../../src/event-store/port.js';
import { appending } from './contract/appending.js';
import { type Stage, type StoreHarness } from './contract/harness.js';
import { losing } from './contract/losing.js';
import { reading } from './contract/reading.js';
import { repeating } from './contract/repeating.js';
import { retaining } from './contract/retaining.js';
import { subscribing } from './contract/subscribing.js';

/**
 * The contract of src/event-store/port.ts, the same cases for every adapter.
 * @param name of the adapter.
 * @param start makes its harness, once for all cases.
 */
export const describeEventStore = (name: string, start: () => Promise<StoreHarness>): void => {
  describe(`an event store in ${name}`, () => {
    let harness: StoreHarness;
    let store: EventStore;
    const opened: EventStore[] = [];
    const tidied = async (opening: Promise<EventStore>): Promise<EventStore> => {
      const another = await opening;
      opened.push(another);
      return another;
    };
    const stage: Stage = {
      get harness() {
        return harness;
      },
      get store() {
        return store;
      },
      another: () => tidied(harness.open()),
      fragile: () => tidied(harness.openFragile()),
      far: () => tidied(harness.openFar()),
    };

    beforeAll(async () => {
      harness = await start();
      store = await harness.open();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((another) => another.close()));
    });
    afterAll(async () => {
      await store.close();
      await harness.stop();
    });

    appending(stage);
    repeating(stage);
    reading(stage);
    subscribing(stage);
    losing(stage);
    retaining(stage);
  });
};
