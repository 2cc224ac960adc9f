import { createHmac } from 'node:crypto';
import request from 'supertest';
import { until } from '../../e2e/until.js';
import {
  type Caller,
  createChannel,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { listProblems } from './problem-details.js';

const TOKEN = /^service_live_[\w-]{43}$/;

describe('endpoints', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let owner: TestOwner;
  let other: TestOwner;
  let project: string;
  beforeAll(async () => {
    harness = await startHarness();
    operator = operatorCaller(harness);
    [owner, other] = [await createOwner(harness), await createOwner(harness)];
    project = await createProject(owner, [(await createChannel(owner)).id]);
  });
  afterAll(() => harness.stop());

  const create = (settings: object, { caller }: TestOwner = owner) =>
    caller.post('/endpoints', { project_ids: [], mode: 'live', ...settings });
  const send = (slug: string, token: string) =>
    request(harness.url).post(`/v1/webhooks/${slug}`).set('authorization', `Bearer ${token}`).send({ text: 'Hello' });

  it('are created with defaults; token and signing secret are shown once', async () => {
    const { body } = await create({ name: 'Blog', project_ids: [project] }).expect(201);
    const { token, signing_secret, ...shown } = body;
    expect(shown).toEqual({
      id: expect.stringMatching(/^ep_[0-9a-f]{32}$/),
      owner_id: owner.id,
      name: 'Blog',
      mode: 'live',
      project_ids: [project],
      min_interval: 10,
      slug: expect.stringMatching(/^[\w-]{16,}$/),
      url: `${harness.url}/v1/webhooks/${body.slug}`,
      require_signature: false,
      require_timestamp: false,
      ip_allowlist: [],
      verbose_discovery: false,
      requires_approval: false,
      allow_changes: true,
      is_console: false,
      is_active: true,
      disabled_by: null,
      slug_rotated_at: null,
      previous_secret_until: null,
      created_at: expect.any(String),
    });
    expect(token).toMatch(TOKEN);
    expect(signing_secret).toMatch(/^[\w-]{43}$/);
    const { body: read, text } = await owner.caller.get(`/endpoints/${body.id}`).expect(200);
    expect(read).toEqual(shown);
    expect(text).not.toContain(token);
    await send(body.slug, token).expect(200);
  });

  it('that are for tests show the sandbox as their URL, which takes their token (D-12)', async () => {
    const { body } = await create({ mode: 'test' }).expect(201);
    expect(body.url).toBe(`${harness.url}/v1/sandbox/test`);
    expect((await owner.caller.get(`/endpoints/${body.id}`).expect(200)).body.url).toBe(body.url);
    await request(body.url).post('').set('authorization', `Bearer ${body.token}`).send({ text: 'Hello' }).expect(200);
    await send(body.slug, body.token).expect(401);
  });

  it('accept every setting', async () => {
    const settings = {
      name: 'Signed',
      min_interval: 60,
      require_signature: true,
      require_timestamp: true,
      verbose_discovery: true,
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
  ])('store the allowed address %s as %s', async (sent, stored) => {
    expect((await create({ ip_allowlist: [sent, sent] }).expect(201)).body.ip_allowlist).toEqual([stored]);
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
  ])('reject %j as an allowed address', async (entry) => {
    const { body } = await create({ ip_allowlist: ['10.0.0.1', entry] }).expect(422);
    expect(listProblems(body)).toEqual(['ip_allowlist[1]: bad_address']);
  });

  it('reject a network with bits beyond its prefix, and suggest corrections', async () => {
    const { body } = await create({ ip_allowlist: ['10.0.0.1/8'] }).expect(422);
    expect(body.errors).toEqual([
      'ip_allowlist[0] must be 10.0.0.0/8 for the whole network or 10.0.0.1 for this one address, not the string "10.0.0.1/8"',
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
  ])('are not created with %j', async (settings, expected) => {
    expect(listProblems((await create(settings).expect(422)).body).sort()).toEqual([...expected].sort());
  });

  it('are bound only to projects of their owner', async () => {
    const foreign = await createProject(other, []);
    expect(listProblems((await create({ project_ids: [project, foreign] }).expect(422)).body)).toEqual([
      'project_ids[1]: unknown_id',
    ]);
    const { id } = (await create({}).expect(201)).body;
    const changed = await owner.caller.patch(`/endpoints/${id}`, { project_ids: [foreign] }).expect(422);
    expect(listProblems(changed.body)).toEqual(['project_ids[0]: unknown_id']);
  });

  it('change only the fields that are sent; null removes name and allowlist', async () => {
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
    expect(listProblems((await change({ mode: 'test' }).expect(422)).body)).toEqual(['mode: unknown_field']);
    expect(listProblems((await change({ min_interval: 100 }).expect(422)).body)).toEqual([
      'min_interval: out_of_range',
    ]);
  });

  it('are not found by other owners', async () => {
    const { id } = await createEndpoint(owner, []);
    await other.caller.get(`/endpoints/${id}`).expect(404);
    await other.caller.get(`/endpoints/${id}/requests`).expect(404);
    await other.caller.patch(`/endpoints/${id}`, { name: 'Mine' }).expect(404);
    for (const act of ['enable', 'disable', 'rotate-token', 'rotate-slug', 'rotate-secret'])
      await other.caller.post(`/endpoints/${id}/${act}`).expect(404);
  });

  describe('with a plan', () => {
    it.each(['free', 'mini', 'standard'])('of %s can be test endpoints only; live ones are 402', async (plan) => {
      const small = await createOwner(harness, plan);
      const { body } = await create({}, small).expect(402);
      expect(body).toMatchObject({ ok: false, code: 'plan_not_allowed', plan });
      const test = await create({ mode: 'test' }, small).expect(201);
      expect(test.body.token).toMatch(/^service_test_/);
    });

    it('that no longer has webhook input are not enabled until the owner has another plan', async () => {
      const downgraded = await createOwner(harness, 'pro');
      const { id } = (await create({}, downgraded).expect(201)).body;
      await downgraded.caller.post(`/endpoints/${id}/disable`).expect(200);
      await operator.patch(`/owners/${downgraded.id}`, { plan: 'standard' }).expect(200);
      expect((await downgraded.caller.post(`/endpoints/${id}/enable`).expect(402)).body.code).toBe('plan_not_allowed');
      expect((await downgraded.caller.get(`/endpoints/${id}`)).body.is_active).toBe(false);
      await operator.patch(`/owners/${downgraded.id}`, { plan: 'maxi' }).expect(200);
      expect((await downgraded.caller.post(`/endpoints/${id}/enable`).expect(200)).body.is_active).toBe(true);
    });
  });

  it('are disabled and enabled', async () => {
    const { id, slug, token } = await createEndpoint(owner, [project]);
    const off = await owner.caller.post(`/endpoints/${id}/disable`).expect(200);
    expect(off.body).toMatchObject({ is_active: false, disabled_by: 'owner' });
    expect(off.headers['x-position']).toMatch(/^\d+$/);
    await send(slug, token).expect(403);
    expect((await owner.caller.post(`/endpoints/${id}/disable`).expect(200)).body).toEqual(off.body);
    const on = await owner.caller.post(`/endpoints/${id}/enable`).expect(200);
    expect(on.body).toMatchObject({ is_active: true, disabled_by: null });
    await send(slug, token).expect(200);
    expect(listProblems((await owner.caller.post(`/endpoints/${id}/enable`, { now: true }).expect(422)).body)).toEqual([
      'now: unknown_field',
    ]);
  });

  describe('rotate', () => {
    it('the token: the old one stops working at once', async () => {
      const { id, slug, token } = await createEndpoint(owner, [project]);
      const { body } = await owner.caller.post(`/endpoints/${id}/rotate-token`).expect(200);
      expect(body).toMatchObject({ id, slug, token: expect.stringMatching(TOKEN) });
      await send(slug, token).expect(401);
      await send(slug, body.token).expect(200);
    });

    it('the slug: the old one stops working at once, and the next rotation waits 24 hours', async () => {
      const { id, slug, token } = await createEndpoint(owner, [project]);
      const { body } = await owner.caller.post(`/endpoints/${id}/rotate-slug`).expect(200);
      expect(body.slug).not.toBe(slug);
      expect(body.url).toBe(`${harness.url}/v1/webhooks/${body.slug}`);
      await send(slug, token).expect(401);
      await send(body.slug, token).expect(200);
      const again = await owner.caller.post(`/endpoints/${id}/rotate-slug`).expect(409);
      expect(again.body).toMatchObject({ ok: false, code: 'cooldown' });
      expect(Date.parse(again.body.retry_at) - Date.parse(body.slug_rotated_at)).toBe(24 * 3_600_000);
      expect((await owner.caller.get(`/endpoints/${id}`)).body.slug).toBe(body.slug);
    });

    it('the signing secret with an overlap in minutes of MINUTE_MS (management-api.md: Settings)', async () => {
      const short = await startHarness({ MINUTE_MS: '1000' });
      try {
        const { caller } = await createOwner(short);
        const { body: created } = await caller.post('/endpoints', { project_ids: [], mode: 'live' }).expect(201);
        const path = `/endpoints/${created.id}/rotate-secret`;
        const { body } = await caller.post(path, { overlap_minutes: 60 }).expect(200);
        const until = Date.parse(body.previous_secret_until);
        expect(until).toBeGreaterThan(Date.now() - 60_000);
        expect(until).toBeLessThan(Date.now() + 61_000);
      } finally {
        await short.stop();
      }
    });

    it('the signing secret: both are valid for the requested overlap (D-40)', async () => {
      const { body: first } = await create({ require_signature: true, min_interval: 1 }).expect(201);
      const { id, slug, token } = first;
      const signed = (secret: string) => {
        const text = JSON.stringify({ text: 'Hello' });
        const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
        return request(harness.url)
          .post(`/v1/webhooks/${slug}`)
          .set({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
          .set('x-service-client-signature', signature)
          .send(text);
      };
      // Authenticated: posts in quick succession may exceed the rate limit (429), which is checked later (D-7).
      const isAuthenticated = ({ status }: { status: number }): void => expect([200, 429]).toContain(status);
      const overlap = await owner.caller.post(`/endpoints/${id}/rotate-secret`, { overlap_minutes: 60 }).expect(200);
      expect(Date.parse(overlap.body.previous_secret_until)).toBeGreaterThan(Date.now() + 59 * 60_000);
      await signed(first.signing_secret).expect(isAuthenticated);
      await signed(overlap.body.signing_secret).expect(isAuthenticated);
      const { body: last } = await owner.caller.post(`/endpoints/${id}/rotate-secret`).expect(200);
      expect(last.previous_secret_until).toBeNull();
      await signed(overlap.body.signing_secret).expect(401);
      await signed(last.signing_secret).expect(isAuthenticated);
      const tooLong = await owner.caller.post(`/endpoints/${id}/rotate-secret`, { overlap_minutes: -1 }).expect(422);
      expect(listProblems(tooLong.body)).toEqual(['overlap_minutes: out_of_range']);
    });
  });

  it('keep a log of their requests, the newest first (D-33)', async () => {
    const { id, slug, token } = await createEndpoint(owner, [project]);
    const { body: post } = await send(slug, token).set('user-agent', 'blog/1.0').expect(200);
    const listRequests = async (query = '') =>
      (await owner.caller.get(`/endpoints/${id}/requests${query}`).expect(200)).body.items;
    const logged = await until('the post is in the log', async () => {
      const items = await listRequests();
      return items.length > 0 && items;
    });
    expect(logged).toEqual([
      {
        id: expect.stringMatching(/^req_/),
        at: expect.stringMatching(/Z$/),
        ip: '127.0.0.1',
        user_agent: 'blog/1.0',
        route: 'POST /v1/webhooks/{slug}',
        decision: 'accepted',
        reason: null,
        http_status: 200,
        latency_ms: expect.any(Number),
        payload_bytes: 16,
        trace_id: null,
        post_id: post.id,
        why: null,
      },
    ]);
    expect(await listRequests('?status=200&decision=accepted')).toHaveLength(1);
    expect(await listRequests('?status=401')).toEqual([]);
    expect(await listRequests('?decision=rejected_auth')).toEqual([]);
    expect(await listRequests('?before=2026-01-01T00:00:00Z')).toEqual([]);
    expect(await listRequests(`?before=${new Date(Date.now() + 60_000).toISOString()}`)).toHaveLength(1);
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
