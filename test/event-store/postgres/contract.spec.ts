import pg from 'pg';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { archiveTables, eventStoreTables } from '../../../src/postgres/migrations/event-store-tables.js';
import { eventStoreFunctions } from '../../../src/postgres/migrations/repeatable/event-store.sql.js';
import { startTestPostgres } from '../../support/postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { appendInOtherProcess } from '../append-in-other-process.js';
import { describeEventStore } from '../contract.js';
import { proxiedFaults } from '../kurrentdb/proxied-faults.js';

describeEventStore('PostgreSQL', async () => {
  const postgres = await startTestPostgres({ migrated: true });
  const proxy = await TcpProxy.start(postgres.connectionString);
  const open = (options: { connectionString?: string; schema?: string } = {}) =>
    new PostgresEventStore({ connectionString: postgres.connectionString, ...options });
  let far = 0;
  return {
    ...proxiedFaults(proxy),
    open: async () => open(),
    openFragile: async () => open({ connectionString: proxy.through(postgres.connectionString) }),
    openFar: async () => {
      const schema = `far_${far++}`;
      const ddl = eventStoreFunctions({ schema, conditions: 'ops_find_changed_endpoints' });
      await execute(postgres.connectionString, eventStoreTables(schema, 2n ** 53n + 1n) + archiveTables(schema) + ddl);
      return open({ schema });
    },
    appendInOtherProcess: (plan) => appendInOtherProcess('postgres', postgres.connectionString, plan),
    stop: async () => {
      await proxy.stop();
      await postgres.stop();
    },
  };
});

const execute = async (connectionString: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
};
