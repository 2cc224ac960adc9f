import type { Pool } from 'pg';
import { silentLog } from '../../src/kernel/log.js';
import { PruneExpired } from '../../src/sagas/prune-expired/prune-expired.js';
import type { TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './deliver-webhooks/webhook-harness.js';

let gateway: TestGateway;
let pool: Pool;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  gateway = await startWebhookGateway();
  ({ pool } = gateway.infrastructure);
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Deletes everything as if its retention had just ended. */
const sweep = async (signal = new AbortController().signal): Promise<void> => {
  const { leases, progress } = gateway.infrastructure;
  const settings = { deliveryBodyMs: 0, jobMs: 0, contentMonths: 0, archiveMonths: 0 };
  const sampler = { pruneExpired: () => Promise.resolve(false) };
  const erasure = { startRetention: () => Promise.resolve() };
  const archive = { startByAge: () => Promise.resolve() };
  await new PruneExpired(pool, leases, progress, silentLog, settings, sampler, erasure, archive).sweep(signal);
};
const createOutput = async (setup: WebhookSetup): Promise<{ receiver: WebhookReceiver; outputId: string }> => {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  return { receiver, outputId: (await setup.createOutput(receiver)).id };
};
const endJob = (id: string) =>
  until(`${id} has ended`, async () => {
    const job = await gateway.manage('GET', `/jobs/${id}`);
    return job.state === 'done' && job;
  });
const countBodies = async (): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    'select count(*)::int as n from webhook_deliveries.delivery_body where delivery_id < $1',
    [`dlv_${Date.now().toString(16).padStart(12, '0')}`],
  );
  return rows[0]!.n;
};

it('deletes bodies of deliveries that have ended from the tables; they are listed, shown and sent again as before', async () => {
  const setup = await WebhookSetup.create(gateway);
  const { receiver, outputId } = await createOutput(setup);
  await setup.sendPost('delivered');
  const [delivered] = await until('it is shown as delivered', async () => {
    const { items } = await gateway.manage('GET', `/webhook-outputs/${outputId}/deliveries?state=delivered`);
    return items.length === 1 && items;
  });
  expect(delivered.body).toMatchObject({ text: 'delivered' });
  receiver.answer = () => ({ status: 503 });
  await setup.sendPost('waits');
  await until('it has failed once', () => receiver.received.length > 1);

  await sweep();
  const { items } = await gateway.manage('GET', `/webhook-outputs/${outputId}/deliveries`);
  const bodies = items.map(({ body, body_truncated }: { body: { text: string } | null; body_truncated?: true }) => [
    ...[body && body.text, body_truncated],
  ]);
  expect(bodies).toEqual([
    ['waits', undefined],
    [null, true],
  ]);
  expect(await gateway.manage('GET', `/deliveries/${delivered.id}`)).toEqual(delivered);
  receiver.answer = () => ({});
  const before = receiver.received.find(({ body }) => body.text === 'delivered')!;
  await gateway.manage('POST', `/deliveries/${delivered.id}/retry`);
  const again = await until('it arrives again', () => receiver.received.slice(2).find(({ id }) => id === before.id));
  expect([again.raw.toString(), again.problems]).toEqual([before.raw.toString(), []]);
});

it('leaves a verification and a rebuild equal to the history', async () => {
  const setup = await WebhookSetup.create(gateway);
  const { outputId } = await createOutput(setup);
  for (const text of ['one', 'two', 'three']) await setup.sendPost(text);
  await until('all are delivered', async () => {
    const { items } = await gateway.manage('GET', `/webhook-outputs/${outputId}/deliveries?state=delivered`);
    return items.length === 3;
  });
  await sweep();
  const equal = { missing: 0, extra: 0, different: 0 };
  const { id } = await gateway.manage('POST', '/projections/webhook-deliveries/verify');
  expect((await endJob(id)).result).toMatchObject(equal);
  // A row that no retention explains is still found.
  await pool.query(`update webhook_deliveries.delivery set kind = 'test.ping' where output_id = $1`, [outputId]);
  const { id: second } = await gateway.manage('POST', '/projections/webhook-deliveries/verify');
  expect((await endJob(second)).result).toMatchObject({ ...equal, different: 3 });
  await pool.query(`update webhook_deliveries.delivery set kind = 'post.published' where output_id = $1`, [outputId]);
  const rebuild = await gateway.manage('POST', '/projections/webhook-deliveries/rebuild', { promote: 'auto' });
  expect((await endJob(rebuild.id)).result).toMatchObject({ ...equal, promoted: true });
  // The rebuilt version has the bodies of the history again, until the next sweep.
  expect(await countBodies()).toBeGreaterThan(0);
  await until('they are gone', async () => {
    await sweep();
    return (await countBodies()) === 0;
  });
});

it('deletes jobs that have ended, limits of deleted endpoints, and budgets of other days, each after its time', async () => {
  const setup = await WebhookSetup.create(gateway);
  await pool.query(`insert into ops_limit (endpoint_id, last_at) values
    ('ep_gone', now() - interval '2 days'), ('ep_just_gone', now() - interval '1 hour')`);
  await pool.query(`insert into ops_budget (payer_id, budget, minute_times, day) values
    ('ep_gone', 'info', array[now() - interval '2 days'], null), ('own_gone', 'sandbox', '{}', current_date - 3),
    ('own_here', 'sandbox', '{}', current_date)`);
  const limit = `insert into ops_limit (endpoint_id, last_at) values ($1, now() - interval '2 days')`;
  await pool.query(limit, [setup.endpoint.id]);
  await pool.query(`insert into ops_job (id, kind, state, params) values ('job_running', 'x', 'running', '{}')`);
  await sweep();
  const read = async (text: string) => (await pool.query<{ id: string }>(text)).rows.map(({ id }) => id);
  expect(await read(`select endpoint_id as id from ops_limit where endpoint_id ~ 'gone'`)).toEqual(['ep_just_gone']);
  expect(await read('select endpoint_id as id from ops_limit')).toContain(setup.endpoint.id);
  expect(await read(`select payer_id as id from ops_budget where payer_id ~ 'gone|here'`)).toEqual(['own_here']);
  expect(await read(`select id from ops_job where kind = 'x'`)).toEqual(['job_running']);
  await pool.query(`delete from ops_job where kind = 'x'`);
});

it('goes on where a sweep was cut off', async () => {
  const setup = await WebhookSetup.create(gateway);
  const { outputId } = await createOutput(setup);
  await setup.sendPost('one');
  await until('it is delivered', async () => {
    const { items } = await gateway.manage('GET', `/webhook-outputs/${outputId}/deliveries?state=delivered`);
    return items.length === 1;
  });
  await sweep(AbortSignal.abort());
  const own =
    'select count(*)::int as n from webhook_deliveries.delivery_body join webhook_deliveries.delivery d using (delivery_id) where output_id = $1';
  const count = async () => (await pool.query<{ n: number }>(own, [outputId])).rows[0]!.n;
  expect(await count()).toBe(1);
  await sweep();
  expect(await count()).toBe(0);
});

it('deletes the uses of keys that are gone, and sign-ins that have expired', async () => {
  const { owner } = await WebhookSetup.create(gateway);
  const { id } = await gateway.manage('POST', '/keys', { owner_id: owner, name: 'Anna', scopes: ['read'] });
  await pool.query(
    `insert into ops_key_use (key_id, at, ip) values ('key_gone', 0, '192.0.2.1'), ($1, 0, '192.0.2.1')`,
    [id],
  );
  await pool.query(`insert into ops_console_session (session_id, token_hash, key_hash, is_remembered, expires_at) values
    ('expired', 'a', 'k', false, now() - interval '1 s'), ('open', 'b', 'k', false, now() + interval '1 h')`);
  await sweep();
  const { rows: uses } = await pool.query(`select key_id from ops_key_use where ip = '192.0.2.1'`);
  expect(uses).toEqual([{ key_id: id }]);
  const { rows: sessions } = await pool.query(`select session_id from ops_console_session where key_hash = 'k'`);
  expect(sessions).toEqual([{ session_id: 'open' }]);
});
