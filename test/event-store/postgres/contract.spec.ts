import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { startTestPostgres } from '../../support/postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { appendInOtherProcess } from '../append-in-other-process.js';
import { describeEventStore } from '../contract.js';
import { proxiedFaults } from '../kurrentdb/proxied-faults.js';

describeEventStore('PostgreSQL', async () => {
  const postgres = await startTestPostgres();
  const proxy = await TcpProxy.start(postgres.connectionString);
  const open = async (options: { connectionString?: string; schema?: string; firstPosition?: bigint } = {}) => {
    const store = new PostgresEventStore({ connectionString: postgres.connectionString, ...options });
    await store.start();
    return store;
  };
  let far = 0;
  return {
    ...proxiedFaults(proxy),
    open: () => open(),
    openFragile: async () => open({ connectionString: proxy.through(postgres.connectionString) }),
    openFar: () => open({ schema: `far_${far++}`, firstPosition: 2n ** 53n + 1n }),
    appendInOtherProcess: (plan) => appendInOtherProcess('postgres', postgres.connectionString, plan),
    stop: async () => {
      await proxy.stop();
      await postgres.stop();
    },
  };
});
