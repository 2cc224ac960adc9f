import { KurrentEventStore } from '../../../src/event-store/kurrentdb/kurrent-event-store.js';
import { KurrentServer } from '../../support/kurrent-server/kurrent-server.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { appendElsewhere } from '../append-elsewhere.js';
import { describeEventStore } from '../contract.js';
import { proxiedFaults } from './proxied-faults.js';

/** A real server, one node without TLS, e.g. `kurrentdb://127.0.0.1:2113?tls=false`; the stand-in where none is named. */
const realServer = process.env.KURRENTDB_URL;

describeEventStore(realServer ? 'a real KurrentDB' : 'KurrentDB', async () => {
  const server = realServer ? undefined : await KurrentServer.start();
  const connectionString = realServer ?? (server as KurrentServer).connectionString;
  const proxy = await TcpProxy.start(connectionString);
  const farServers: KurrentServer[] = [];
  return {
    ...proxiedFaults(proxy),
    open: async () => new KurrentEventStore({ connectionString }),
    openFragile: async () => new KurrentEventStore({ connectionString: proxy.through(connectionString) }),
    openFar: async () => {
      const far = await KurrentServer.start({ firstPosition: 2n ** 53n + 1n }); // no real log is that long
      farServers.push(far);
      return new KurrentEventStore({ connectionString: far.connectionString });
    },
    appendElsewhere: (plan) => appendElsewhere('kurrentdb', connectionString, plan),
    stop: async () => {
      await proxy.stop();
      await server?.stop();
      for (const far of farServers) await far.stop();
    },
  };
});
