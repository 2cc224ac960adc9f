import { Client } from 'pg';
import type { RecordedEvent } from '../../src/kernel/events.js';
import { newUuid } from '../../src/kernel/ids.js';
import type { Projection } from '../../src/projections/engine/projection.js';
import { RowCache } from '../../src/projections/engine/rows.js';
import { publishSchedule } from '../../src/projections/publish-schedule/publish-schedule.projection.js';
import { KEPT_REQUESTS, requestLog } from '../../src/projections/request-log/request-log.projection.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { createEmptyTables } from './publish-schedule/empty-tables.js';

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

const AT = 1_800_000_000_000;
let position = 0n;
const event = (type: string, data: object): RecordedEvent =>
  ({
    type,
    data,
    at: AT,
    id: newUuid(),
    requestId: 'req_1',
    stream: 'post-1',
    revision: 0n,
    position: ++position,
  }) as unknown as RecordedEvent;

/** Returns the events of one post, from its acceptance to its end. */
const publish = (n: number): RecordedEvent[] => {
  const ids = { publicationId: `pub_${n}`, postId: `post_${n}`, channelId: 'tgt_1', at: AT, attempt: 1 };
  const target = { ...ids, platform: 'telegram', projectId: 'prj_1' };
  const request = { ip: '', userAgent: null, route: 'publish', payloadBytes: 1, latencyMs: 1 };
  return [
    event('PostAccepted', {
      postId: `post_${n}`,
      ownerId: 'own_1',
      endpointId: 'ep_1',
      acceptedAt: AT,
      traceId: null,
      targets: [target],
      request,
    }),
    event('PublicationStarted', ids),
    event('PublicationSucceeded', ids),
  ];
};

/**
 * If the server collects statistics while almost all rows have ended, they change the plans:
 * the update of `publication` then reads the whole primary key. The counts are compared without them.
 */
const keepWithoutStatistics = async (client: Client, schema: string): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1',
    [schema],
  );
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = false)`);
};

let versions = 0;

/**
 * Returns the index entries that one more post reads after `posts` others, all since the start of an open transaction.
 */
const countEntriesRead = async (projection: Projection, posts: number): Promise<number> => {
  const { client, schema } = await createEmptyTables(postgres, projection, ++versions);
  await keepWithoutStatistics(client, schema);
  const snapshot = new Client({ connectionString: postgres.connectionString });
  await snapshot.connect();
  await snapshot.query('begin isolation level repeatable read');
  await snapshot.query('select count(*) from pg_class');
  await client.query(
    'set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
  );
  const cache = new RowCache();
  const apply = async (events: readonly RecordedEvent[]) => {
    for (const one of events) if (projection.handles?.(one.type) ?? true) await projection.apply(client, [one], cache);
  };
  try {
    for (let n = 0; n < posts; n++) await apply(publish(n));
    await client.query('begin');
    const read = async () => {
      const { rows } = await client.query<{ read: number }>(
        `select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as read from pg_index i
       join pg_class c on c.oid = i.indrelid where c.relnamespace = $1::regnamespace
         and c.relname in ('publication', 'request')`,
        [schema],
      );
      return rows[0]!.read;
    };
    const before = await read();
    await apply(publish(posts));
    return (await read()) - before;
  } finally {
    await Promise.all([client.end(), snapshot.end()]);
  }
};

describe('while a transaction elsewhere keeps old versions (ADR-96)', () => {
  /**
   * Index entries by which two counts may differ, because publications have ended since `first_waiting` was written.
   */
  const TOLERANCE = 150;

  it.each([
    ['publish-schedule', publishSchedule(60_000)],
    ['request-log', requestLog],
  ])(
    '%s does not read the index entries of what has ended',
    async (_, projection) => {
      const few = await countEntriesRead(projection, 2 * KEPT_REQUESTS);
      const many = await countEntriesRead(projection, 10 * KEPT_REQUESTS);
      expect(many).toBeLessThan(few + TOLERANCE);
    },
    600_000,
  );
});
