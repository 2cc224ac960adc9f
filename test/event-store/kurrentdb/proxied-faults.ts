import { type TcpProxy } from '../../support/tcp-proxy.js';
import type { StoreHarness } from '../contract/harness.js';

type Faults = Pick<StoreHarness, 'dropSubscribers' | 'startOutage' | 'endOutage' | 'loseResponseOf'>;

/** Creates the faults of a harness whose fragile stores reach their server through a proxy. */
export const proxiedFaults = (proxy: TcpProxy): Faults => {
  let isDown = false;
  return {
    dropSubscribers: async () => proxy.dropConnections(),
    startOutage: async () => {
      isDown = true;
      await proxy.refuse();
    },
    endOutage: async () => {
      if (isDown) await proxy.accept();
      isDown = false;
    },
    loseResponseOf: async (append, isCommitted) => {
      let isSettled = false;
      proxy.dropResponses();
      const outcome = append()
        .then(() => undefined)
        .catch((error: unknown) => error)
        .finally(() => (isSettled = true));
      while (!isSettled && !(await isCommitted())) {
        // in flight
      }
      proxy.restoreResponses();
      return outcome;
    },
  };
};
