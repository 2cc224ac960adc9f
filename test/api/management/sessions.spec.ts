import request from 'supertest';
import {
  Caller,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';

/** Sign-ins of the console: a cookie that stands for a key, and is no use to other sites (ADR-386). */
describe('sessions of the console', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.stop());
  beforeEach(async () => {
    owner = await createOwner(harness);
  });

  /** Signs in. Returns the cookie as a browser sends it, and as the gateway sets it. */
  const signIn = async (body: object = {}, origin = 'http://gateway') => {
    const answer = await owner.caller.post('/sessions', body).set('origin', origin).expect(201);
    const [set = ''] = answer.headers['set-cookie'] as unknown as string[];
    return { cookie: set.split(';')[0]!, set, session: answer.body };
  };
  const send = (cookie: string, headers: Readonly<Record<string, string>> = { 'x-console': '1' }) =>
    request(harness.url).get('/manage/v1/me').set('cookie', cookie).set(headers);

  it('are cookies that no script can read and no other site can send', async () => {
    const { cookie, set, session } = await signIn();
    expect(set).toMatch(/^console_session=[\w-]{43}; Path=\/manage; HttpOnly; SameSite=Strict$/);
    expect(session).toMatchObject({ is_current: true, is_remembered: false, brand: 'service' });
    const { body } = await send(cookie).expect(200);
    expect(body).toMatchObject({ role: 'owner', owner: { id: owner.id } });
    expect((await signIn({ remember: true }, 'https://gateway')).set).toMatch(/; Secure; Max-Age=2592000$/);
  });

  it('do nothing for requests that another site may have caused', async () => {
    const { cookie } = await signIn();
    await send(cookie, {}).expect(401);
    await send(cookie, { 'x-console': '0' }).expect(401);
    for (const site of ['cross-site', 'same-site', 'none'])
      await send(cookie, { 'x-console': '1', 'sec-fetch-site': site }).expect(401);
    await send(cookie, { 'x-console': '1', 'sec-fetch-site': 'same-origin' }).expect(200);
    await request(harness.url)
      .post('/manage/v1/projects')
      .type('form')
      .set('cookie', cookie)
      .send({ name: 'Foreign' })
      .expect(401);
    const asked = await request(harness.url)
      .options('/manage/v1/me')
      .set({ origin: 'http://foreign', 'access-control-request-headers': 'x-console' });
    expect(asked.headers['access-control-allow-origin']).toBeUndefined();
    await send('console_session=guess').expect(401);
  });

  it('are listed for their key alone, and ended one by one', async () => {
    const [first, second] = [await signIn(), await signIn({ remember: true })];
    const stranger = await createOwner(harness);
    await stranger.caller.post('/sessions', {}).expect(201);
    const { body } = await owner.caller.get('/sessions').expect(200);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([second.session.id, first.session.id]);
    await stranger.caller.delete(`/sessions/${first.session.id}`).expect(404);
    await owner.caller.delete(`/sessions/${first.session.id}`).expect(204);
    await send(first.cookie).expect(401);
    const ended = await request(harness.url)
      .delete('/manage/v1/sessions/current')
      .set({ cookie: second.cookie, 'x-console': '1' })
      .expect(204);
    expect(ended.headers['set-cookie']![0]).toMatch(/^console_session=; .*Max-Age=0$/);
    await send(second.cookie).expect(401);
  });

  describe('follow changes', () => {
    const follow = async (cookie: string): Promise<Response> => {
      const answer = await fetch(`${harness.url}/manage/v1/stream`, { headers: { cookie, 'x-console': '1' } });
      expect(answer.status).toBe(200);
      return answer;
    };
    const signInAs = async (caller: Caller): Promise<string> => {
      const { headers } = await caller.post('/sessions', {}).expect(201);
      return (headers['set-cookie'] as unknown as string[])[0]!.split(';')[0]!;
    };

    it('until they end, and then the others go on', async () => {
      const [ended, other] = [await signIn(), await signIn()];
      const ofOperator = await signInAs(operatorCaller(harness));
      const [stream, going, operators] = [
        await follow(ended.cookie),
        await follow(other.cookie),
        await follow(ofOperator),
      ];
      await owner.caller.delete(`/sessions/${ended.session.id}`).expect(204);
      expect(await stream.text()).toContain('{"reason":"session_ended"}');
      await request(harness.url)
        .delete('/manage/v1/sessions/current')
        .set({ cookie: ofOperator, 'x-console': '1' })
        .expect(204);
      expect(await operators.text()).toContain('{"reason":"session_ended"}');
      const { id } = (await owner.caller.post('/projects', { name: 'Later', channel_ids: [] }).expect(201)).body;
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of going.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        if (text.includes(id)) break;
      }
      expect(text).not.toContain('event: bye');
    });

    it('until their key is revoked, replaced or expires', async () => {
      const issue = async (fields: object = {}) => {
        const { body } = await owner.caller.post('/keys', { name: 'Anna', scopes: ['read'], ...fields }).expect(201);
        return { id: body.id as string, caller: new Caller(harness, body.key) };
      };
      const open = async ({ caller }: { readonly caller: Caller }) => follow(await signInAs(caller));
      const [revoked, replaced] = [await issue(), await issue()];
      const streams = [await open(revoked), await open(replaced)];
      // A busy machine may need longer to open a stream than the key lasts.
      for (let ms = 8_000; streams.length < 3 && ms < 100_000; ms *= 2) {
        const expiring = await issue({ expires_at: new Date(Date.now() + ms).toISOString() });
        const stream = await open(expiring).catch(() => null);
        if (stream) streams.push(stream);
      }
      await owner.caller.delete(`/keys/${revoked.id}`).expect(204);
      await owner.caller.post(`/keys/${replaced.id}/rotate`, {}).expect(200);
      const reasons = (await Promise.all(streams.map((stream) => stream.text()))).map(
        (text) => /"reason":"(\w+)"/.exec(text)?.[1],
      );
      expect(reasons).toEqual(['key_revoked', 'key_revoked', 'key_expired']);
    });
  });

  it('end when their key is replaced or revoked', async () => {
    const { cookie } = await signIn();
    const { body: anna } = await owner.caller.post('/keys', { name: 'Anna', scopes: ['approve'] }).expect(201);
    const answer = await request(harness.url)
      .post('/manage/v1/sessions')
      .set('authorization', `Bearer ${anna.key}`)
      .expect(201);
    const annas = (answer.headers['set-cookie'] as unknown as string[])[0]!.split(';')[0]!;
    expect((await send(annas).expect(200)).body.key).toMatchObject({ name: 'Anna', scopes: ['approve'] });
    await owner.caller.delete(`/keys/${anna.id}`).expect(204);
    await send(annas).expect(401);
    await send(cookie).expect(200);
    await operatorCaller(harness).post(`/owners/${owner.id}/rotate-key`, {}).expect(200);
    await send(cookie).expect(401);
  });
});
