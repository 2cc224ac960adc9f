import { type TcpProxy } from '../../support/tcp-proxy.js';
import type { StoreHarness } from '../contract/harness.js';

type Faults = Pick<StoreHarness, 'dropSubscribers' | 'goAway' | 'comeBack' | 'loseAnswerOf'>;

/** The faults of a harness whose fragile stores reach their server through a proxy. */
export const proxiedFaults = (proxy: TcpProxy): Faults => {
  let away = false;
  return {
    dropSubscribers: async () => proxy.dropConnections(),
    goAway: async () => {
      away = true;
      await proxy.refuse();
    },
    comeBack: async () => {
      if (away) await proxy.accept();
      away = false;
    },
    loseAnswerOf: async (append, isCommitted) => {
      let settled = false;
      proxy.swallowAnswers();
      const outcome = append()
        .then(() => undefined)
        .catch((error: unknown) => error)
        .finally(() => (settled = true));
      while (!settled && !(await isCommitted())) {
        // on its way
      }
      proxy.answerAgain();
      return outcome;
    },
  };
};
