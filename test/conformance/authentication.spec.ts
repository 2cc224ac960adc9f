import { createHmac } from 'node:crypto';
import { type Answer, type TestEndpoint, TestGateway } from '../api/public/gateway.js';

/** The gateway's clock, which a test may stop: a client's timestamp then keeps its age until it is checked. */
const clock = {
  stoppedAt: null as number | null,
  now: () => clock.stoppedAt ?? Date.now(),
};

let gateway: TestGateway;
let owner: string;
let project: string;
beforeAll(async () => {
  gateway = await TestGateway.start({}, undefined, { clock });
  owner = await gateway.createOwner();
  project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
});
afterAll(() => gateway.stop());

const BODY = '{"text": "signed, with  spaces that matter"}';
const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');
const seconds = (): number => Math.floor(clock.now() / 1_000);
const endpointWith = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(owner, [project], settings);

describe('the bearer token (publish-api.md: Authentication, 1 to 3)', () => {
  let endpoint: TestEndpoint;
  beforeAll(async () => (endpoint = await endpointWith()));

  it('has the form of its mode', async () => {
    const free = await gateway.createOwner('free');
    expect(endpoint.token).toMatch(/^service_live_[\w-]{20,}$/);
    expect((await gateway.createEndpoint(free, [], { mode: 'test' })).token).toMatch(/^service_test_[\w-]{20,}$/);
  });

  it.each<[what: string, header: (token: string) => string, status: number]>([
    ['unchanged', (token) => `Bearer ${token}`, 200],
    ['the scheme in lower case', (token) => `bearer ${token}`, 200],
    ['more than one space', (token) => `Bearer   ${token}`, 200],
    ['no scheme', (token) => token, 401],
    ['another scheme', (token) => `Token ${token}`, 401],
    ['Basic', (token) => `Basic ${Buffer.from(`:${token}`).toString('base64')}`, 401],
    ['no token', () => 'Bearer', 401],
    ['two tokens', (token) => `Bearer ${token} ${token}`, 401],
    ['its first half', (token) => `Bearer ${token.slice(0, token.length / 2)}`, 401],
    ['one letter more', (token) => `Bearer ${token}x`, 401],
    ['upper case', (token) => `Bearer ${token.toUpperCase()}`, 401],
  ])('%s', async (_, header, status) => {
    expect((await endpoint.post('', { text: 'a' }, { authorization: header(endpoint.token) })).status).toBe(status);
  });

  it('of another endpoint is rejected with 401', async () => {
    const other = await endpointWith();
    const answer = await endpoint.post('', { text: 'a' }, { authorization: `Bearer ${other.token}` });
    expect(answer.status).toBe(401);
  });

  it.each(['', 'temp-pause', 'temp-resume'])(
    'of mode test is rejected with the uniform 401 on POST …/%s (D-12)',
    async (route) => {
      const test = await gateway.createEndpoint(owner, [project], { mode: 'test' });
      expect((await test.post(route, { text: 'a', target_minutes: 1 })).status).toBe(401);
      expect((await test.info()).status).toBe(401);
    },
  );
});

describe('X-Service-Timestamp (publish-api.md: Authentication, 4)', () => {
  let endpoint: TestEndpoint;
  beforeAll(async () => {
    endpoint = await endpointWith({ require_timestamp: true });
    clock.stoppedAt = Date.now();
  });
  afterAll(() => {
    clock.stoppedAt = null;
  });

  it.each<[what: string, timestamp: () => string | undefined, status: number]>([
    ['now', () => String(seconds()), 200],
    ['nearly five minutes ago', () => String(seconds() - 290), 200],
    ['nearly five minutes ahead', () => String(seconds() + 290), 200],
    ['more than five minutes ago', () => String(seconds() - 310), 401],
    ['more than five minutes ahead', () => String(seconds() + 310), 401],
    ['missing', () => undefined, 401],
    ['empty', () => '', 401],
    ['in milliseconds', () => String(clock.now()), 401],
    ['in words', () => new Date().toISOString(), 401],
    ['with a fraction', () => `${seconds()}.0`, 401],
    ['with a sign', () => `+${seconds()}`, 401],
  ])('%s', async (_, timestamp, status) => {
    const value = timestamp();
    const headers: Record<string, string> = value === undefined ? {} : { 'x-service-timestamp': value };
    expect((await endpoint.post('', { text: 'a' }, headers)).status).toBe(status);
  });

  it('is ignored if it is not required', async () => {
    const other = await endpointWith();
    expect((await other.post('', { text: 'a' }, { 'x-service-timestamp': '1' })).status).toBe(200);
  });
});

describe('X-Service-Client-Signature (publish-api.md: Authentication, 5)', () => {
  let endpoint: TestEndpoint;
  beforeAll(async () => (endpoint = await endpointWith({ require_signature: true })));

  it.each<[what: string, signature: (right: string) => string | undefined, status: number]>([
    ['with its prefix', (right) => `sha256=${right}`, 200],
    ['without the prefix', (right) => right, 200],
    ['in upper case', (right) => `sha256=${right.toUpperCase()}`, 200],
    ['in upper case, without the prefix', (right) => right.toUpperCase(), 200],
    ['missing', () => undefined, 401],
    ['empty', () => '', 401],
    ['the prefix alone', () => 'sha256=', 401],
    ['one digit short', (right) => `sha256=${right.slice(1)}`, 401],
    ['one digit too long', (right) => `sha256=${right}0`, 401],
    ['another algorithm’s prefix', (right) => `sha512=${right}`, 401],
    ['with an invalid digit', (right) => `sha256=${right.slice(1)}g`, 401],
    ['one digit wrong', (right) => `sha256=${right.slice(1)}${right.startsWith('0') ? '1' : '0'}`, 401],
    ['of the empty string', () => `sha256=${hmac('', '')}`, 401],
  ])('%s', async (_, signature, status) => {
    const value = signature(hmac(endpoint.secret, BODY));
    const headers: Record<string, string> = value === undefined ? {} : { 'x-service-client-signature': value };
    expect((await endpoint.post('', BODY, headers)).status).toBe(status);
  });

  it('covers the exact bytes: the same JSON serialized again is rejected with 401', async () => {
    const headers = { 'x-service-client-signature': `sha256=${hmac(endpoint.secret, BODY)}` };
    expect((await endpoint.post('', JSON.stringify(JSON.parse(BODY)), headers)).status).toBe(401);
  });

  it('is checked before any other processing: an invalid body is reported only with a valid signature', async () => {
    const broken = '{"text": ';
    const signed = { 'x-service-client-signature': hmac(endpoint.secret, broken) };
    expect((await endpoint.post('', broken)).status).toBe(401);
    expect((await endpoint.post('', broken, { 'content-type': 'text/plain' })).status).toBe(401);
    expect((await endpoint.post('', broken, signed)).status).toBe(400);
  });

  it('is also required by temp-pause and temp-resume', async () => {
    const body = '{"target_minutes": 0, "project_minutes": 0}';
    const signed = { 'x-service-client-signature': hmac(endpoint.secret, body) };
    expect((await endpoint.post('temp-pause', body)).status).toBe(401);
    expect((await endpoint.post('temp-pause', body, signed)).status).toBe(422);
    expect((await endpoint.post('temp-resume', '{}')).status).toBe(401);
  });
});

describe('the 401 (publish-api.md: Authentication, 7 and 8)', () => {
  it('is the same for every cause: unknown slug, token, address, signature, timestamp', async () => {
    const post = (endpoint: TestEndpoint, headers: Record<string, string> = {}) =>
      endpoint.post('', { text: 'a' }, headers);
    const open = await endpointWith();
    const unknownSlug = await gateway.call('POST', '/v1/webhooks/unknown-slug', {
      headers: { authorization: `Bearer ${open.token}`, 'content-type': 'application/json' },
      body: '{"text": "a"}',
    });
    const causes = [
      unknownSlug,
      await post(open, { authorization: 'Bearer service_live_wrong' }),
      await post(await endpointWith({ ip_allowlist: ['203.0.113.0/24'] })),
      await post(await endpointWith({ require_signature: true })),
      await post(await endpointWith({ require_timestamp: true })),
      await post(await gateway.createEndpoint(owner, [project], { mode: 'test' })),
    ].map(visibleParts);
    for (const cause of causes) expect(cause).toEqual(causes[0]);
    expect(causes[0]).toMatchObject({ status: 401, body: { ok: false, code: 'unauthorized' } });
  });

  /** Returns the parts of an answer that a client can see, except the request's own id and the time. */
  const visibleParts = ({ status, headers, body }: Answer) => {
    const shown = Object.fromEntries(headers);
    expect(shown['x-request-id']).toBe(body.request_id);
    return { status, headers: { ...shown, 'x-request-id': '', date: '' }, body: { ...body, request_id: '' } };
  };
});
