import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Pool } from 'pg';
import { createLogger } from '../../../src/config/logger.js';
import { BEGINNING } from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/postgres/embedded.js';
import { migrate } from '../../../src/postgres/migrations.js';
import { migrations } from '../../../src/postgres/migrations/all.js';
import { until } from '../../e2e/until.js';
import { newDataDir } from '../../support/postgres.js';

const logger = createLogger({ logLevel: 'fatal' });
const CRASHES = process.env.TEST_LONG ? 30 : 3;

describe('a server whose commits do not wait for the disk by default', () => {
  let server: EmbeddedPostgres;
  let dataDir: string;
  let pool: Pool;
  beforeAll(async () => {
    dataDir = await newDataDir();
    const settings = { fsync: 'off', synchronous_commit: 'off', wal_writer_delay: '10s', io_method: 'sync' };
    server = await startEmbeddedPostgres({ dataDir, logger, settings });
    await migrate(server.connectionString, migrations, logger);
    pool = new Pool({ connectionString: server.connectionString });
    pool.on('error', () => undefined);
    await pool.query('checkpoint'); // the schema is durable
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('has every appended event after a crash, in the order in which followers received it', async () => {
    const store = new PostgresEventStore({ connectionString: server.connectionString });
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const { events } of store.subscribe({ after: BEGINNING, signal: stop.signal }))
        seen.push(...events.map(({ position, id }) => `${position} ${id}`));
    })();
    const appended = new Set<string>();
    for (let crash = 0; crash < CRASHES; crash++) {
      for (let n = 0; n < 40; n++) {
        const id = randomUUID();
        await store.append(`s-${id}`, 'noStream', [{ id, type: 'A', data: '{}', metadata: '{}' }]);
        appended.add(id);
      }
      // A backend that dies takes the whole server with it: PostgreSQL recovers from what is on the disk.
      const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      process.kill(rows[0]!.pid, 'SIGKILL');
      await until('the server has recovered', () => pool.query('select').then(() => true));
    }
    const last = randomUUID();
    await until('it takes events again', () =>
      store.append(`s-${last}`, 'noStream', [{ id: last, type: 'A', data: '{}', metadata: '{}' }]).then(() => true),
    );
    const { rows } = await pool.query<{ place: string; id: string }>(
      `select e.position || ' ' || e.id as place, e.id::text from event_store.event e order by e.position`,
    );
    const stored = new Set(rows.map(({ id }) => id));
    expect([...appended].filter((id) => !stored.has(id))).toEqual([]);
    await until('the last event was received', () => seen.at(-1)?.endsWith(last));
    stop.abort();
    await following;
    expect(seen).toEqual(rows.map(({ place }) => place));
    await store.close();
  }, 300_000);
});
