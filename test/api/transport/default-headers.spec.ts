import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import type { Running } from '../../../src/app/start.js';
import {
  createEndpoint,
  createOwner,
  type ManagementHarness,
  OPERATOR_KEY,
  startHarness,
} from '../management/management-harness.js';
import { openSocket } from './raw-http.js';

let harness: ManagementHarness;
let running: Running;
let routes: string[];
let token: string;
let ownerKey: string;
let slug: string;

beforeAll(async () => {
  harness = await startHarness({ METRICS_PORT: '0', CORS_ORIGINS: 'https://app.example.com' });
  running = harness.running;
  const { paths } = (await (await fetch(`${harness.url}/openapi.json`)).json()) as OpenApiDocument;
  routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const owner = await createOwner(harness);
  ownerKey = owner.caller.key;
  ({ token, slug } = await createEndpoint(owner, []));
});
afterAll(() => harness.stop());

/** Calls a route and returns the headers of the answer, which may be an endless stream. */
const headersOf = async (url: string, init: RequestInit = {}): Promise<Headers> => {
  const stop = new AbortController();
  const { headers } = await fetch(url, { redirect: 'manual', signal: stop.signal, ...init });
  stop.abort();
  return headers;
};

/** Lists the routes whose answers lack one of the headers. */
const listBare = async (key: string | null): Promise<string[]> => {
  const bare: string[] = [];
  for (const route of [...routes, 'GET /sse/{slug}', 'POST /sse/{slug}', 'DELETE /sse/{slug}', 'PATCH /none']) {
    const [method, path] = route.split(' ') as [string, string];
    const url = harness.url + path.replace('{slug}', slug).replaceAll(/[{}]/g, '');
    const headers = { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) };
    const answer = await headersOf(url, { method, headers, ...(method !== 'GET' && { body: '{}' }) });
    if (answer.get('x-content-type-options') !== 'nosniff' || answer.get('cache-control') !== 'no-store')
      bare.push(`${route}: ${answer.get('x-content-type-options')}, ${answer.get('cache-control')}`);
  }
  return bare;
};

describe('the headers of every answer (D-88)', () => {
  it.each([
    ['no key', () => null],
    ['a wrong key', () => 'wrong'],
    ["an endpoint's token", () => token],
    ["the operator's key", () => OPERATOR_KEY],
    // Last, because one of the routes replaces the key.
    ["an owner's key", () => ownerKey],
  ])('says that its type is right and that nothing may store it: all routes, with %s', async (_, key) => {
    expect(routes.length).toBeGreaterThan(90);
    expect(await listBare(key())).toEqual([]);
  });

  it.each([
    '/',
    '/docs',
    '/docs/swagger-ui.css',
    '/docs/start.js',
    '/docs/none',
    '/openapi.json',
    '/console',
    '/console/none.js',
    '/healthz',
    '/readyz',
    '/metrics',
    '/nothing',
    '/%zz',
    '/sse/none',
  ])('says that the type of %s is right', async (path) => {
    expect((await headersOf(harness.url + path)).get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['/healthz', '/readyz', '/metrics', '/nothing', '/%zz'])('says so on METRICS_PORT: %s', async (path) => {
    expect((await headersOf(running.metricsAddress! + path)).get('x-content-type-options')).toBe('nosniff');
  });

  it('says so to a page of another origin that asks what it may do', async () => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    const answer = await headersOf(`${harness.url}/manage/v1/channels`, { method: 'OPTIONS', headers });
    expect(answer.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['is no HTTP', 'nonsense\r\n\r\n'],
    ['has a head that is too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['has no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['expects what does not exist', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n'],
    ['takes the server for a proxy', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('says so to a request that %s', async (_, bytes) => {
    for (const url of [harness.url, running.metricsAddress!]) {
      const socket = await openSocket(url);
      socket.write(bytes);
      const answer = await text(socket);
      socket.destroy();
      if (!socket.closed) await once(socket, 'close');
      expect(answer).toMatch(/^HTTP\/1\.1 4/);
      expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff');
      expect(answer.toLowerCase()).toContain('cache-control: no-store');
    }
  });
});
