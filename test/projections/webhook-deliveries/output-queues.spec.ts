import { type Client, Pool } from 'pg';
import { pgTypes } from '../../../src/postgres/pool.js';
import { webhookDeliveries } from '../../../src/projections/webhook-deliveries/webhook-deliveries.projection.js';
import { OutputQueues } from '../../../src/projections/webhook-deliveries/webhook-deliveries.queries.js';
import { DELIVERIES_VERSION } from '../../../src/projections/webhook-deliveries/webhook-deliveries.tables.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { createEmptyTables } from '../publish-schedule/empty-tables.js';

const NOW = 1_000;

let postgres: TestPostgres;
let client: Client;
let pool: Pool;
let queues: OutputQueues;
beforeAll(async () => {
  postgres = await startTestPostgres();
  ({ client } = await createEmptyTables(postgres, webhookDeliveries, DELIVERIES_VERSION));
  pool = new Pool({ connectionString: postgres.connectionString, types: pgTypes });
  queues = new OutputQueues(pool);
});
beforeEach(() => client.query('truncate output, delivery, delivery_body'));
afterAll(async () => {
  await pool.end();
  await client.end();
  await postgres.stop();
});

const addOutput = (id: string, more: { disabled_by?: string; down_delivery_id?: string } = {}) =>
  client.query(
    `insert into output (output_id, owner_id, url, secret_id, previous_until, disabled_by, pace, down_delivery_id)
     values ($1, 'own_1', 'https://example.org/' || $1, 'sec', 0, $2, 'prompt', $3)`,
    [id, more.disabled_by ?? null, more.down_delivery_id ?? null],
  );

let position = 0;
beforeEach(() => (position = 0));

/** Adds a delivery behind the others. @param more.body null if it is stored in parts */
const addDelivery = async (
  output: string,
  id: string,
  more: { nextAt?: number; state?: string; body?: string | null; kind?: string; wasDown?: boolean } = {},
) => {
  const { nextAt = NOW, state = 'pending', body = `"${id}"`, kind = 'post.published', wasDown = false } = more;
  await client.query(
    `insert into delivery (delivery_id, output_id, owner_id, kind, state, position, created_at, next_at, attempt, failed,
       was_server_down, attempts, parts, content_erased, revision, hash, event_id, request_id, correlation_id)
     values ($1, $2, 'own', $3, $4, $5, 1, $6, 0, 0, $7, '[{"answer":"long"}]', $8, false, '0', 'h', 'e', 'r', 'c')`,
    [id, output, kind, state, ++position, nextAt, wasDown, body === null ? 2 : null],
  );
  if (body !== null) await client.query('insert into delivery_body values ($1, $2)', [id, body]);
};

const read = async (output: string, now = NOW) => {
  const queue = await queues.readQueue(output, now);
  return queue && queue.due.map(({ delivery_id }) => delivery_id);
};

it('gives each output its own due deliveries in order, also when many are read at once', async () => {
  const ids = Array.from({ length: 60 }, (_, i) => `whk_${i}`);
  for (const id of ids) await addOutput(id);
  for (const n of [1, 2, 3])
    for (const id of ids) await addDelivery(id, `${id}_${n}`, { nextAt: n === 3 ? NOW + 1 : NOW });
  const found = await Promise.all(ids.map((id) => read(id)));
  expect(found).toEqual(ids.map((id) => [`${id}_1`, `${id}_2`]));
  const [now, later] = await Promise.all([read('whk_5'), read('whk_6', NOW + 1)]);
  expect([now, later]).toEqual([
    ['whk_5_1', 'whk_5_2'],
    ['whk_6_1', 'whk_6_2', 'whk_6_3'],
  ]);
});

it('holds all that is needed to send a delivery, but not its attempts', async () => {
  await addOutput('whk_1');
  await addDelivery('whk_1', 'dlv_1', { body: '«тело» 🌷' });
  const { output, due, probe } = (await queues.readQueue('whk_1', NOW))!;
  expect(output).toMatchObject({ output_id: 'whk_1', url: 'https://example.org/whk_1', previous_until: 0 });
  expect(probe).toBeNull();
  expect(due).toEqual([
    {
      delivery_id: 'dlv_1',
      output_id: 'whk_1',
      owner_id: 'own',
      kind: 'post.published',
      state: 'pending',
      position: '1',
      created_at: 1,
      next_at: NOW,
      attempt: 0,
      failed: 0,
      failed_at: null,
      was_server_down: false,
      parts: null,
      content_erased: false,
      revision: '0',
      hash: 'h',
      event_id: 'e',
      request_id: 'r',
      correlation_id: 'c',
      body: '«тело» 🌷',
    },
  ]);
});

it('ends a read after 50 deliveries, or 256 KB of bodies', async () => {
  for (const id of ['whk_many', 'whk_large', 'whk_parts']) await addOutput(id);
  for (let i = 0; i < 60; i++) await addDelivery('whk_many', `many_${i}`);
  for (let i = 0; i < 8; i++) await addDelivery('whk_large', `large_${i}`, { body: 'x'.repeat(60_000) });
  for (let i = 0; i < 8; i++) await addDelivery('whk_parts', `parts_${i}`, { body: null });
  const [many, large, parts] = await Promise.all([read('whk_many'), read('whk_large'), read('whk_parts')]);
  expect(many).toEqual(Array.from({ length: 50 }, (_, i) => `many_${i}`));
  expect(large).toEqual(Array.from({ length: 5 }, (_, i) => `large_${i}`));
  expect(parts).toHaveLength(8);
});

it('is null where nothing may be sent', async () => {
  await addOutput('whk_idle');
  await addDelivery('whk_idle', 'done', { state: 'delivered' });
  await addDelivery('whk_idle', 'later', { nextAt: NOW + 1 });
  await addOutput('whk_off', { disabled_by: 'owner' });
  await addDelivery('whk_off', 'kept');
  await addDelivery('whk_off', 'ping', { kind: 'test.ping' });
  await addOutput('whk_unpaid', { disabled_by: 'plan' });
  await addDelivery('whk_unpaid', 'unpaid', { kind: 'test.ping' });
  const found = await Promise.all(['whk_idle', 'whk_none', 'whk_off', 'whk_unpaid'].map((id) => read(id)));
  expect(found).toEqual([null, null, ['ping'], null]);
});

it('names the first that waits for a server that is down, if it comes before those that are due', async () => {
  await addOutput('whk_1', { down_delivery_id: 'b' });
  await addDelivery('whk_1', 'a', { nextAt: NOW + 5_000, wasDown: true });
  await addDelivery('whk_1', 'b', { nextAt: NOW + 5_000, wasDown: true });
  await addDelivery('whk_1', 'c');
  const { probe, due } = (await queues.readQueue('whk_1', NOW))!;
  expect([probe?.delivery_id, due.map(({ delivery_id }) => delivery_id)]).toEqual(['a', ['c']]);
  expect(probe).toMatchObject({ position: '1', body: '"a"' });
});
