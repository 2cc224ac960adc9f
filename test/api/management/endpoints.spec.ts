import { createHmac } from 'node:crypto';
import request from 'supertest';
import { complaints } from './details.js';
import {
  type Caller,
  newChannel,
  newEndpoint,
  newOwner,
  newProject,
  operatorOf,
  type Owner,
  type Stage,
  startStage,
} from './stage.js';

const TOKEN = /^service_live_[\w-]{43}$/;

describe('endpoints', () => {
  let stage: Stage;
  let operator: Caller;
  let owner: Owner;
  let other: Owner;
  let project: string;
  beforeAll(async () => {
    stage = await startStage();
    operator = operatorOf(stage);
    [owner, other] = [await newOwner(stage), await newOwner(stage)];
    project = await newProject(owner, [(await newChannel(owner)).id]);
  });
  afterAll(() => stage.stop());

  const create = (draft: object, { caller }: Owner = owner) =>
    caller.post('/endpoints', { project_ids: [], mode: 'live', ...draft });
  const send = (slug: string, token: string) =>
    request(stage.url).post(`/v1/webhooks/${slug}`).set('authorization', `Bearer ${token}`).send({ text: 'Hello' });

  it('are created with what they need; token and signing secret are shown once', async () => {
    const { body } = await create({ name: 'Blog', project_ids: [project] }).expect(201);
    const { token, signing_secret, ...shown } = body;
    expect(shown).toEqual({
      id: expect.stringMatching(/^ep_[0-9a-f]{32}$/),
      ...{ owner_id: owner.id, name: 'Blog', mode: 'live', project_ids: [project], min_interval: 10 },
      slug: expect.stringMatching(/^[\w-]{16,}$/),
      url: `${stage.url}/v1/webhooks/${body.slug}`,
      ...{ require_signature: false, require_timestamp: false, ip_allowlist: [], verbose_discovery: false },
      ...{ is_active: true, disabled_by: null, slug_rotated_at: null, previous_secret_until: null },
      created_at: expect.any(String),
    });
    expect(token).toMatch(TOKEN);
    expect(signing_secret).toMatch(/^[\w-]{43}$/);
    const { body: read, text } = await owner.caller.get(`/endpoints/${body.id}`).expect(200);
    expect(read).toEqual(shown);
    expect(text).not.toContain(token);
    await send(body.slug, token).expect(200);
  });

  it('take every setting', async () => {
    const settings = {
      ...{
        name: 'Signed',
        min_interval: 60,
        require_signature: true,
        require_timestamp: true,
        verbose_discovery: true,
      },
      ip_allowlist: ['203.0.113.0/24', '2001:db8::1'],
    };
    expect((await create(settings).expect(201)).body).toMatchObject(settings);
  });

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('write the allowed address %s as %s', async (sent, kept) => {
    expect((await create({ ip_allowlist: [sent, sent] }).expect(201)).body.ip_allowlist).toEqual([kept]);
  });

  it.each([
    '10',
    '0x7f.1',
    'example.com',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::ffff:10.0.0.0/64',
    'fe80::1%eth0',
    '',
    7,
  ])('refuse %j as an allowed address', async (entry) => {
    const { body } = await create({ ip_allowlist: ['10.0.0.1', entry] }).expect(422);
    expect(complaints(body)).toEqual(['ip_allowlist[1]: bad_address']);
  });

  it('refuse a network with bits beyond its prefix, and say what may be meant', async () => {
    const { body } = await create({ ip_allowlist: ['10.0.0.1/8'] }).expect(422);
    expect(body.errors).toEqual([
      'ip_allowlist[0] must be 10.0.0.0/8 for the whole network, or 10.0.0.1 for this one address, not the string "10.0.0.1/8"',
    ]);
  });

  it.each([
    [{ mode: undefined, project_ids: undefined }, ['mode: missing', 'project_ids: missing']],
    [{ mode: 'prod' }, ['mode: unknown_value']],
    [{ min_interval: 0 }, ['min_interval: out_of_range']],
    [{ min_interval: 61 }, ['min_interval: out_of_range']],
    [{ min_interval: 1.5 }, ['min_interval: wrong_type']],
    [{ min_interval: '10' }, ['min_interval: wrong_type']],
    [
      { require_signature: 'yes', require_timestamp: 1 },
      ['require_signature: wrong_type', 'require_timestamp: wrong_type'],
    ],
    [{ ip_allowlist: '10.0.0.1' }, ['ip_allowlist: wrong_type']],
    [{ project_ids: ['tgt_1'] }, ['project_ids[0]: wrong_type']],
    [{ minInterval: 10 }, ['minInterval: unknown_field']],
  ])('are not created with %j', async (draft, expected) => {
    expect(complaints((await create(draft).expect(422)).body).sort()).toEqual([...expected].sort());
  });

  it('are bound to projects of their owner alone', async () => {
    const foreign = await newProject(other, []);
    expect(complaints((await create({ project_ids: [project, foreign] }).expect(422)).body)).toEqual([
      'project_ids[1]: unknown_id',
    ]);
    const { id } = (await create({}).expect(201)).body;
    const changed = await owner.caller.patch(`/endpoints/${id}`, { project_ids: [foreign] }).expect(422);
    expect(complaints(changed.body)).toEqual(['project_ids[0]: unknown_id']);
  });

  it('change what is sent and keep the rest; null takes name and allowlist away', async () => {
    const first = { name: 'A', ip_allowlist: ['10.0.0.1'], project_ids: [project] };
    const { id } = (await create(first).expect(201)).body;
    const change = (body: object) => owner.caller.patch(`/endpoints/${id}`, body);
    const changes = { min_interval: 5, require_timestamp: true, verbose_discovery: true };
    expect((await change(changes).expect(200)).body).toMatchObject({ ...first, ...changes });
    expect((await change({ name: null, ip_allowlist: null }).expect(200)).body).toMatchObject({
      name: null,
      ip_allowlist: [],
    });
    expect((await change({ ip_allowlist: ['10.0.0.1'] }).expect(200)).body.ip_allowlist).toEqual(['10.0.0.1']);
    expect((await change({ ip_allowlist: [] }).expect(200)).body.ip_allowlist).toEqual([]);
    expect((await change({ project_ids: [] }).expect(200)).body).toMatchObject({ ...changes, project_ids: [] });
    expect(complaints((await change({ mode: 'test' }).expect(422)).body)).toEqual(['mode: unknown_field']);
    expect(complaints((await change({ min_interval: 100 }).expect(422)).body)).toEqual(['min_interval: out_of_range']);
  });

  it('are not there for others', async () => {
    const { id } = await newEndpoint(owner, []);
    await other.caller.get(`/endpoints/${id}`).expect(404);
    await other.caller.get(`/endpoints/${id}/requests`).expect(404);
    await other.caller.patch(`/endpoints/${id}`, { name: 'Mine' }).expect(404);
    for (const act of ['enable', 'disable', 'rotate-token', 'rotate-slug', 'rotate-secret'])
      await other.caller.post(`/endpoints/${id}/${act}`).expect(404);
  });

  describe('and the plan', () => {
    it.each(['free', 'mini', 'standard'])('%s: test endpoints alone, live ones are 402', async (plan) => {
      const small = await newOwner(stage, plan);
      const { body } = await create({}, small).expect(402);
      expect(body).toMatchObject({ ok: false, code: 'plan_not_allowed', plan });
      const test = await create({ mode: 'test' }, small).expect(201);
      expect(test.body.token).toMatch(/^service_test_/);
    });

    it('that is gone: the endpoint is not enabled again until there is another', async () => {
      const shrinking = await newOwner(stage, 'pro');
      const { id } = (await create({}, shrinking).expect(201)).body;
      await shrinking.caller.post(`/endpoints/${id}/disable`).expect(200);
      await operator.patch(`/owners/${shrinking.id}`, { plan: 'standard' }).expect(200);
      expect((await shrinking.caller.post(`/endpoints/${id}/enable`).expect(402)).body.code).toBe('plan_not_allowed');
      expect((await shrinking.caller.get(`/endpoints/${id}`)).body.is_active).toBe(false);
      await operator.patch(`/owners/${shrinking.id}`, { plan: 'maxi' }).expect(200);
      expect((await shrinking.caller.post(`/endpoints/${id}/enable`).expect(200)).body.is_active).toBe(true);
    });
  });

  it('are switched off and on', async () => {
    const { id, slug, token } = await newEndpoint(owner, [project]);
    const off = await owner.caller.post(`/endpoints/${id}/disable`).expect(200);
    expect(off.body).toMatchObject({ is_active: false, disabled_by: 'owner' });
    expect(off.headers['x-position']).toMatch(/^\d+$/);
    await send(slug, token).expect(403);
    expect((await owner.caller.post(`/endpoints/${id}/disable`).expect(200)).body).toEqual(off.body);
    const on = await owner.caller.post(`/endpoints/${id}/enable`).expect(200);
    expect(on.body).toMatchObject({ is_active: true, disabled_by: null });
    await send(slug, token).expect(200);
    expect(complaints((await owner.caller.post(`/endpoints/${id}/enable`, { now: true }).expect(422)).body)).toEqual([
      'now: unknown_field',
    ]);
  });

  describe('rotate', () => {
    it('the token: the old one is dead at once', async () => {
      const { id, slug, token } = await newEndpoint(owner, [project]);
      const { body } = await owner.caller.post(`/endpoints/${id}/rotate-token`).expect(200);
      expect(body).toMatchObject({ id, slug, token: expect.stringMatching(TOKEN) });
      await send(slug, token).expect(401);
      await send(slug, body.token).expect(200);
    });

    it('the slug: the old one is dead at once, and it may not be again within 24 hours', async () => {
      const { id, slug, token } = await newEndpoint(owner, [project]);
      const { body } = await owner.caller.post(`/endpoints/${id}/rotate-slug`).expect(200);
      expect(body.slug).not.toBe(slug);
      expect(body.url).toBe(`${stage.url}/v1/webhooks/${body.slug}`);
      await send(slug, token).expect(401);
      await send(body.slug, token).expect(200);
      const again = await owner.caller.post(`/endpoints/${id}/rotate-slug`).expect(409);
      expect(again.body).toMatchObject({ ok: false, code: 'cooldown' });
      expect(Date.parse(again.body.retry_at) - Date.parse(body.slug_rotated_at)).toBe(24 * 3_600_000);
      expect((await owner.caller.get(`/endpoints/${id}`)).body.slug).toBe(body.slug);
    });

    it('the signing secret: both are valid for as long as is asked for (D-40)', async () => {
      const { body: first } = await create({ require_signature: true, min_interval: 1 }).expect(201);
      const { id, slug, token } = first;
      const signed = (secret: string) => {
        const text = JSON.stringify({ text: 'Hello' });
        const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
        return request(stage.url)
          .post(`/v1/webhooks/${slug}`)
          .set({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
          .set('x-service-client-signature', signature)
          .send(text);
      };
      // Past authentication: posts in quick succession may be too many (429), which comes after it (D-7).
      const isLetIn = ({ status }: { status: number }): void => expect([200, 429]).toContain(status);
      const overlap = await owner.caller.post(`/endpoints/${id}/rotate-secret`, { overlap_minutes: 60 }).expect(200);
      expect(Date.parse(overlap.body.previous_secret_until)).toBeGreaterThan(Date.now() + 59 * 60_000);
      await signed(first.signing_secret).expect(isLetIn);
      await signed(overlap.body.signing_secret).expect(isLetIn);
      const { body: last } = await owner.caller.post(`/endpoints/${id}/rotate-secret`).expect(200);
      expect(last.previous_secret_until).toBeNull();
      await signed(overlap.body.signing_secret).expect(401);
      await signed(last.signing_secret).expect(isLetIn);
      const tooLong = await owner.caller.post(`/endpoints/${id}/rotate-secret`, { overlap_minutes: -1 }).expect(422);
      expect(complaints(tooLong.body)).toEqual(['overlap_minutes: out_of_range']);
    });
  });

  it('keep a log of their requests, the newest first (D-33)', async () => {
    const { id, slug, token } = await newEndpoint(owner, [project]);
    const { body: post } = await send(slug, token).set('user-agent', 'blog/1.0').expect(200);
    const lines = async (query = '') =>
      (await owner.caller.get(`/endpoints/${id}/requests${query}`).expect(200)).body.items;
    expect(await lines()).toEqual([
      {
        id: expect.stringMatching(/^req_/),
        at: expect.stringMatching(/Z$/),
        ...{ ip: '127.0.0.1', user_agent: 'blog/1.0', route: 'POST /v1/webhooks/{slug}' },
        ...{ decision: 'accepted', reason: null, http_status: 200, latency_ms: expect.any(Number) },
        ...{ payload_bytes: 16, trace_id: null, post_id: post.id, why: null },
      },
    ]);
    expect(await lines('?status=200&decision=accepted')).toHaveLength(1);
    expect(await lines('?status=401')).toEqual([]);
    expect(await lines('?decision=rejected_auth')).toEqual([]);
    expect(await lines('?before=2026-01-01T00:00:00Z')).toEqual([]);
    expect(await lines(`?before=${new Date(Date.now() + 60_000).toISOString()}`)).toHaveLength(1);
    for (const bad of [
      '?status=ok',
      '?decision=maybe',
      '?before=yesterday',
      '?before=2026-02-30T00:00:00Z',
      '?state=200',
      '?limit=0',
    ])
      await owner.caller.get(`/endpoints/${id}/requests${bad}`).expect(422);
  });
});
