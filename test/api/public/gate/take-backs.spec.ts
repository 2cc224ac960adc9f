import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { iso } from '../../../../src/kernel/clock.js';
import { UNLIMITED } from '../../../support/test-environment.js';
import { type Answer, type TestEndpoint, TestGateway } from '../gateway.js';
import { findLogEntry, sign, stopLimitClock } from './calls.js';

/** How many changes an endpoint may make within a minute. */
const CHANGES = 20;
const VIOLATIONS = 3;

let folder: string;
let gateway: TestGateway;
let owner: string;
let project: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'));
  const limits = JSON.parse(await readFile(UNLIMITED, 'utf8')) as object;
  const profile = { ...limits, changes_per_minute: CHANGES, violations_to_disable: VIOLATIONS };
  await writeFile(join(folder, 'limits.json'), JSON.stringify(profile));
  gateway = await TestGateway.start({ LIMITS_PROFILE: join(folder, 'limits.json') });
  owner = await gateway.createOwner('business');
  project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
  await stopLimitClock(gateway.pool);
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

const createEndpoint = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(owner, [project], settings);
const inDays = (days: number): string => iso(Date.now() + days * 86_400_000);
const plan = async (text: string, settings: object = {}): Promise<{ endpoint: TestEndpoint; id: string }> => {
  const endpoint = await createEndpoint(settings);
  const body = JSON.stringify({ text, publish_at: inDays(1) });
  const { body: answer } = await endpoint.post('', body, {
    'x-service-client-signature': sign(endpoint.secret, body),
  });
  return { endpoint, id: answer.id };
};
const statusOf = ({ status, body }: Answer) => [status, body.code];
const logOf = (endpoint: TestEndpoint, { headers }: Answer) =>
  findLogEntry(gateway, endpoint, { status: 0, headers, text: '' });

describe('an endpoint with allow_changes: false (D-74)', () => {
  it('refuses the take-backs of its clients, and says what to do', async () => {
    const { endpoint, id } = await plan('It stays', { allow_changes: false });
    const path = `/endpoints/${endpoint.id}`;
    expect(await gateway.manage('GET', path)).toMatchObject({ allow_changes: false });
    const refused = await endpoint.post(`posts/${id}/withdraw`, {});
    expect(statusOf(refused)).toEqual([403, 'changes_not_allowed']);
    expect(refused.body.errors[0]).toContain(`/manage/v1${path}`);
    expect(await logOf(endpoint, refused)).toMatchObject({
      route: 'POST /v1/webhooks/{slug}/posts/{id}/withdraw',
      decision: 'rejected_validation',
      reason: 'changes_not_allowed',
      http_status: 403,
    });
    const headers = { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' };
    const moved = await gateway.call('PATCH', `/v1/webhooks/${endpoint.slug}/posts/${id}`, {
      headers,
      body: JSON.stringify({ publish_at: inDays(2) }),
    });
    expect(moved.status).toBe(200); // it is not published

    expect(await gateway.manage('PATCH', path, { allow_changes: true })).toMatchObject({ allow_changes: true });
    const { status, body } = await endpoint.post(`posts/${id}/withdraw`, {});
    expect([status, body.cancelled]).toEqual([200, 1]);
  });

  it('lets its owner take posts back', async () => {
    const { id } = await plan('Not for long', { allow_changes: false });
    expect((await gateway.manage('POST', `/posts/${id}/withdraw`)).cancelled).toBe(1);
  });
});

describe('the signature of a change (D-102)', () => {
  let endpoint: TestEndpoint;
  let id: string;
  let other: string;
  beforeEach(async () => {
    ({ endpoint, id } = await plan('Signed', { require_signature: true }));
    const { id: second } = await gateway.manage('POST', `/endpoints/${endpoint.id}/posts`, {
      text: 'Another',
      publish_at: inDays(1),
    });
    other = second;
  });

  const now = (): string => String(Math.floor(Date.now() / 1_000));
  const pathOf = (route: string, post: string) =>
    `/v1/webhooks/${endpoint.slug}/posts/${post}${route === 'withdraw' ? '/withdraw' : ''}`;
  const call = (method: string, path: string, body: string, headers: Record<string, string>) =>
    gateway.call(method, path, {
      headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json', ...headers },
      body,
    });
  const headersOf = (timestamp: string, signed: string) => ({
    'x-service-timestamp': timestamp,
    'x-service-client-signature': sign(endpoint.secret, signed),
  });

  it.each([
    ['PATCH', 'PATCH', () => ({ publish_at: inDays(2) })],
    ['PUT', 'PUT', () => ({ text: 'Better', publish_at: inDays(2) })],
    ['withdraw', 'POST', () => ({ reason: 'The price is wrong.' })],
  ])('%s names the method, the post and the time', async (route, method, content) => {
    const body = JSON.stringify(content());
    const path = pathOf(route, id);
    const at = now();
    const headers = headersOf(at, `${method}\n${path}\n${at}\n${body}`);
    const wrong: [string, Promise<Answer>][] = [
      ['bad_signature', call(method, pathOf(route, other), body, headers)], // captured, and sent for another post
      ['bad_signature', call(method, path, `${body} `, headers)],
      ['bad_signature', call(method, path, body, { ...headers, 'x-service-timestamp': String(Number(at) + 1) })],
      ['bad_signature', call(method, path, body, headersOf(at, body))],
      ['bad_signature', call(method, path, body, headersOf(at, `${method}\n${path}\n${at}`))],
      ['bad_timestamp', call(method, path, body, { 'x-service-client-signature': sign(endpoint.secret, body) })],
    ];
    for (const [reason, answering] of wrong) {
      const answer = await answering;
      expect(statusOf(answer)).toEqual([401, 'unauthorized']);
      expect(await logOf(endpoint, answer)).toMatchObject({ decision: 'rejected_auth', reason });
    }
    expect((await call(method, path, body, headers)).status).toBe(200);
    expect((await gateway.manage('GET', `/posts/${other}`)).publications[0].state).toBe('planned');
  });

  it('is computed while a slow body arrives', async () => {
    const path = pathOf('withdraw', id);
    const body = JSON.stringify({ reason: 'Slow' });
    const at = now();
    const send = (signed: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' };
        const options = { method: 'POST', headers: { ...headers, ...headersOf(at, signed) } };
        const request = httpRequest(gateway.url + path, options, (response) => {
          response.resume();
          resolve(response.statusCode!);
        });
        request.on('error', reject);
        request.write(body.slice(0, 5));
        setTimeout(() => request.end(body.slice(5)), 100);
      });
    expect(await send(body)).toBe(401);
    expect(await send(`POST\n${pathOf('withdraw', other)}\n${at}\n${body}`)).toBe(401);
    expect(await send(`POST\n${path}\n${at}\n${body}`)).toBe(200);
  });

  it('of a new post covers its body alone', async () => {
    const body = JSON.stringify({ text: 'As ever', publish_at: inDays(1) });
    const fresh = await createEndpoint({ require_signature: true });
    const headers = { 'x-service-client-signature': sign(fresh.secret, body) };
    expect((await fresh.post('', body, headers)).status).toBe(200);
  });
});

describe('too many take-backs (D-78)', () => {
  it('share the budget of changes, but are no violations', async () => {
    const endpoint = await createEndpoint();
    const withdraw = () => endpoint.post('posts/post_none/withdraw', {});
    const statuses: number[] = [];
    for (let n = 0; n < CHANGES; n++) statuses.push((await withdraw()).status);
    expect(new Set(statuses)).toEqual(new Set([404]));
    let last: Answer | undefined;
    for (let n = 0; n < VIOLATIONS + 2; n++) {
      last = await withdraw();
      expect(statusOf(last)).toEqual([429, 'rate_limited']);
    }
    expect(await logOf(endpoint, last!)).toMatchObject({
      decision: 'rejected_rate_limit',
      reason: 'changes',
      why: { figures: { per_minute: CHANGES, violations: 0 } },
    });
    expect(await gateway.manage('GET', `/endpoints/${endpoint.id}`)).toMatchObject({ is_active: true });

    const headers = { authorization: `Bearer ${endpoint.token}` };
    const cancel = () => gateway.call('DELETE', `/v1/webhooks/${endpoint.slug}/posts/post_none`, { headers });
    for (let n = 0; n < VIOLATIONS; n++) expect((await cancel()).status).toBe(429);
    expect(statusOf(await cancel())).toEqual([503, 'endpoint_paused']);
  });
});
