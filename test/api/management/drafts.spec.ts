import { until } from '../../e2e/until.js';
import {
  Caller,
  createEndpoint,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

describe('drafts', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;
  let other: TestOwner;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
    owner = await createOwner(harness);
    other = await createOwner(harness);
  });
  afterAll(() => harness.stop());

  const content = { text: 'Tide table', nested: { list: [1, null, true] } };
  const create = async (by = owner, body: object = { title: 'Tide table', content }): Promise<string> =>
    (await by.caller.post('/drafts', body).expect(201)).body.id;
  const readPool = () => harness.running.infrastructure.pool;

  it('are kept as they were sent, listed, changed and deleted', async () => {
    const { body: kept, headers } = await owner.caller.post('/drafts', { title: 'Tide', content }).expect(201);
    expect(kept).toEqual({
      id: expect.stringMatching(/^drf_[0-9a-f]{32}$/),
      owner_id: owner.id,
      endpoint_id: null,
      title: 'Tide',
      revision: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: kept.created_at,
      updated_by: `owner:${owner.id}`,
    });
    expect(headers.etag).toBe('"1"');
    const { body: shown } = await owner.caller.get(`/drafts/${kept.id}`).expect(200);
    expect(shown).toEqual({ ...kept, content });
    const changed = await owner.caller
      .put(`/drafts/${kept.id}`, { endpoint_id: 'ep_1', content: {} })
      .set('if-match', '"1"')
      .expect(200);
    expect(changed.body).toMatchObject({ revision: 2, title: null, endpoint_id: 'ep_1' });
    expect(changed.headers.etag).toBe('"2"');
    const { body: list } = await owner.caller.get('/drafts').expect(200);
    expect(list).toEqual({ items: [changed.body], next: null });
    await owner.caller.delete(`/drafts/${kept.id}`).expect(204);
    await owner.caller.get(`/drafts/${kept.id}`).expect(404);
  });

  it('are not overwritten by a second person', async () => {
    const id = await create();
    await owner.caller.put(`/drafts/${id}`, { content: { by: 'Ann' } }).expect(428);
    await owner.caller
      .put(`/drafts/${id}`, { content: { by: 'Ann' } })
      .set('if-match', '"1"')
      .expect(200);
    const late = await owner.caller
      .put(`/drafts/${id}`, { content: { by: 'Bob' } })
      .set('if-match', '"1"')
      .expect(412);
    expect(late.body).toMatchObject({ code: 'revision_mismatch', revision: 2 });
    await owner.caller.delete(`/drafts/${id}`).set('if-match', '"1"').expect(412);
    expect((await owner.caller.get(`/drafts/${id}`).expect(200)).body.content).toEqual({ by: 'Ann' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        owner.caller
          .put(`/drafts/${id}`, { content: { n } })
          .set('if-match', '"2"')
          .then(({ status }) => status),
      ),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    expect(answers.filter((status) => status === 412)).toHaveLength(7);
    await owner.caller.delete(`/drafts/${id}`).set('if-match', '"3"').expect(204);
  });

  it('are created once for a repeated request', async () => {
    const headers = { 'idempotency-key': 'draft-1' };
    const [first, second] = await Promise.all([
      owner.caller.post('/drafts', { content }, headers).expect(201),
      owner.caller.post('/drafts', { content }, headers).expect(201),
    ]);
    expect(second.body.id).toBe(first.body.id);
    await owner.caller.delete(`/drafts/${first.body.id}`).expect(204);
  });

  it('are visible to their owner and the operator alone', async () => {
    const id = await create();
    await other.caller.get(`/drafts/${id}`).expect(404);
    await other.caller.put(`/drafts/${id}`, { content }).set('if-match', '"1"').expect(404);
    await other.caller.delete(`/drafts/${id}`).expect(404);
    await other.caller.post('/drafts', { owner_id: owner.id, content }).expect(404);
    await other.caller.get(`/drafts?owner_id=${owner.id}`).expect(404);
    expect((await other.caller.get('/drafts').expect(200)).body.items).toEqual([]);
    const operator = operatorCaller(harness);
    expect((await operator.get(`/drafts?owner_id=${owner.id}`).expect(200)).body.items).toHaveLength(1);
    await operator.post('/drafts', { content }).expect(422);
    await owner.caller.delete(`/drafts/${id}`).expect(204);
  });

  it.each([
    [{}, 'content', 'missing'],
    [{ content: 'text' }, 'content', 'wrong_type'],
    [{ content: { text: 'x'.repeat(262_144) } }, 'content', 'too_large'],
    [{ content: {}, title: 'x'.repeat(121) }, 'title', 'too_long'],
    [{ content: {}, endpoint_id: '?' }, 'endpoint_id', 'bad_form'],
    [{ content: {}, text: 'x' }, 'text', 'unknown_field'],
  ])('refuse %#', async (body, path, code) => {
    const { body: refusal } = await owner.caller.post('/drafts', body).expect(422);
    expect(refusal.details).toEqual([expect.objectContaining({ path, code })]);
  });

  it('are a hundred at most, counted exactly', async () => {
    const third = await createOwner(harness);
    const { rowCount } = await readPool().query(
      `insert into ops_draft (draft_id, owner_id, content, updated_by)
       select 'drf_' || lpad(n::text, 32, '0'), $1, '{}', 'operator' from generate_series(1, 97) n`,
      [third.id],
    );
    expect(rowCount).toBe(97);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => third.caller.post('/drafts', { content }).then(({ status }) => status)),
    );
    expect(answers.filter((status) => status === 201)).toHaveLength(3);
    const { body } = await third.caller.post('/drafts', { content }).expect(409);
    expect(body.code).toBe('too_many_drafts');
    expect((await third.caller.get('/drafts?limit=60').expect(200)).body.next).not.toBeNull();
  });

  it('are deleted when they are published, also by a repeated request, and not when the post is refused', async () => {
    const setup = await PublishingSetup.create(harness, await createOwner(harness));
    const id = await create(setup.owner);
    const publish = (body: object, key: string) =>
      setup.owner.caller.post(`/endpoints/${setup.endpoint.id}/posts?draft_id=${id}`, body, { 'idempotency-key': key });
    await publish({ text: '' }, 'a').expect(422);
    await setup.owner.caller.get(`/drafts/${id}`).expect(200);
    await publish({ text: 'Tide table' }, 'b').expect(200);
    await setup.owner.caller.get(`/drafts/${id}`).expect(404);
    await publish({ text: 'Tide table' }, 'b').expect(202);
  });

  it('of other endpoints are not deleted by a key that is limited to one', async () => {
    const setup = await PublishingSetup.create(harness, await createOwner(harness));
    const { caller } = setup.owner;
    const { body } = await caller
      .post('/keys', { name: 'Anna', scopes: ['post'], endpoint_ids: [setup.endpoint.id] })
      .expect(201);
    const limited = new Caller(harness, body.key);
    const publish = (draft: string) =>
      limited.post(`/endpoints/${setup.endpoint.id}/posts?draft_id=${draft}`, { text: 'Tide table' }).expect(200);
    const others = await create(setup.owner, { endpoint_id: 'ep_other', content });
    const own = await create(setup.owner, { endpoint_id: setup.endpoint.id, content });
    await publish(others);
    await publish(own);
    await caller.get(`/drafts/${others}`).expect(200);
    await caller.get(`/drafts/${own}`).expect(404);
  });

  it('are kept by a key that is limited to endpoints for these alone', async () => {
    const limitedOwner = await createOwner(harness);
    const [mine, others] = [await createEndpoint(limitedOwner, []), await createEndpoint(limitedOwner, [])];
    const fields = { name: 'Anna', scopes: ['post'], endpoint_ids: [mine.id] };
    const { body: key } = await limitedOwner.caller.post('/keys', fields).expect(201);
    const limited = new Caller(harness, key.key);
    const hidden = [await create(limitedOwner), await create(limitedOwner, { endpoint_id: others.id, content })];
    const shared = await create(limitedOwner, { endpoint_id: mine.id, content });
    const { body: own } = await limited.post('/drafts', { endpoint_id: mine.id, content }).expect(201);
    expect(own.updated_by).toBe(`key:${key.id}`);

    const idsOf = async (by: Caller) =>
      (await by.get('/drafts').expect(200)).body.items.map(({ id }: { id: string }) => id).toSorted();
    expect(await idsOf(limited)).toEqual([shared, own.id].toSorted());
    expect(await idsOf(limitedOwner.caller)).toEqual([...hidden, shared, own.id].toSorted());
    for (const id of hidden) {
      await limited.get(`/drafts/${id}`).expect(404);
      await limited.put(`/drafts/${id}`, { endpoint_id: mine.id, content }).set('if-match', '"1"').expect(404);
      await limited.delete(`/drafts/${id}`).expect(404);
    }
    for (const [endpoint, code] of [
      [{}, 'missing'],
      [{ endpoint_id: others.id }, 'unknown_id'],
    ] as const) {
      const created = await limited.post('/drafts', { ...endpoint, content }).expect(422);
      const replaced = await limited
        .put(`/drafts/${shared}`, { ...endpoint, content })
        .set('if-match', '"1"')
        .expect(422);
      for (const { body } of [created, replaced])
        expect(body.details).toEqual([expect.objectContaining({ path: 'endpoint_id', code })]);
    }
    await limited.put(`/drafts/${shared}`, { endpoint_id: mine.id, content }).set('if-match', '"1"').expect(200);
    await limited.delete(`/drafts/${shared}`).expect(204);
    const reader = await limitedOwner.caller.post('/keys', { ...fields, scopes: ['read'] }).expect(201);
    const reading = new Caller(harness, reader.body.key);
    await reading.get(`/drafts/${own.id}`).expect(200);
    await reading.delete(`/drafts/${own.id}`).expect(403);
  });

  it('leave nothing in the log, and are erased with their owner', async () => {
    const gone = await createOwner(harness);
    const secret = 'Only for our eyes';
    await create(gone, { title: secret, content: { text: secret } });
    const { rows } = await readPool().query<{ found: string }>(
      `select table_schema || '.' || table_name as found from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const holding: string[] = [];
    for (const { found } of rows) {
      const { rowCount } = await readPool().query(`select from ${found} t where t::text like '%${secret}%' limit 1`);
      if (rowCount === 1) holding.push(found);
    }
    expect(holding).toEqual(['public.ops_draft']);
    await operatorCaller(harness).delete(`/owners/${gone.id}`).expect(204);
    await until('the draft is erased', async () => {
      const { rowCount } = await readPool().query('select from ops_draft where owner_id = $1', [gone.id]);
      return rowCount === 0;
    });
  });
});
