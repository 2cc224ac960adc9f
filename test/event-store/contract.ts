import type { EventStoreAdapter } from '../../src/event-store/port.js';
import { describeAppending } from './contract/appending.js';
import { describeAppendingTogether } from './contract/appending-together.js';
import { describeDeleting } from './contract/deleting.js';
import { type ContractContext, type StoreHarness } from './contract/harness.js';
import { describeIdentity } from './contract/identity.js';
import { describeOutages } from './contract/outages.js';
import { describeReading } from './contract/reading.js';
import { describeRepeating } from './contract/repeating.js';
import { describeRetention } from './contract/retention.js';
import { describeSubscribing } from './contract/subscribing.js';

/**
 * Describes the contract of src/event-store/port.ts, with the same cases for every adapter.
 * @param name name of the adapter
 * @param start starts the adapter's harness, once for all cases
 */
export const describeEventStore = (name: string, start: () => Promise<StoreHarness>): void => {
  describe(`an event store in ${name}`, () => {
    let harness: StoreHarness;
    let store: EventStoreAdapter;
    const opened: EventStoreAdapter[] = [];
    const closeAfterCase = async (opening: Promise<EventStoreAdapter>): Promise<EventStoreAdapter> => {
      const another = await opening;
      opened.push(another);
      return another;
    };
    const context: ContractContext = {
      get harness() {
        return harness;
      },
      get store() {
        return store;
      },
      openAnother: () => closeAfterCase(harness.open()),
      openFragile: () => closeAfterCase(harness.openFragile()),
      openFar: () => closeAfterCase(harness.openFar()),
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

    describeAppending(context);
    describeAppendingTogether(context);
    describeRepeating(context);
    describeReading(context);
    describeSubscribing(context);
    describeOutages(context);
    describeRetention(context);
    describeDeleting(context);
    describeIdentity(context);
  });
};
