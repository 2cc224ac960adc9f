import { type TestEndpoint, TestGateway } from '../api/public/gateway.js';

let gateway: TestGateway;
beforeAll(async () => (gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' })));
afterAll(() => gateway.stop());

interface Setting {
  readonly owner: string;
  readonly endpoint: TestEndpoint;
}

const setUp = async (plan = 'pro'): Promise<Setting> => {
  const owner = await gateway.createOwner(plan);
  const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
  return { owner, endpoint: await gateway.createEndpoint(owner, [project], { min_interval: 1 }) };
};
const isActive = async ({ id }: TestEndpoint): Promise<boolean> =>
  (await gateway.manage('GET', `/endpoints/${id}`)).is_active as boolean;

describe('an endpoint that its owner disabled (publish-api.md: Endpoint and pause states; D-8)', () => {
  it('answers 403 on every route, until it is enabled again', async () => {
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
    '%s: answers 503, is disabled, and is not enabled by a better plan alone',
    async (plan) => {
      const { owner, endpoint } = await setUp();
      await gateway.manage('PATCH', `/owners/${owner}`, { plan });
      const refused = await endpoint.post('', { text: 'a' });
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ ok: false, code: 'plan_not_allowed' });
      await gateway.manage('PATCH', `/owners/${owner}`, { plan: 'maxi' });
      const after = await endpoint.post('', { text: 'a' });
      expect([refused, after].map(({ body }) => body.errors[0])).toEqual([
        expect.stringMatching(
          /^The plan does not allow .* Upgrade the plan first\. Its owner can enable it again with POST /,
        ),
        expect.stringMatching(
          /^The endpoint was disabled, because an earlier plan .*\. Its owner can enable it again with POST /,
        ),
      ]);
      expect(after).toMatchObject({ status: 503, body: { code: 'plan_not_allowed' } });
      expect(await isActive(endpoint)).toBe(false);
      await gateway.manage('POST', `/endpoints/${endpoint.id}/enable`);
      expect((await endpoint.post('', { text: 'a' })).status).toBe(200);
    },
  );

  it.each(['pro', 'maxi', 'business'])('%s: accepts posts', async (plan) => {
    const { endpoint } = await setUp(plan);
    expect((await endpoint.post('', { text: 'a' })).status).toBe(200);
  });
});

describe('the order of the checks (D-7)', () => {
  const wrong = { authorization: 'Bearer service_live_wrong' };
  const text = { 'content-type': 'text/plain' };

  it('is authentication, state, media type, body, targets', async () => {
    const { endpoint } = await setUp();
    const unknownTarget = { text: 'a', targets: [{ id: 'tgt_unknown' }] };
    expect((await endpoint.post('', '{', text)).status).toBe(415);
    expect((await endpoint.post('', '{')).status).toBe(400);
    expect((await endpoint.post('', { ...unknownTarget, text: 7 })).body.code).toBe('invalid_payload');
    expect((await endpoint.post('', unknownTarget)).body.code).toBe('invalid_targets');
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`);
    expect((await endpoint.post('', '{', { ...wrong, ...text })).status).toBe(401);
    expect((await endpoint.post('', '{', text)).status).toBe(403);
  });
});

describe('under maintenance (D-7; publish-api.md: rejected_disabled)', () => {
  it('all of /v1 answers 503 before any other check, to every client', async () => {
    const maintained = await TestGateway.start({ MAINTENANCE: 'on' });
    try {
      const owner = await maintained.createOwner();
      const endpoint = await maintained.createEndpoint(owner, []);
      const answers = [
        await endpoint.post('', { text: 'a' }),
        await endpoint.post('', { text: 'a' }, { authorization: 'Bearer wrong' }),
        await endpoint.info(),
        await maintained.call('POST', '/v1/webhooks/unknown', { body: '{' }),
      ];
      for (const { status, headers, body } of answers) {
        expect(status).toBe(503);
        expect(body).toMatchObject({ ok: false, code: 'maintenance' });
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await maintained.stop();
    }
  });
});
