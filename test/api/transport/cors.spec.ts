import { type ManagementHarness, OPERATOR_KEY, startHarness } from '../management/management-harness.js';

const APP = 'https://app.example.com';
const OTHER = 'https://other.example.com';
const ALLOWED = 'access-control-allow-origin';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-service-timestamp',
};

describe('pages of other origins (CORS_ORIGINS)', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness({ CORS_ORIGINS: `${APP}, http://localhost:5173` });
  });
  afterAll(() => harness?.stop());

  const call = (path: string, origin: string | null, init: RequestInit = {}): Promise<Response> =>
    fetch(harness.url + path, { ...init, headers: { ...init.headers, ...(origin !== null && { origin }) } });

  it.each(['/v1/webhooks/any', '/v1/webhooks/any/temp-pause', '/v1/sandbox/test', '/manage/v1/owners', '/sse/any'])(
    'may call %s if they are listed',
    async (path) => {
      for (const origin of [APP, 'http://localhost:5173']) {
        const preflight = await call(path, origin, { method: 'OPTIONS', headers: PREFLIGHT });
        expect(preflight.status).toBe(204);
        expect(await preflight.text()).toBe('');
        expect(Object.fromEntries(preflight.headers)).toMatchObject({
          [ALLOWED]: origin,
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': PREFLIGHT['access-control-request-headers'],
          'access-control-max-age': '600',
          vary: expect.stringContaining('Origin') as string,
        });
        expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
        const refused = await call(path, origin, { method: 'POST', body: '{}' });
        expect(refused.status).toBe(401);
        expect(refused.headers.get(ALLOWED)).toBe(origin);
      }
    },
  );

  it('may read the headers that clients need, of refusals too', async () => {
    const answer = await call('/manage/v1/owners', APP, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } });
    expect(answer.status).toBe(200);
    const exposed = answer.headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'retry-after', 'x-position', 'etag']));
    const lost = await call('/v1/nothing', APP);
    expect([lost.status, lost.headers.get(ALLOWED)]).toEqual([404, APP]);
  });

  it.each([OTHER, 'null', `${APP}.evil.example`, 'http://app.example.com', `${APP}:8443`, APP.toUpperCase()])(
    'get no permission if they are not: %s',
    async (origin) => {
      const preflight = await call('/v1/webhooks/any', origin, { method: 'OPTIONS', headers: PREFLIGHT });
      expect([preflight.status, preflight.headers.get(ALLOWED)]).toEqual([404, null]);
      expect((await preflight.json()) as object).toMatchObject({ ok: false, code: 'not_found' });
      const refused = await call('/v1/webhooks/any', origin, { method: 'POST', body: '{}' });
      expect([refused.status, refused.headers.get(ALLOWED)]).toEqual([401, null]);
      // A cache must not give one page's answer to another.
      expect(refused.headers.get('vary')).toContain('Origin');
    },
  );

  it('are not what programs are: without an Origin nothing changes', async () => {
    const answer = await call('/manage/v1/owners', null, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } });
    expect([answer.status, answer.headers.get(ALLOWED)]).toEqual([200, null]);
    expect((await call('/v1/webhooks/any', null, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('may not read metrics and health', async () => {
    for (const path of ['/healthz', '/metrics', '/docs'])
      expect([path, (await call(path, APP)).headers.get(ALLOWED)]).toEqual([path, null]);
  });
});

describe('without CORS_ORIGINS', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness?.stop());

  it('no page of another origin gets a permission', async () => {
    const init = { method: 'OPTIONS', headers: { ...PREFLIGHT, origin: APP } };
    const preflight = await fetch(`${harness.url}/v1/webhooks/any`, init);
    expect([preflight.status, preflight.headers.get(ALLOWED), preflight.headers.get('vary')]).toEqual([
      404,
      null,
      null,
    ]);
  });
});
