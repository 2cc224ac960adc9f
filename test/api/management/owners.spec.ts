import { readFile } from 'node:fs/promises';
import {
  Caller,
  createOwner,
  type ManagementHarness,
  OPERATOR_KEY,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';

describe('owners', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  beforeAll(async () => {
    harness = await startHarness();
    operator = operatorCaller(harness);
  });
  afterAll(() => harness.stop());

  describe('an API key', () => {
    it.each([
      ['none', undefined],
      ['a wrong one', 'Bearer unknown'],
      ['another scheme', `Basic ${OPERATOR_KEY}`],
      ['an empty one', 'Bearer '],
    ])('is required: %s is 401', async (_, authorization) => {
      const call = operator.get('/owners');
      const { body, headers } = await (
        authorization === undefined ? call.unset('authorization') : call.set({ authorization })
      ).expect(401);
      expect(body).toMatchObject({ ok: false, code: 'unauthorized', request_id: headers['x-request-id'] });
      expect(headers['www-authenticate']).toBe('Bearer');
    });

    it('is checked before the body is read', async () => {
      await new Caller(harness, 'unknown').post('/owners').set('content-type', 'text/plain').send('{').expect(401);
    });

    it('of an owner shows only its own resources; those of others are not found', async () => {
      const [one, other] = [await createOwner(harness), await createOwner(harness)];
      await one.caller.get(`/owners/${one.id}`).expect(200);
      expect((await one.caller.get(`/owners/${other.id}`).expect(404)).body.code).toBe('not_found');
      await one.caller.patch(`/owners/${other.id}`, { name: 'Mine' }).expect(404);
      await one.caller.post(`/owners/${other.id}/rotate-key`).expect(404);
      await one.caller.post(`/owners/${other.id}/post-packs`, { posts: 1 }).expect(404);
      const { body } = await one.caller.get('/owners').expect(200);
      expect(body.items.map(({ id }: TestOwner) => id)).toEqual([one.id]);
    });

    it('that was rotated stops working at once, and the new one works', async () => {
      const { id, caller } = await createOwner(harness);
      const { body } = await caller.post(`/owners/${id}/rotate-key`).expect(200);
      expect(body).toMatchObject({ id, key: expect.stringMatching(/^service_owner_[\w-]{43}$/) });
      await caller.get(`/owners/${id}`).expect(401);
      await new Caller(harness, body.key).get(`/owners/${id}`).expect(200);
    });
  });

  it('show the figures of their plan as they hold, and the plans show those of all', async () => {
    const { id, caller } = await createOwner(harness, 'pro');
    const { body: profile } = await caller.get('/plans').expect(200);
    const { A } = JSON.parse(await readFile('src/config/limits-profiles.json', 'utf8')) as { A: object };
    expect(profile).toEqual(A); // in force in these tests
    const { plans, ...ofAll } = profile;
    expect((await caller.get(`/owners/${id}`).expect(200)).body.limits).toEqual({ ...plans.pro, ...ofAll });
    expect(plans.pro).toMatchObject({ hourly: 100, monthly_posts: 2_000, webhook_input: true });
    await operator.patch(`/owners/${id}`, { plan: 'free' }).expect(200);
    expect((await caller.get(`/owners/${id}`).expect(200)).body.limits).toMatchObject({ webhook_input: false });
    await new Caller(harness, 'unknown').get('/plans').expect(401);
  });

  it('are registered with a plan; the key is shown once', async () => {
    const { body, headers } = await operator.post('/owners', { name: 'Acme', plan: 'free' }).expect(201);
    const { key, ...shown } = body;
    expect(shown).toEqual({
      id: expect.stringMatching(/^own_[0-9a-f]{32}$/),
      limits: expect.objectContaining({ webhook_input: false, monthly_posts: 30 }),
      name: 'Acme',
      plan: 'free',
      locale: 'en',
      notice_chat: null,
      posts_used: 0,
      posts_left: 30,
      resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
    expect(key).toMatch(/^service_owner_/);
    expect(headers['x-position']).toMatch(/^\d+$/);
    // Readers see their own writes at once, without the key.
    const details = { ...shown, media_bytes: { used: 0, allowed: 104_857_600 } };
    expect((await operator.get(`/owners/${body.id}`).expect(200)).body).toEqual(details);
  });

  it('are registered only by the operator', async () => {
    const { caller } = await createOwner(harness);
    expect((await caller.post('/owners', { name: 'Sub', plan: 'free' }).expect(403)).body.code).toBe('forbidden');
  });

  it('are not registered with an invalid body; all its problems are reported at once', async () => {
    const { body } = await operator.post('/owners', { name: ' ', plan: 'gold', plann: 'pro' }).expect(422);
    expect(body.code).toBe('invalid');
    expect(body.details.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['plann', 'unknown_field'],
      ['name', 'empty'],
      ['plan', 'unknown_value'],
    ]);
    expect(body.errors).toHaveLength(3);
    expect(body.errors[0]).toBe('plann is not a field here; the fields are name, plan, locale');
  });

  it.each([
    ['no JSON', 'application/json', '{"name":', 400],
    ['not an object', 'application/json', '[]', 422],
    ['a null character', 'application/json', '{"name":"a\\u0000"}', 400],
    ['too long', 'application/json', JSON.stringify({ name: 'x'.repeat(600_000) }), 400],
    ['text', 'text/plain', 'name=Acme', 415],
    ['another charset', 'application/json; charset=latin1', '{}', 415],
    ['a name of 201 characters', 'application/json', JSON.stringify({ name: 'x'.repeat(201), plan: 'pro' }), 422],
    ['a name of two lines', 'application/json', JSON.stringify({ name: 'a\nb', plan: 'pro' }), 422],
  ])('reject a body: %s', async (_, type, text, status) => {
    const { body } = await operator.post('/owners').set('content-type', type).send(text).expect(status);
    expect(body).toMatchObject({ ok: false, errors: [expect.any(String), ...body.errors.slice(1)] });
  });

  it('change name and plan; only the operator changes a plan', async () => {
    const { id, caller } = await createOwner(harness, 'pro');
    expect((await caller.patch(`/owners/${id}`, { name: 'Acme & Co' }).expect(200)).body.name).toBe('Acme & Co');
    expect((await caller.patch(`/owners/${id}`, { plan: 'business' }).expect(403)).body.code).toBe('forbidden');
    const { body } = await operator.patch(`/owners/${id}`, { plan: 'business' }).expect(200);
    expect(body).toMatchObject({ name: 'Acme & Co', plan: 'business', posts_left: null });
    const details = { ...body, media_bytes: { used: 0, allowed: 536_870_912_000 } };
    expect((await caller.get(`/owners/${id}`)).body).toEqual(details);
  });

  it('record every change in an event, with its actor and request (D-32)', async () => {
    const { id, caller } = await createOwner(harness);
    const readLastEvent = () => harness.running.infrastructure.aggregates.readLastEvent(`owner-${id}`);
    const { headers } = await caller.patch(`/owners/${id}`, { name: 'By its owner' }).expect(200);
    expect(await readLastEvent()).toMatchObject({
      type: 'OwnerRenamed',
      actor: `owner:${id}`,
      requestId: headers['x-request-id'],
      causationId: headers['x-request-id'],
      correlationId: headers['x-request-id'],
      position: BigInt(headers['x-position']!),
    });
    await operator.patch(`/owners/${id}`, { plan: 'free' }).expect(200);
    expect(await readLastEvent()).toMatchObject({ type: 'OwnerPlanChanged', actor: 'operator' });
  });

  it('have a chat for notices, whose token is never shown', async () => {
    const { id, caller } = await createOwner(harness);
    const notice_chat = { bot_token: '1:secret-of-the-bot', chat_id: -100123 };
    const { body, text } = await caller.patch(`/owners/${id}`, { notice_chat }).expect(200);
    expect(body.notice_chat).toEqual({ chat_id: '-100123' });
    expect(text).not.toContain('secret-of-the-bot');
    const [event] = await harness.running.infrastructure.store.readStream(`owner-${id}`, {
      direction: 'backwards',
      limit: 1,
    });
    expect(event).toMatchObject({ type: 'OwnerNoticeChatSet', data: expect.not.stringContaining('secret-of-the-bot') });
    const wrong = { notice_chat: { bot_tokn: 'x', chat_id: 1e20 } };
    const { details } = (await caller.patch(`/owners/${id}`, wrong).expect(422)).body;
    expect(details.map(({ path }: { path: string }) => path)).toEqual([
      'notice_chat.bot_tokn',
      'notice_chat.bot_token',
      'notice_chat.chat_id',
    ]);
  });

  it('remove the chat for notices with null, once, and keep it if it is not sent', async () => {
    const { id, caller } = await createOwner(harness);
    const notice_chat = { bot_token: '1:secret-of-the-bot', chat_id: -100123 };
    await caller.patch(`/owners/${id}`, { notice_chat }).expect(200);
    expect((await caller.patch(`/owners/${id}`, { name: 'B' }).expect(200)).body.notice_chat).not.toBeNull();
    for (let i = 0; i < 2; i++)
      expect((await caller.patch(`/owners/${id}`, { notice_chat: null }).expect(200)).body.notice_chat).toBeNull();
    const events = await harness.running.infrastructure.store.readStream(`owner-${id}`);
    expect(events.map(({ type }) => type)).toEqual([
      ...['OwnerRegistered', 'OwnerNoticeChatSet', 'OwnerRenamed', 'OwnerNoticeChatRemoved'],
    ]);
    expect((await caller.get(`/owners/${id}`)).body).toMatchObject({ name: 'B', notice_chat: null });
  });

  it('receive post packs from the operator', async () => {
    const { id, caller } = await createOwner(harness, 'free');
    expect((await caller.post(`/owners/${id}/post-packs`, { posts: 5 }).expect(403)).body.code).toBe('forbidden');
    expect((await operator.post(`/owners/${id}/post-packs`, { posts: 5 }).expect(200)).body.posts_left).toBe(35);
    await operator.post(`/owners/${id}/post-packs`, { posts: 0 }).expect(422);
    await operator.post(`/owners/${id}/post-packs`, { posts: 1.5 }).expect(422);
    expect((await caller.get(`/owners/${id}`)).body.posts_left).toBe(35);
  });

  it('lose no change, however many are made at once', async () => {
    const { id } = await createOwner(harness, 'free');
    const packs = Array.from({ length: 200 }, () => operator.post(`/owners/${id}/post-packs`, { posts: 1 }));
    const answers = await Promise.all(packs);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await operator.get(`/owners/${id}`)).body.posts_left).toBe(230);
  });

  it('are not found under an unknown id', async () => {
    for (const id of ['own_0', 'nonsense', '%00', 'x'.repeat(90)]) await operator.get(`/owners/${id}`).expect(404);
  });
});
