import { type TestEndpoint, TestGateway } from '../api/public/gateway.js';

let gateway: TestGateway;
beforeAll(async () => (gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' })));
afterAll(() => gateway.stop());

interface Setting {
  readonly owner: string;
  readonly endpoint: TestEndpoint;
}

const setUp = async (plan = 'pro'): Promise<Setting> => {
  const owner = await gateway.owner(plan);
  const project = await gateway.project(owner, [await gateway.channel(owner)]);
  return { owner, endpoint: await gateway.endpoint(owner, [project], { min_interval: 1 }) };
};
const isActive = async ({ id }: TestEndpoint): Promise<boolean> =>
  (await gateway.manage('GET', `/endpoints/${id}`)).is_active as boolean;

describe('an endpoint that its owner switched off (publish-api.md: Endpoint and pause states; D-8)', () => {
  it('answers 403 on every route, until it is switched on again', async () => {
    const { endpoint } = await setUp();
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`);
    const answers = [
      await endpoint.post('', { text: 'a' }),
      await endpoint.post('temp-pause', { target_minutes: 5 }),
      await endpoint.post('temp-resume', {}),
      await endpoint.info(),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body).toMatchObject({ ok: false, code: 'endpoint_disabled' });
    }
    await gateway.manage('POST', `/endpoints/${endpoint.id}/enable`);
    expect((await endpoint.post('', { text: 'a' })).status).toBe(200);
  });
});

describe('an endpoint whose plan no longer allows input (publish-api.md: Endpoint and pause states; D-8)', () => {
  it.each(['free', 'mini', 'standard'])(
    '%s: 503, the endpoint is disabled, and a better plan alone does not enable it',
    async (plan) => {
      const { owner, endpoint } = await setUp();
      await gateway.manage('PATCH', `/owners/${owner}`, { plan });
      const refused = await endpoint.post('', { text: 'a' });
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ ok: false, code: 'plan_not_allowed' });
      await gateway.manage('PATCH', `/owners/${owner}`, { plan: 'maxi' });
      expect((await endpoint.post('', { text: 'a' })).status).toBe(503);
      expect(await isActive(endpoint)).toBe(false);
      await gateway.manage('POST', `/endpoints/${endpoint.id}/enable`);
      expect((await endpoint.post('', { text: 'a' })).status).toBe(200);
    },
  );

  it.each(['pro', 'maxi', 'business'])('%s: has input', async (plan) => {
    const { endpoint } = await setUp(plan);
    expect((await endpoint.post('', { text: 'a' })).status).toBe(200);
  });
});

describe('the order of what is judged (D-7)', () => {
  const wrong = { authorization: 'Bearer service_live_wrong' };
  const text = { 'content-type': 'text/plain' };

  it('authentication, then state, then media type, then body, then targets', async () => {
    const { endpoint } = await setUp();
    const nobody = { text: 'a', targets: [{ id: 'tgt_nobody' }] };
    expect((await endpoint.post('', '{', text)).status).toBe(415);
    expect((await endpoint.post('', '{')).status).toBe(400);
    expect((await endpoint.post('', { ...nobody, text: 7 })).body.code).toBe('invalid_payload');
    expect((await endpoint.post('', nobody)).body.code).toBe('invalid_targets');
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`);
    expect((await endpoint.post('', '{', { ...wrong, ...text })).status).toBe(401);
    expect((await endpoint.post('', '{', text)).status).toBe(403);
  });
});

describe('under maintenance (D-7; publish-api.md: rejected_disabled)', () => {
  it('all of /v1 answers 503 before anything else, whoever asks', async () => {
    const down = await TestGateway.start({ MAINTENANCE: 'on' });
    try {
      const owner = await down.owner();
      const endpoint = await down.endpoint(owner, []);
      const answers = [
        await endpoint.post('', { text: 'a' }),
        await endpoint.post('', { text: 'a' }, { authorization: 'Bearer wrong' }),
        await endpoint.info(),
        await down.call('POST', '/v1/webhooks/nobody', { body: '{' }),
      ];
      for (const { status, headers, body } of answers) {
        expect(status).toBe(503);
        expect(body).toMatchObject({ ok: false, code: 'maintenance' });
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await down.stop();
    }
  });
});
