import {
  Caller,
  createChannel,
  createEndpoint,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { listProblems } from './problem-details.js';

let keys = 0;
const newKey = (): Record<string, string> => ({ 'idempotency-key': `key ${++keys}` });

describe('a POST with an Idempotency-Key', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let owner: TestOwner;
  beforeAll(async () => {
    harness = await startHarness();
    operator = operatorCaller(harness);
    owner = await createOwner(harness);
  });
  afterAll(() => harness.stop());

  const events = async (stream: string): Promise<string[]> =>
    (await harness.running.infrastructure.store.readStream(stream)).map(({ type }) => type);
  const query = (text: string) => harness.running.infrastructure.pool.query(text);

  it('creates one resource; a repeat gets the same body with null in place of secrets (D-47)', async () => {
    const [sent, key] = [{ project_ids: [], mode: 'live' }, newKey()];
    const first = await owner.caller.post('/endpoints', sent, key).expect(201);
    const again = await owner.caller.post('/endpoints', sent, key).expect(201);
    expect(first.body).toMatchObject({ token: expect.any(String), signing_secret: expect.any(String) });
    expect(again.body).toEqual({ ...first.body, token: null, signing_secret: null });
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', 'x-position': first.headers['x-position'] });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect((await owner.caller.get('/endpoints')).body.items).toHaveLength(1);
    expect(await events(`endpoint-${first.body.id}`)).toEqual(['EndpointCreated']);
    const { rows } = await query('select body from ops_idempotent_answer');
    expect(JSON.stringify(rows)).not.toContain(first.body.token);
  });

  it('creates one resource for any number of concurrent requests, and shows its secret to one of them', async () => {
    const [sent, key] = [{ project_ids: [], mode: 'live' }, newKey()];
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => owner.caller.post('/endpoints', sent, key).expect(201)),
    );
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    const { id, slug } = responses[0]!.body;
    expect(await events(`endpoint-${id}`)).toEqual(['EndpointCreated']);
    const tokens = responses.map(({ body }) => body.token as string | null).filter((token) => token !== null);
    expect(tokens).toHaveLength(1);
    // The token that was shown works.
    await fetch(`${harness.url}/v1/webhooks/${slug}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
      body: '{"text":"Hello"}',
    }).then(({ status }) => expect(status).toBe(200));
    const { rows } = await query('select count(*)::int as sealed from ops_secret');
    const { rows: known } = await query('select count(*)::int as known from discovery.endpoint');
    expect(rows[0].sealed).toBe(known[0].known); // only signing secrets: the secrets drawn for the response are erased
  });

  it('takes effect once, even if twenty arrive at once', async () => {
    const { id } = await createOwner(harness, 'free');
    const key = newKey();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => operator.post(`/owners/${id}/post-packs`, { posts: 7 }, key).expect(200)),
    );
    expect(responses.map(({ body }) => body.posts_left)).toEqual(Array(20).fill(37));
    expect(await events(`owner-${id}`)).toEqual(['OwnerRegistered', 'PostPackAdded']);
    const { id: endpoint } = await createEndpoint(owner, []);
    const slugKey = newKey();
    const rotated = await Promise.all(
      Array.from({ length: 5 }, () => owner.caller.post(`/endpoints/${endpoint}/rotate-slug`, {}, slugKey).expect(200)),
    );
    expect(new Set(rotated.map(({ body }) => body.slug)).size).toBe(1);
  });

  it('completes a request that failed between the change and its response, and shows the secret that was not shown', async () => {
    const [sent, key] = [{ name: 'Acme', plan: 'pro' }, newKey()];
    await query(`
      create function fail_update() returns trigger language plpgsql as $$ begin raise exception 'failed on purpose'; end $$;
      create trigger fail_update before update on ops_idempotent_answer for each row execute function fail_update()`);
    const failed = await operator.post('/owners', sent, key).expect(500);
    expect(failed.body.code).toBe('internal');
    const before = (await operator.get('/owners?limit=200')).body.items;
    await query('drop trigger fail_update on ops_idempotent_answer; drop function fail_update');

    const { body } = await operator.post('/owners', sent, key).expect(201);
    expect(before).toEqual((await operator.get('/owners?limit=200')).body.items); // the failed request had registered it already
    expect(await events(`owner-${body.id}`)).toEqual(['OwnerRegistered']);
    await new Caller(harness, body.key).get(`/owners/${body.id}`).expect(200);
    expect((await operator.post('/owners', sent, key).expect(201)).body).toEqual({ ...body, key: null });
  });

  it('reserves its key: another request with the key is 409', async () => {
    const key = newKey();
    const { id } = await createChannel(owner);
    await owner.caller.post(`/channels/${id}/pause`, { minutes: 5 }, key).expect(200);
    const other = await owner.caller.post(`/channels/${id}/pause`, { minutes: 6 }, key).expect(409);
    expect(other.body.code).toBe('idempotency_conflict');
    expect((await owner.caller.post(`/channels/${id}/resume`, {}, key).expect(409)).body.code).toBe(
      'idempotency_conflict',
    );
  });

  it('does not affect other callers with the same key', async () => {
    const key = newKey();
    const sent = { name: 'N', channel_ids: [] };
    const other = await createOwner(harness);
    const [a, b] = [
      (await owner.caller.post('/projects', sent, key).expect(201)).body,
      (await other.caller.post('/projects', sent, key).expect(201)).body,
    ];
    expect(a.id).not.toBe(b.id);
  });

  it('that was rejected can be corrected and sent again with the same key', async () => {
    const key = newKey();
    await owner.caller.post('/projects', { name: 'N' }, key).expect(422);
    const missing = 'tgt_00000000000000000000000000000000';
    await owner.caller.post('/projects', { name: 'N', channel_ids: [missing] }, key).expect(422);
    const { body } = await owner.caller.post('/projects', { name: 'N', channel_ids: [] }, key).expect(201);
    expect((await owner.caller.post('/projects', { name: 'N', channel_ids: [] }, key).expect(201)).body).toEqual(body);
  });

  it('is forgotten after 24 hours: the same key then creates another resource', async () => {
    const [sent, key] = [{ name: 'N', channel_ids: [] }, newKey()];
    const { body } = await owner.caller.post('/projects', sent, key).expect(201);
    const ageBy = (interval: string) =>
      query(
        `update ops_idempotent_answer set at = at - interval '${interval}' where key = '${key['idempotency-key']}'`,
      );
    await ageBy('23 hours 59 minutes');
    expect((await owner.caller.post('/projects', sent, key).expect(201)).body.id).toBe(body.id);
    await ageBy('2 minutes');
    const other = await owner.caller.post('/projects', sent, key).expect(201);
    expect(other.body.id).not.toBe(body.id);
    expect((await owner.caller.post('/projects', sent, key).expect(201)).body.id).toBe(other.body.id);
  });

  it('accepts keys of at most 128 characters', async () => {
    const sent = { name: 'N', channel_ids: [] };
    await owner.caller.post('/projects', sent, { 'idempotency-key': 'k'.repeat(128) }).expect(201);
    const { body } = await owner.caller.post('/projects', sent, { 'idempotency-key': 'k'.repeat(129) }).expect(422);
    expect(listProblems(body)).toEqual(['Idempotency-Key: too_long']);
  });
});
