import {
  Caller,
  createChannel,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';

let harness: ManagementHarness;
let owner: TestOwner;
let endpoint: string;
beforeAll(async () => {
  harness = await startHarness();
  owner = await createOwner(harness);
  const channel = await createChannel(owner);
  endpoint = (await createEndpoint(owner, [await createProject(owner, [channel.id])])).id;
});
afterAll(() => harness.stop());

const issue = async (
  fields: object,
  by: Caller = owner.caller,
): Promise<{ id: string; caller: Caller; view: object }> => {
  const { body } = await by.post('/keys', { name: 'Anna', ...fields }).expect(201);
  const { key, ...view } = body;
  return { id: body.id, caller: new Caller(harness, key), view };
};

describe('a named key (D-93)', () => {
  it('is issued, listed beside the main key, changed and revoked', async () => {
    const { id, caller, view } = await issue({ scopes: ['approve', 'post'], endpoint_ids: [endpoint] });
    const shown = { id, owner_id: owner.id, name: 'Anna', scopes: ['post', 'approve'], endpoint_ids: [endpoint] };
    expect(view).toMatchObject({ ...shown, is_main: false, expires_at: null, last_used: null, previous_until: null });
    expect(caller.key).toMatch(/^service_key_[\w-]{43}$/);
    const { body } = await owner.caller.get('/keys').expect(200);
    expect(body.items).toMatchObject([shown, { is_main: true, scopes: ['manage'], owner_id: owner.id }]);
    await caller.get(`/endpoints/${endpoint}`).expect(200);
    const changed = await owner.caller.patch(`/keys/${id}`, { name: 'Ann', endpoint_ids: null }).expect(200);
    expect(changed.body).toMatchObject({ name: 'Ann', endpoint_ids: null, scopes: ['post', 'approve'] });
    expect(changed.body.last_used).toMatchObject({ ip: expect.any(String), at: expect.any(String) });
    await owner.caller.delete(`/keys/${id}`).expect(204);
    expect((await caller.get('/me').expect(401)).body.code).toBe('unauthorized');
    await owner.caller.get(`/keys/${id}`).expect(404);
  });

  it('says who it is', async () => {
    const { id, caller } = await issue({ scopes: ['read'], endpoint_ids: [endpoint] });
    const key = { id, name: 'Anna', scopes: ['read'], endpoint_ids: [endpoint], expires_at: null };
    expect((await caller.get('/me').expect(200)).body).toEqual({
      role: 'owner',
      owner: { id: owner.id, name: 'Acme' },
      key,
    });
    const main = (await owner.caller.get('/me').expect(200)).body;
    expect(main).toMatchObject({ role: 'owner', owner: { id: owner.id }, key: { scopes: ['manage'] } });
    await owner.caller.get(`/keys/${main.key.id}`).expect(200);
    const operator = { role: 'operator', owner: null, key: null };
    expect((await operatorCaller(harness).get('/me').expect(200)).body).toEqual(operator);
  });

  it.each([
    [{ scopes: [] }, 422, 'invalid'],
    [{ scopes: ['all'] }, 422, 'invalid'],
    [{ scopes: ['read'], endpoint_ids: [] }, 422, 'invalid'],
    [{ scopes: ['read'], endpoint_ids: ['ep_none'] }, 422, 'invalid'],
    [{ scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }, 422, 'expires_at_past'],
    [{ scopes: ['manage'], endpoint_ids: ['ep'] }, 422, 'limited_manage'],
    [{ scopes: ['audit'] }, 403, 'forbidden'],
    [{ scopes: ['read'], owner_id: 'own_other' }, 404, 'not_found'],
  ])('cannot be issued with %j', async (fields, status, code) => {
    const ids = 'endpoint_ids' in fields && fields.endpoint_ids?.[0] === 'ep' ? { endpoint_ids: [endpoint] } : {};
    const { body } = await owner.caller.post('/keys', { name: 'Anna', ...fields, ...ids }).expect(status);
    expect(body.code).toBe(code);
  });

  it('that has expired gets an answer of its own, and works again with a later time', async () => {
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    const { id, caller } = await issue({ scopes: ['read'], expires_at });
    await caller.get('/me').expect(200);
    await new Promise((resolve) => setTimeout(resolve, Date.parse(expires_at) - Date.now() + 50));
    expect((await caller.get('/me').expect(401)).body.code).toBe('key_expired');
    await owner.caller.patch(`/keys/${id}`, { expires_at: null }).expect(200);
    await caller.get('/me').expect(200);
  });

  it('is replaced with an overlap, in which both work', async () => {
    const { id, caller } = await issue({ scopes: ['read'] });
    const { body } = await owner.caller.post(`/keys/${id}/rotate`, { overlap_minutes: 10 }).expect(200);
    const next = new Caller(harness, body.key);
    expect(Date.parse(body.previous_until)).toBeGreaterThan(Date.now());
    for (const each of [caller, next]) expect((await each.get('/me').expect(200)).body.key.id).toBe(id);
    const last = new Caller(harness, (await owner.caller.post(`/keys/${id}/rotate`).expect(200)).body.key);
    for (const each of [caller, next]) await each.get('/me').expect(401);
    await last.get('/me').expect(200);
  });

  it('is the author of its changes, with the name that it had then', async () => {
    const { id, caller } = await issue({ scopes: ['manage'] });
    const project = (await caller.post('/projects', { name: 'By Anna', channel_ids: [] }).expect(201)).body.id;
    await owner.caller.patch(`/keys/${id}`, { name: 'Anna B.' }).expect(200);
    await caller.patch(`/projects/${project}`, { name: 'By Anna B.' }).expect(200);
    const { body } = await owner.caller.get(`/history/project/${project}`).expect(200);
    const authors = body.events.map(({ actor, actor_name }: Record<string, string>) => [actor, actor_name]);
    expect(authors).toEqual([
      [`key:${id}`, 'Anna'],
      [`key:${id}`, 'Anna B.'],
    ]);
    const { body: trail } = await owner.caller.get(`/history/events?actor=key:${id}`).expect(200);
    expect(trail.items).toHaveLength(2);
    const history = await owner.caller.get(`/history/key/${id}`).expect(200);
    expect(history.body.state).toMatchObject({ name: 'Anna B.', scopes: ['manage'], endpoint_ids: null });
    expect(JSON.stringify(history.body)).not.toContain(caller.key);
  });
});

it('the main key is replaced only, with an overlap if wanted', async () => {
  const other = await createOwner(harness);
  const { id } = (await other.caller.get('/me').expect(200)).body.key;
  expect((await other.caller.patch(`/keys/${id}`, { name: 'X' }).expect(409)).body.code).toBe('main_key');
  expect((await other.caller.delete(`/keys/${id}`).expect(409)).body.code).toBe('main_key');
  const { body } = await other.caller.post(`/owners/${other.id}/rotate-key`, { overlap_minutes: 5 }).expect(200);
  await other.caller.get('/me').expect(200);
  const next = new Caller(harness, body.key);
  await next.post(`/keys/${id}/rotate`).expect(200);
  await next.get('/me').expect(401);
  await other.caller.get('/me').expect(401);
});

it('keys stay within the cap of the plan, however many are issued at once (D-67)', async () => {
  const other = await createOwner(harness, 'free');
  const issued = await Promise.all(
    Array.from({ length: 12 }, (_, n) => other.caller.post('/keys', { name: `Key ${n}`, scopes: ['read'] })),
  );
  expect(issued.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(issued.find(({ status }) => status === 402)!.body).toMatchObject({ code: 'resource_limit', resource: 'keys' });
  const operator = operatorCaller(harness);
  await operator.post('/keys', { name: 'Auditor', scopes: ['audit'], owner_id: other.id }).expect(201);
  await other.caller.delete(`/keys/${issued.find(({ status }) => status === 201)!.body.id}`).expect(204);
  await other.caller.post('/keys', { name: 'Next', scopes: ['read'] }).expect(201);
});

it('a stream ends at once when its key is revoked, changed or expired', async () => {
  const open = async ({ caller }: { readonly caller: Caller }): Promise<Response> => {
    const answer = await fetch(`${harness.url}/manage/v1/stream`, {
      headers: { authorization: `Bearer ${caller.key}` },
    });
    expect(answer.status).toBe(200);
    return answer;
  };
  const revoked = await issue({ scopes: ['read'] });
  const limited = await issue({ scopes: ['read'] });
  const streams = await Promise.all([revoked, limited].map(open));
  // A busy machine may need longer to open a stream than the key lasts.
  for (let ms = 8_000; streams.length < 3 && ms < 100_000; ms *= 2) {
    const expired = await issue({ scopes: ['read'], expires_at: new Date(Date.now() + ms).toISOString() });
    const stream = await open(expired).catch(() => null);
    if (stream) streams.push(stream);
  }
  await limited.caller.get('/me').expect(200);
  await owner.caller.delete(`/keys/${revoked.id}`).expect(204);
  await owner.caller.patch(`/keys/${limited.id}`, { endpoint_ids: [endpoint] }).expect(200);
  const texts = await Promise.all(streams.map((stream) => stream.text()));
  expect(texts[0]).toContain('"key_revoked"');
  expect(texts[1]).toContain('"key_revoked"');
  expect(texts[2]).toContain('"key_expired"');
  expect((await limited.caller.get('/stream').expect(403)).body.code).toBe('key_limited');
});

it('the keys of a deleted owner end', async () => {
  const other = await createOwner(harness);
  const { id, caller } = await issue({ scopes: ['read'] }, other.caller);
  await operatorCaller(harness).delete(`/owners/${other.id}`).expect(204);
  await caller.get('/me').expect(401);
  const { body } = await operatorCaller(harness).get(`/history/key/${id}`).expect(200);
  expect(body.state.deleted_at).toEqual(expect.any(String));
});

describe('an auditor’s key (D-94)', () => {
  it('is issued by the operator, for one owner or all, and only reads', async () => {
    const operator = operatorCaller(harness);
    await operator.post('/keys', { name: 'Auditor', scopes: ['audit'] }).expect(422);
    const ofAll = await issue({ scopes: ['audit'], owner_id: null }, operator);
    const ofOne = await issue({ scopes: ['audit'], owner_id: owner.id }, operator);
    expect((await ofAll.caller.get('/me').expect(200)).body).toMatchObject({ role: 'auditor', owner: null });
    expect((await ofOne.caller.get('/me').expect(200)).body).toMatchObject({
      role: 'auditor',
      owner: { id: owner.id },
    });
    await ofAll.caller.get('/projections').expect(200);
    await ofOne.caller.get('/projections').expect(403);
    await ofOne.caller.get(`/endpoints/${endpoint}`).expect(200);
    expect((await ofOne.caller.post('/projects', { name: 'X', channel_ids: [] }).expect(403)).body.code).toBe(
      'forbidden',
    );
    await ofAll.caller.get('/history/export').expect(200);
    await ofAll.caller.get('/history/export?secrets=sealed').expect(403);
    await owner.caller.get(`/keys/${ofOne.id}`).expect(200);
    expect((await owner.caller.patch(`/keys/${ofOne.id}`, { name: 'X' }).expect(403)).body.code).toBe('forbidden');
    await owner.caller.delete(`/keys/${ofOne.id}`).expect(403);
    expect((await owner.caller.get('/keys').expect(200)).body.items.map(({ id }: { id: string }) => id)).toContain(
      ofOne.id,
    );
    expect((await ofOne.caller.post('/history/verify').expect(422)).body.code).toBe('invalid');
    const foreign = { aggregate: 'owner', id: (await createOwner(harness)).id };
    await ofOne.caller.post('/history/verify', foreign).expect(404);
    const job = await ofOne.caller.post('/history/verify', { aggregate: 'endpoint', id: endpoint }).expect(202);
    const other = await ofAll.caller.post('/history/verify').expect(202);
    const jobs = (await ofOne.caller.get('/jobs').expect(200)).body.items.map(({ id }: { id: string }) => id);
    expect(jobs).toEqual([job.body.id]);
    await ofOne.caller.get(`/jobs/${other.body.id}`).expect(404);
    await ofAll.caller.get(`/jobs/${job.body.id}`).expect(200);
    await operator.delete(`/keys/${ofOne.id}`).expect(204);
    await ofOne.caller.get('/me').expect(401);
  });
});
