import { Caller, newOwner, operatorOf, OPERATOR_KEY, type Owner, type Stage, startStage } from './stage.js';

describe('owners', () => {
  let stage: Stage;
  let operator: Caller;
  beforeAll(async () => {
    stage = await startStage();
    operator = operatorOf(stage);
  });
  afterAll(() => stage.stop());

  describe('a key', () => {
    it.each([
      ['none', undefined],
      ['a wrong one', 'Bearer nobody'],
      ['another scheme', `Basic ${OPERATOR_KEY}`],
      ['an empty one', 'Bearer '],
    ])('is asked for: %s is 401', async (_, authorization) => {
      const call = operator.get('/owners');
      const { body, headers } = await (
        authorization === undefined ? call.unset('authorization') : call.set({ authorization })
      ).expect(401);
      expect(body).toMatchObject({ ok: false, code: 'unauthorized', request_id: headers['x-request-id'] });
      expect(headers['www-authenticate']).toBe('Bearer');
    });

    it('is asked for before the body is looked at', async () => {
      await new Caller(stage, 'nobody').post('/owners').set('content-type', 'text/plain').send('{').expect(401);
    });

    it('of an owner shows its own things alone; those of others are not there', async () => {
      const [one, other] = [await newOwner(stage), await newOwner(stage)];
      await one.caller.get(`/owners/${one.id}`).expect(200);
      expect((await one.caller.get(`/owners/${other.id}`).expect(404)).body.code).toBe('not_found');
      await one.caller.patch(`/owners/${other.id}`, { name: 'Mine' }).expect(404);
      await one.caller.post(`/owners/${other.id}/rotate-key`).expect(404);
      await one.caller.post(`/owners/${other.id}/post-packs`, { posts: 1 }).expect(404);
      const { body } = await one.caller.get('/owners').expect(200);
      expect(body.items.map(({ id }: Owner) => id)).toEqual([one.id]);
    });

    it('that was rotated is dead at once, and the new one works', async () => {
      const { id, caller } = await newOwner(stage);
      const { body } = await caller.post(`/owners/${id}/rotate-key`).expect(200);
      expect(body).toMatchObject({ id, key: expect.stringMatching(/^service_owner_[\w-]{43}$/) });
      await caller.get(`/owners/${id}`).expect(401);
      await new Caller(stage, body.key).get(`/owners/${id}`).expect(200);
    });
  });

  it('are registered with a plan; the key is shown once', async () => {
    const { body, headers } = await operator.post('/owners', { name: 'Acme', plan: 'free' }).expect(201);
    const { key, ...shown } = body;
    expect(shown).toEqual({
      id: expect.stringMatching(/^own_[0-9a-f]{32}$/),
      ...{ name: 'Acme', plan: 'free', notice_chat: null },
      ...{ posts_used: 0, posts_left: 30 },
      resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
    expect(key).toMatch(/^service_owner_/);
    expect(headers['x-position']).toMatch(/^\d+$/);
    // Read your writes: at once, and without the key.
    expect((await operator.get(`/owners/${body.id}`).expect(200)).body).toEqual(shown);
  });

  it('are registered by the operator alone', async () => {
    const { caller } = await newOwner(stage);
    expect((await caller.post('/owners', { name: 'Sub', plan: 'free' }).expect(403)).body.code).toBe('forbidden');
  });

  it('are not registered with a body that is wrong: everything that is, at once', async () => {
    const { body } = await operator.post('/owners', { name: ' ', plan: 'gold', plann: 'pro' }).expect(422);
    expect(body.code).toBe('invalid');
    expect(body.details.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['plann', 'unknown_field'],
      ['name', 'empty'],
      ['plan', 'unknown_value'],
    ]);
    expect(body.errors).toHaveLength(3);
    expect(body.errors[0]).toBe('plann is no field: the fields here are name, plan');
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
  ])('refuse a body that is %s', async (_, type, text, status) => {
    const { body } = await operator.post('/owners').set('content-type', type).send(text).expect(status);
    expect(body).toMatchObject({ ok: false, errors: [expect.any(String), ...body.errors.slice(1)] });
  });

  it('change name and plan; a change of plan is the operator’s', async () => {
    const { id, caller } = await newOwner(stage, 'pro');
    expect((await caller.patch(`/owners/${id}`, { name: 'Acme & Co' }).expect(200)).body.name).toBe('Acme & Co');
    expect((await caller.patch(`/owners/${id}`, { plan: 'business' }).expect(403)).body.code).toBe('forbidden');
    const { body } = await operator.patch(`/owners/${id}`, { plan: 'business' }).expect(200);
    expect(body).toMatchObject({ name: 'Acme & Co', plan: 'business', posts_left: null });
    expect((await caller.get(`/owners/${id}`)).body).toEqual(body);
  });

  it('leave an event of every change: who did it, and in which request (D-32)', async () => {
    const { id, caller } = await newOwner(stage);
    const last = () => stage.running.infrastructure.streams.last(`owner-${id}`);
    const { headers } = await caller.patch(`/owners/${id}`, { name: 'By its owner' }).expect(200);
    expect(await last()).toMatchObject({
      ...{ type: 'OwnerRenamed', actor: `owner:${id}`, requestId: headers['x-request-id'] },
      ...{ causationId: headers['x-request-id'], correlationId: headers['x-request-id'] },
      position: BigInt(headers['x-position']!),
    });
    await operator.patch(`/owners/${id}`, { plan: 'free' }).expect(200);
    expect(await last()).toMatchObject({ type: 'OwnerPlanChanged', actor: 'operator' });
  });

  it('have a chat for notices, whose token is never shown', async () => {
    const { id, caller } = await newOwner(stage);
    const notice_chat = { bot_token: '1:secret-of-the-bot', chat_id: -100123 };
    const { body, text } = await caller.patch(`/owners/${id}`, { notice_chat }).expect(200);
    expect(body.notice_chat).toEqual({ chat_id: '-100123' });
    expect(text).not.toContain('secret-of-the-bot');
    const [event] = await stage.running.infrastructure.store.readStream(`owner-${id}`, {
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

  it('take the chat for notices away with null, once, and leave it where it is not sent', async () => {
    const { id, caller } = await newOwner(stage);
    const notice_chat = { bot_token: '1:secret-of-the-bot', chat_id: -100123 };
    await caller.patch(`/owners/${id}`, { notice_chat }).expect(200);
    expect((await caller.patch(`/owners/${id}`, { name: 'B' }).expect(200)).body.notice_chat).not.toBeNull();
    for (let i = 0; i < 2; i++)
      expect((await caller.patch(`/owners/${id}`, { notice_chat: null }).expect(200)).body.notice_chat).toBeNull();
    const events = await stage.running.infrastructure.store.readStream(`owner-${id}`);
    expect(events.map(({ type }) => type)).toEqual([
      ...['OwnerRegistered', 'OwnerNoticeChatSet', 'OwnerRenamed', 'OwnerNoticeChatRemoved'],
    ]);
    expect((await caller.get(`/owners/${id}`)).body).toMatchObject({ name: 'B', notice_chat: null });
  });

  it('get post packs from the operator', async () => {
    const { id, caller } = await newOwner(stage, 'free');
    expect((await caller.post(`/owners/${id}/post-packs`, { posts: 5 }).expect(403)).body.code).toBe('forbidden');
    expect((await operator.post(`/owners/${id}/post-packs`, { posts: 5 }).expect(200)).body.posts_left).toBe(35);
    await operator.post(`/owners/${id}/post-packs`, { posts: 0 }).expect(422);
    await operator.post(`/owners/${id}/post-packs`, { posts: 1.5 }).expect(422);
    expect((await caller.get(`/owners/${id}`)).body.posts_left).toBe(35);
  });

  it('lose no change, however many come at once', async () => {
    const { id } = await newOwner(stage, 'free');
    const packs = Array.from({ length: 200 }, () => operator.post(`/owners/${id}/post-packs`, { posts: 1 }));
    const answers = await Promise.all(packs);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await operator.get(`/owners/${id}`)).body.posts_left).toBe(230);
  });

  it('are not there under an id that nobody has', async () => {
    for (const id of ['own_0', 'nonsense', '%00', 'x'.repeat(90)]) await operator.get(`/owners/${id}`).expect(404);
  });
});
