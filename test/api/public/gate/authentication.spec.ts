import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import {
  type Answer,
  findLogEntry,
  ignoreStalls,
  readRequestLog,
  type RequestOptions,
  sendRequest,
  sign,
} from './calls.js';

let gateway: TestGateway;
let owner: string;
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
  projects = [await gateway.createProject(owner, [await gateway.createChannel(owner)])];
});
afterAll(() => gateway.stop());

const endpointWith = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(owner, projects, settings);
const now = (seconds = 0): string => String(Math.floor(Date.now() / 1_000) + seconds);
const BODY = '{"text": "Hello"}';

/** Sends the head of a post with a body of `length` bytes; the caller sends the body. */
const sendHead = ({ slug, token }: Pick<TestEndpoint, 'slug' | 'token'>, length: number, signature: string) => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const head = [
    `POST /v1/webhooks/${slug} HTTP/1.1`,
    ...['Host: x', 'Content-Type: application/json', `Content-Length: ${length}`],
    ...[`Authorization: Bearer ${token}`, `X-Service-Client-Signature: ${signature}`],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answer = once(socket, 'data').then(([first]: Buffer[]) => {
    socket.destroy();
    const text = first!.toString();
    return { status: Number(text.split(' ')[1]), requestId: /x-request-id: (\S+)/i.exec(text)![1]! };
  });
  return { socket, answer };
};

/** Returns the parts of an answer that a client can see, except the request's own id and the time. */
const visibleParts = ({ status, headers, text }: Answer): unknown => {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, headers: kept, text: text.replace(/req_[0-9a-f]+/, 'req_') };
};

describe('every failure of authentication is the same 401 (publish-api.md: Authentication, 8)', () => {
  const causes: [cause: string, settings: object, wrong: (endpoint: TestEndpoint) => RequestOptions][] = [
    ['bad_token', {}, () => ({ headers: { authorization: 'Bearer service_live_of-another-owner' } })],
    ['bad_token', {}, () => ({ headers: { authorization: undefined } })],
    ['bad_token', {}, ({ token }) => ({ headers: { authorization: `Basic ${token}` } })],
    ['bad_token', {}, ({ token }) => ({ headers: { authorization: `Bearer ${token}x` } })],
    ['test_token', { mode: 'test' }, () => ({})],
    ['ip_not_allowed', { ip_allowlist: ['10.0.0.0/8', '2001:db8::/32'] }, () => ({})],
    ['bad_timestamp', { require_timestamp: true }, () => ({})],
    ['bad_timestamp', { require_timestamp: true }, () => ({ headers: { 'x-service-timestamp': now(-330) } })],
    ['bad_timestamp', { require_timestamp: true }, () => ({ headers: { 'x-service-timestamp': now(330) } })],
    ['bad_timestamp', { require_timestamp: true }, () => ({ headers: { 'x-service-timestamp': '12e3' } })],
    ['signature_missing', { require_signature: true }, () => ({})],
    ['bad_signature', { require_signature: true }, () => ({ headers: { 'x-service-client-signature': 'sha256=' } })],
    [
      'bad_signature',
      { require_signature: true },
      ({ secret }) => ({ body: BODY, headers: { 'x-service-client-signature': sign(secret, `${BODY} `) } }),
    ],
    [
      'bad_signature',
      { require_signature: true },
      () => ({ body: BODY, headers: { 'x-service-client-signature': sign('another secret', BODY) } }),
    ],
    [
      'bad_signature',
      { require_signature: true },
      ({ secret }) => ({ body: BODY, headers: { 'x-service-client-signature': `${sign(secret, BODY)}00` } }),
    ],
  ];

  it.each(causes)('records the cause in the endpoint’s log alone: %s %#', async (cause, settings, wrong) => {
    const endpoint = await endpointWith(settings);
    const answer = await sendRequest(gateway.url, endpoint, wrong(endpoint));
    const unknown = await sendRequest(gateway.url, { ...endpoint, slug: 'unknown-slug' });
    expect(answer.status).toBe(401);
    expect(visibleParts(answer)).toEqual(visibleParts(unknown));
    expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_auth',
      reason: cause,
      http_status: 401,
      why: { rule: cause },
    });
  });

  it.each<[string, () => string | undefined]>([
    ['behind', () => now(-4_000)],
    ['ahead', () => now(4_000)],
    ['in milliseconds', () => `${Date.now()}`],
    ['missing', () => undefined],
    ['not a number', () => 'noon'],
  ])('records by how much the client’s clock differs: %s', async (_, readClock) => {
    const endpoint = await endpointWith({ require_timestamp: true });
    const timestamp = readClock();
    const sentAt = Date.now();
    const answer = await sendRequest(gateway.url, endpoint, { headers: { 'x-service-timestamp': timestamp } });
    const answeredAt = Date.now();
    const { why } = await findLogEntry(gateway, endpoint, answer);
    const skew_seconds: unknown = Number(timestamp) ? expect.any(Number) : null;
    expect(why).toEqual({ rule: 'bad_timestamp', figures: { skew_seconds }, event_id: null });
    if (skew_seconds === null) return;
    const recorded = why.figures.skew_seconds as number;
    const skewAt = (time: number): number => Number(timestamp) - Math.floor(time / 1_000);
    expect(recorded).toBeLessThanOrEqual(skewAt(sentAt));
    expect(recorded).toBeGreaterThanOrEqual(skewAt(answeredAt));
  });

  it('for any path', async () => {
    const endpoint = await endpointWith();
    const expected = visibleParts(await sendRequest(gateway.url, { ...endpoint, slug: 'unknown' }));
    for (const slug of ['%00', '%F0%9F%98%80', "'--", 'x'.repeat(3_000), '..%2f..%2f'])
      expect(visibleParts(await sendRequest(gateway.url, { ...endpoint, slug }))).toEqual(expected);
  });

  it('for a request with other faults', async () => {
    const endpoint = await endpointWith();
    const wrong = { authorization: 'Bearer x' };
    const expected = visibleParts(await sendRequest(gateway.url, endpoint, { headers: wrong }));
    for (const request of [
      { headers: { ...wrong, 'content-type': 'text/plain' } },
      { headers: wrong, body: '{' },
      { headers: wrong, body: Buffer.alloc(6_000_000, 'a') },
    ])
      expect(visibleParts(await sendRequest(gateway.url, endpoint, request))).toEqual(expected);
  });

  describe('for a body that does not arrive (D-7)', () => {
    const JUNK = `sha256=${'0'.repeat(64)}`;
    const withheld: [cause: string, settings: object, slug: string | null, token: string | null][] = [
      ['unknown_slug', {}, 'unknown-slug', null],
      ['bad_token', {}, null, 'wrong'],
      ['bad_token', { require_signature: true }, null, 'wrong'],
      ['ip_not_allowed', { ip_allowlist: ['10.0.0.0/8'] }, null, null],
      ['bad_timestamp', { require_timestamp: true }, null, null],
      ['body_withheld', { require_signature: true }, null, null],
    ];
    it.each([
      ['not at all', ''],
      ['not completely', '{"text'],
    ])('%s', async (_, sent) => {
      const checks = withheld.map(async ([cause, settings, slug, token]) => {
        const endpoint = await endpointWith(settings);
        const address = { slug: slug ?? endpoint.slug, token: token ?? endpoint.token };
        const { socket, answer } = sendHead(address, 100, JUNK);
        socket.write(sent);
        const { status, requestId } = await answer;
        expect([cause, status]).toEqual([cause, 401]);
        if (slug !== null) return;
        const headers = new Headers({ 'x-request-id': requestId });
        expect(await findLogEntry(gateway, endpoint, { status, headers, text: '' })).toMatchObject({ reason: cause });
      });
      await Promise.all(checks);
    });
  });

  it('waits for a body that arrives slowly, whatever the fault, and accepts it if there is none', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const right = sign(endpoint.secret, BODY);
    const countStalls = ignoreStalls(); // the machine may stall for longer than the longest accepted silence
    try {
      const requests = [
        sendHead(endpoint, BODY.length, right),
        sendHead(
          endpoint,
          BODY.length,
          right.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        ),
        sendHead({ ...endpoint, token: 'wrong' }, BODY.length, right),
        sendHead({ ...endpoint, slug: 'unknown-slug' }, BODY.length, right),
      ];
      let answered = 0;
      for (const { answer } of requests) void answer.then(() => answered++);
      for (const letter of BODY) {
        expect(answered).toBe(0);
        for (const { socket } of requests) socket.write(letter);
        await sleep(100); // 1.7 s in total: longer than the longest accepted silence
      }
      const answers = await Promise.all(requests.map(({ answer }) => answer));
      expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401]);
    } finally {
      countStalls();
    }
  });

  it('puts an unknown slug into no endpoint’s log (D-14)', async () => {
    const endpoint = await endpointWith();
    await sendRequest(gateway.url, { ...endpoint, slug: 'unknown-slug' });
    const last = await sendRequest(gateway.url, endpoint, { headers: { authorization: undefined } });
    await findLogEntry(gateway, endpoint, last);
    expect(await readRequestLog(gateway, endpoint)).toHaveLength(1);
  });
});

describe('an authenticated request', () => {
  it.each([
    ['a bearer token', 'Bearer'],
    ['the scheme in any case', 'bEARER'],
    ['more than one space', 'Bearer   '],
  ])('is accepted with %s', async (_, scheme) => {
    const endpoint = await endpointWith();
    const headers = { authorization: `${scheme} ${endpoint.token}` };
    expect((await sendRequest(gateway.url, endpoint, { headers })).status).toBe(200);
  });

  it.each([
    ['now', 0],
    ['almost five minutes ago', -270],
    ['almost five minutes ahead', 270],
  ])('is accepted with a timestamp of %s', async (_, seconds) => {
    const endpoint = await endpointWith({ require_timestamp: true });
    const answer = await sendRequest(gateway.url, endpoint, { headers: { 'x-service-timestamp': now(seconds) } });
    expect(answer.status).toBe(200);
  });

  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['::ffff:127.0.0.1']])(
    'is accepted from an address that the allowlist contains as %s',
    async (entry) => {
      const endpoint = await endpointWith({ ip_allowlist: ['10.0.0.0/8', entry] });
      expect((await sendRequest(gateway.url, endpoint)).status).toBe(200);
    },
  );

  it('cannot claim another address if no proxy is trusted', async () => {
    const endpoint = await endpointWith({ ip_allowlist: ['10.1.2.3'] });
    expect((await sendRequest(gateway.url, endpoint, { headers: { 'x-forwarded-for': '10.1.2.3' } })).status).toBe(401);
  });

  it('is accepted with a signature over the exact bytes, with or without prefix, in either case (publish-api.md: Authentication, 5)', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const body = '{ "text":\t"caf\u00e9 \\u00e9" }\n';
    const signature = sign(endpoint.secret, body);
    const hex = signature.slice('sha256='.length);
    for (const header of [signature, hex, hex.toUpperCase(), `SHA256=${hex}`]) {
      const headers = { 'x-service-client-signature': header };
      expect((await sendRequest(gateway.url, endpoint, { body, headers })).status).toBe(200);
    }
  });

  describe('with a body beyond 5 MB is authenticated first (D-7)', () => {
    const LIMIT = 5_242_880;
    const statuses = async (endpoint: TestEndpoint, size: number): Promise<unknown[]> => {
      const body = Buffer.alloc(size, 'a');
      const wrong = sign('another secret', body);
      const signatures = [sign(endpoint.secret, body), wrong, sign(endpoint.secret, ''), undefined];
      const answers = [];
      for (const signature of signatures)
        answers.push(
          await sendRequest(gateway.url, endpoint, { body, headers: { 'x-service-client-signature': signature } }),
        );
      const lines = await Promise.all(answers.map((answer) => findLogEntry(gateway, endpoint, answer)));
      return lines.map(({ http_status, reason }) => [http_status, reason]);
    };

    it.each([
      ['one byte more', LIMIT + 1],
      ['four times as much', LIMIT * 4],
    ])('%s: 400 with a valid signature, 401 without', async (_, size) => {
      const endpoint = await endpointWith({ require_signature: true });
      const wrong = [401, 'bad_signature'];
      const expected = [[400, 'body_too_large'], wrong, wrong, [401, 'signature_missing']];
      // First without, then with a cached snapshot of the endpoint.
      for (let i = 0; i < 2; i++) expect(await statuses(endpoint, size)).toEqual(expected);
    });

    it('beyond the length that is read: 401', async () => {
      const endpoint = await endpointWith({ require_signature: true });
      const body = Buffer.alloc(LIMIT * 4 + 1_000_000, 'a');
      const headers = { 'x-service-client-signature': sign(endpoint.secret, body) };
      const answer = await sendRequest(gateway.url, endpoint, { body, headers });
      expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
    });

    it('with either secret during a rotation', async () => {
      const endpoint = await endpointWith({ require_signature: true });
      await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes: 10 });
      expect((await statuses(endpoint, LIMIT + 1))[0]).toEqual([400, 'body_too_large']);
    });

    it('in the sandbox too', async () => {
      const endpoint = await endpointWith({ require_signature: true });
      const body = 'a'.repeat(LIMIT + 1);
      const sandbox = async (secret: string) =>
        (await endpoint.sandbox(body, { 'x-service-client-signature': sign(secret, body) })).status;
      expect([await sandbox(endpoint.secret), await sandbox('another')]).toEqual([400, 401]);
    });
  });

  it('is accepted with either secret during a rotation with an overlap, and with the new one alone afterwards', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const send = (secret: string) =>
      sendRequest(gateway.url, endpoint, { body: BODY, headers: { 'x-service-client-signature': sign(secret, BODY) } });
    const rotate = async (overlap_minutes: number): Promise<string> =>
      (await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes })).signing_secret;
    const second = await rotate(10);
    expect([(await send(endpoint.secret)).status, (await send(second)).status]).toEqual([200, 200]);
    const third = await rotate(0);
    expect([(await send(second)).status, (await send(third)).status]).toEqual([401, 200]);
  });
});

describe('signed discovery (D-13)', () => {
  const route = '/info';
  const get = (endpoint: TestEndpoint, timestamp: string | undefined, signature: string, query = '') =>
    sendRequest(gateway.url, endpoint, {
      method: 'GET',
      route: route + query,
      headers: { 'x-service-timestamp': timestamp, 'x-service-client-signature': signature, 'content-type': undefined },
    });

  it('covers method, path as sent without query, and timestamp', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const path = `/v1/webhooks/${endpoint.slug}${route}`;
    const at = now();
    const signature = sign(endpoint.secret, `GET\n${path}\n${at}`);
    expect((await get(endpoint, at, signature)).status).toBe(200);
    expect((await get(endpoint, at, signature, '?verbose=1')).status).toBe(200);
    expect((await get(endpoint, now(1), signature)).status).toBe(401);
    expect((await get(endpoint, at, sign(endpoint.secret, ''))).status).toBe(401);
  });

  it('needs the timestamp even if the endpoint does not require it', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const path = `/v1/webhooks/${endpoint.slug}${route}`;
    const answer = await get(endpoint, undefined, sign(endpoint.secret, `GET\n${path}\nundefined`));
    expect(answer.status).toBe(401);
    expect((await findLogEntry(gateway, endpoint, answer)).reason).toBe('bad_timestamp');
  });
});

describe('a rotated token or slug', () => {
  it('is invalid at once, and its replacement is valid at once', async () => {
    const endpoint = await endpointWith();
    expect((await sendRequest(gateway.url, endpoint)).status).toBe(200);
    const { token } = await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-token`, {});
    expect((await sendRequest(gateway.url, endpoint)).status).toBe(401);
    expect((await sendRequest(gateway.url, { ...endpoint, token })).status).toBe(200);
    const { slug } = await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-slug`, {});
    expect((await sendRequest(gateway.url, { ...endpoint, token })).status).toBe(401);
    expect((await sendRequest(gateway.url, { ...endpoint, token, slug })).status).toBe(200);
  });
});

describe('a deployment with its own brand (D-34)', () => {
  it('uses it in tokens and headers', async () => {
    const acme = await TestGateway.start({ BRAND: 'acme' });
    try {
      const ownerId = await acme.createOwner();
      const endpoint = await acme.createEndpoint(ownerId, [], { require_timestamp: true, require_signature: true });
      expect(endpoint.token).toMatch(/^acme_live_/);
      const headers = (brand: string) => ({
        [`x-${brand}-timestamp`]: now(),
        [`x-${brand}-client-signature`]: sign(endpoint.secret, BODY),
      });
      expect((await sendRequest(acme.url, endpoint, { body: BODY, headers: headers('acme') })).status).toBe(200);
      expect((await sendRequest(acme.url, endpoint, { body: BODY, headers: headers('service') })).status).toBe(401);
    } finally {
      await acme.stop();
    }
  });
});

describe('behind a trusted proxy', () => {
  it('the client’s address is the one that the proxy recorded, not the one that the client claims', async () => {
    const proxied = await TestGateway.start({ TRUSTED_PROXIES: '127.0.0.1/32' });
    try {
      const endpoint = await proxied.createEndpoint(await proxied.createOwner(), [], {
        ip_allowlist: ['192.0.2.0/24'],
      });
      const from = (chain: string) => sendRequest(proxied.url, endpoint, { headers: { 'x-forwarded-for': chain } });
      expect((await from('192.0.2.7')).status).toBe(200);
      const forged = await from('192.0.2.7, 198.51.100.9');
      expect(forged.status).toBe(401);
      expect((await findLogEntry(proxied, endpoint, forged)).ip).toBe('198.51.100.9');
    } finally {
      await proxied.stop();
    }
  });
});
