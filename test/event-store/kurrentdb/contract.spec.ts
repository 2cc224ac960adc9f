import { KurrentEventStore } from '../../../src/event-store/kurrentdb/kurrent-event-store.js';
import { isRealEventStore, startEventStore } from '../../support/event-store-server.js';
import { KurrentServer } from '../../support/kurrent-server/kurrent-server.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { appendInOtherProcess } from '../append-in-other-process.js';
import { describeEventStore } from '../contract.js';
import { proxiedFaults } from './proxied-faults.js';

/**
 * URL of a real server, one node without TLS, for example `kurrentdb://127.0.0.1:2113?tls=false`. Without it a server
 * is started.
 */
const realServer = process.env.KURRENTDB_URL;

describeEventStore(realServer || isRealEventStore ? 'a real KurrentDB' : 'KurrentDB', async () => {
  const server = realServer ? undefined : await startEventStore();
  const connectionString = realServer ?? server!.connectionString;
  const proxy = await TcpProxy.start(connectionString);
  const farServers: KurrentServer[] = [];
  return {
    ...proxiedFaults(proxy),
    // Far above the time of 1,000 concurrent appends, even if every processor is busy.
    open: async () => new KurrentEventStore({ connectionString, timeoutMs: 60_000 }),
    openFragile: async () => new KurrentEventStore({ connectionString: proxy.through(connectionString) }),
    openFar: async () => {
      const far = await KurrentServer.start({ firstPosition: 2n ** 53n + 1n }); // a real log never gets this long
      farServers.push(far);
      return new KurrentEventStore({ connectionString: far.connectionString });
    },
    appendInOtherProcess: (plan) => appendInOtherProcess('kurrentdb', connectionString, plan),
    stop: async () => {
      await proxy.stop();
      await server?.stop();
      for (const far of farServers) await far.stop();
    },
  };
});
