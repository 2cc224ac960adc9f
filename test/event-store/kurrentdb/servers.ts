import type { AppendBounds } from '../../../src/event-store/kurrentdb/appender.js';
import { KurrentEventStore } from '../../../src/event-store/kurrentdb/kurrent-event-store.js';
import { KurrentServer, type KurrentServerOptions } from '../../support/kurrent-server/kurrent-server.js';

/** Returns functions that start stand-in servers and open stores for the cases of one `describe`. They are stopped after each case. */
export const kurrentServers = () => {
  const servers: KurrentServer[] = [];
  const stores: KurrentEventStore[] = [];
  afterEach(async () => {
    for (const server of servers) server.thaw();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  return {
    startServer: async (options?: KurrentServerOptions): Promise<KurrentServer> => {
      const server = await KurrentServer.start(options);
      servers.push(server);
      return server;
    },
    openStore: (
      server: Pick<KurrentServer, 'connectionString'>,
      timeoutMs?: number,
      appendBounds?: Partial<AppendBounds>,
    ): KurrentEventStore => {
      const { connectionString } = server;
      const store = new KurrentEventStore({
        connectionString,
        ...(timeoutMs && { timeoutMs }),
        ...(appendBounds && { appendBounds }),
      });
      stores.push(store);
      return store;
    },
  };
};
