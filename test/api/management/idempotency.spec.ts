import { complaints } from './details.js';
import { Caller, newChannel, newEndpoint, newOwner, operatorOf, type Owner, type Stage, startStage } from './stage.js';

let keys = 0;
const newKey = (): Record<string, string> => ({ 'idempotency-key': `key ${++keys}` });

describe('a POST under an Idempotency-Key', () => {
  let stage: Stage;
  let operator: Caller;
  let owner: Owner;
  beforeAll(async () => {
    stage = await startStage();
    operator = operatorOf(stage);
    owner = await newOwner(stage);
  });
  afterAll(() => stage.stop());

  const events = async (stream: string): Promise<string[]> =>
    (await stage.running.infrastructure.store.readStream(stream)).map(({ type }) => type);
  const query = (text: string) => stage.running.infrastructure.pool.query(text);

  it('creates one thing; a repeat gets the same body with what was shown once null (D-47)', async () => {
    const [draft, key] = [{ project_ids: [], mode: 'live' }, newKey()];
    const first = await owner.caller.post('/endpoints', draft, key).expect(201);
    const again = await owner.caller.post('/endpoints', draft, key).expect(201);
    expect(first.body).toMatchObject({ token: expect.any(String), signing_secret: expect.any(String) });
    expect(again.body).toEqual({ ...first.body, token: null, signing_secret: null });
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', 'x-position': first.headers['x-position'] });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect((await owner.caller.get('/endpoints')).body.items).toHaveLength(1);
    expect(await events(`endpoint-${first.body.id}`)).toEqual(['EndpointCreated']);
    const { rows } = await query('select body from ops_idempotent_answer');
    expect(JSON.stringify(rows)).not.toContain(first.body.token);
  });

  it('creates one thing however many ask at once, and shows its secret to one of them', async () => {
    const [draft, key] = [{ project_ids: [], mode: 'live' }, newKey()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => owner.caller.post('/endpoints', draft, key).expect(201)),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const { id, slug } = answers[0]!.body;
    expect(await events(`endpoint-${id}`)).toEqual(['EndpointCreated']);
    const tokens = answers.map(({ body }) => body.token as string | null).filter((token) => token !== null);
    expect(tokens).toHaveLength(1);
    // The token that was shown is the one that works.
    await fetch(`${stage.url}/v1/webhooks/${slug}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
      body: '{"text":"Hello"}',
    }).then(({ status }) => expect(status).toBe(200));
    const { rows } = await query('select count(*)::int as sealed from ops_secret');
    const { rows: known } = await query('select count(*)::int as known from discovery.endpoint');
    expect(rows[0].sealed).toBe(known[0].known); // signing secrets alone: what was drawn for the answer is erased
  });

  it('acts once, also twenty times at once', async () => {
    const { id } = await newOwner(stage, 'free');
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => operator.post(`/owners/${id}/post-packs`, { posts: 7 }, key).expect(200)),
    );
    expect(answers.map(({ body }) => body.posts_left)).toEqual(Array(20).fill(37));
    expect(await events(`owner-${id}`)).toEqual(['OwnerRegistered', 'PostPackAdded']);
    const { id: endpoint } = await newEndpoint(owner, []);
    const slugKey = newKey();
    const rotated = await Promise.all(
      Array.from({ length: 5 }, () => owner.caller.post(`/endpoints/${endpoint}/rotate-slug`, {}, slugKey).expect(200)),
    );
    expect(new Set(rotated.map(({ body }) => body.slug)).size).toBe(1);
  });

  it('finishes what broke off between the change and its answer, and shows the secret that was not shown', async () => {
    const [draft, key] = [{ name: 'Acme', plan: 'pro' }, newKey()];
    await query(`
      create function break_off() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
      create trigger break_off before update on ops_idempotent_answer for each row execute function break_off()`);
    const broken = await operator.post('/owners', draft, key).expect(500);
    expect(broken.body.code).toBe('internal');
    const before = (await operator.get('/owners?limit=200')).body.items;
    await query('drop trigger break_off on ops_idempotent_answer; drop function break_off');

    const { body } = await operator.post('/owners', draft, key).expect(201);
    expect(before).toEqual((await operator.get('/owners?limit=200')).body.items); // it was there already
    expect(await events(`owner-${body.id}`)).toEqual(['OwnerRegistered']);
    await new Caller(stage, body.key).get(`/owners/${body.id}`).expect(200);
    expect((await operator.post('/owners', draft, key).expect(201)).body).toEqual({ ...body, key: null });
  });

  it('is kept for its request: another one under the key is 409', async () => {
    const key = newKey();
    const { id } = await newChannel(owner);
    await owner.caller.post(`/channels/${id}/pause`, { minutes: 5 }, key).expect(200);
    const other = await owner.caller.post(`/channels/${id}/pause`, { minutes: 6 }, key).expect(409);
    expect(other.body.code).toBe('idempotency_conflict');
    expect((await owner.caller.post(`/channels/${id}/resume`, {}, key).expect(409)).body.code).toBe(
      'idempotency_conflict',
    );
  });

  it('of one caller says nothing about another’s', async () => {
    const key = newKey();
    const draft = { name: 'N', channel_ids: [] };
    const other = await newOwner(stage);
    const [a, b] = [
      (await owner.caller.post('/projects', draft, key).expect(201)).body,
      (await other.caller.post('/projects', draft, key).expect(201)).body,
    ];
    expect(a.id).not.toBe(b.id);
  });

  it('that was refused may be corrected and sent again under the same key', async () => {
    const key = newKey();
    await owner.caller.post('/projects', { name: 'N' }, key).expect(422);
    const missing = 'tgt_00000000000000000000000000000000';
    await owner.caller.post('/projects', { name: 'N', channel_ids: [missing] }, key).expect(422);
    const { body } = await owner.caller.post('/projects', { name: 'N', channel_ids: [] }, key).expect(201);
    expect((await owner.caller.post('/projects', { name: 'N', channel_ids: [] }, key).expect(201)).body).toEqual(body);
  });

  it('is forgotten after 24 hours: the same key then makes another thing', async () => {
    const [draft, key] = [{ name: 'N', channel_ids: [] }, newKey()];
    const { body } = await owner.caller.post('/projects', draft, key).expect(201);
    const age = (interval: string) =>
      query(
        `update ops_idempotent_answer set at = at - interval '${interval}' where key = '${key['idempotency-key']}'`,
      );
    await age('23 hours 59 minutes');
    expect((await owner.caller.post('/projects', draft, key).expect(201)).body.id).toBe(body.id);
    await age('2 minutes');
    const other = await owner.caller.post('/projects', draft, key).expect(201);
    expect(other.body.id).not.toBe(body.id);
    expect((await owner.caller.post('/projects', draft, key).expect(201)).body.id).toBe(other.body.id);
  });

  it('takes keys of 128 characters and no more', async () => {
    const draft = { name: 'N', channel_ids: [] };
    await owner.caller.post('/projects', draft, { 'idempotency-key': 'k'.repeat(128) }).expect(201);
    const { body } = await owner.caller.post('/projects', draft, { 'idempotency-key': 'k'.repeat(129) }).expect(422);
    expect(complaints(body)).toEqual(['Idempotency-Key: too_long']);
  });
});
