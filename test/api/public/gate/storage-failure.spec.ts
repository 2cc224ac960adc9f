import { until } from '../../../e2e/until.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';

/** Returns SQL that makes the database refuse each write to a table with the error of a full disk. */
const fill = (table: string): string => `
  create or replace function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create trigger refuse before insert or update on ${table} for each statement execute function refuse()`;
const free = (table: string): string => `drop trigger refuse on ${table}`;

describe('while the database does not write', () => {
  let gateway: TestGateway;
  let createEndpoint: () => Promise<TestEndpoint>;
  beforeAll(async () => {
    gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' });
    const owner = await gateway.createOwner();
    const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
    createEndpoint = () => gateway.createEndpoint(owner, [project], { min_interval: 1 });
  });
  afterAll(() => gateway.stop());

  it.each(['event_store.event', 'ops_limit'])(
    'because its disk is full (%s), a post is answered 503 with a code of its own, and accepted afterwards',
    async (table) => {
      const endpoint = await createEndpoint();
      await gateway.pool.query(fill(table));
      const refused = await endpoint.post('', { text: `refused by ${table}` });
      expect(refused).toMatchObject({ status: 503, body: { ok: false, code: 'storage_unavailable' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      await gateway.pool.query(free(table));
      const post = () => endpoint.post('', { text: `refused by ${table}` });
      await until('it is accepted', async () => (await post()).status === 200);
    },
  );

  it('/readyz names the cause until the store writes again, which a probe finds out', async () => {
    const endpoint = await createEndpoint();
    await gateway.pool.query(fill('event_store.event'));
    expect((await endpoint.post('', { text: 'refused' })).status).toBe(503);
    const readyz = () => gateway.call('GET', '/readyz');
    const failing = await readyz();
    expect(failing.status).toBe(503);
    expect(failing.body.checks.event_store).toMatch(/^has refused appends since .*No space left on device \(53100\)$/);
    await gateway.pool.query(free('event_store.event'));
    await until('the process is ready', async () => (await readyz()).status === 200);
  });

  it('because another session holds its lock, all posts are answered 503, and accepted once it is free', async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, createEndpoint));
    const postAll = () =>
      Promise.all(endpoints.map((one, n) => one.post('', { text: `stuck ${n}` }, { 'idempotency-key': `stuck ${n}` })));
    const holder = await gateway.pool.connect();
    await holder.query(`select pg_advisory_lock(7002, hashtext('event_store'))`);
    const answers = await postAll();
    expect(answers.map(({ status }) => status)).toEqual(endpoints.map(() => 503));
    expect(answers.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
    await holder.query('select pg_advisory_unlock_all()');
    holder.release();
    await until('all are accepted', async () => (await postAll()).every(({ status }) => status === 202));
    const accepted = (await gateway.readAllEvents()).filter(({ type }) => type === 'PostAccepted');
    expect(accepted.filter(({ data }) => JSON.stringify(data).includes('stuck'))).toHaveLength(endpoints.length);
  });
});
