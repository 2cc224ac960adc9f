import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import { type Answer, call, type Call, lineOf, logOf, signed } from './calls.js';

let gateway: TestGateway;
let owner: string;
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.owner();
  projects = [await gateway.project(owner, [await gateway.channel(owner)])];
});
afterAll(() => gateway.stop());

const endpointWith = (settings: object = {}): Promise<TestEndpoint> => gateway.endpoint(owner, projects, settings);
const now = (seconds = 0): string => String(Math.floor(Date.now() / 1_000) + seconds);
const BODY = '{"text": "Hello"}';

/** Sends the head of a post, for a body of `length` bytes; what follows is the caller's. */
const dribble = ({ slug, token }: Pick<TestEndpoint, 'slug' | 'token'>, length: number, signature: string) => {
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

/** What a client can see of an answer, but for the request's own id and the time. */
const visible = ({ status, headers, text }: Answer): unknown => {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, headers: kept, text: text.replace(/req_[0-9a-f]+/, 'req_') };
};

describe('every failure of authentication is the same 401 (publish-api.md: Authentication, 8)', () => {
  const causes: [cause: string, settings: object, wrong: (endpoint: TestEndpoint) => Call][] = [
    ['bad_token', {}, () => ({ headers: { authorization: 'Bearer service_live_of-somebody-else' } })],
    ['bad_token', {}, () => ({ headers: { authorization: undefined } })],
    ['bad_token', {}, ({ token }) => ({ headers: { authorization: `Basic ${token}` } })],
    ['bad_token', {}, ({ token }) => ({ headers: { authorization: `Bearer ${token}x` } })],
    ['test_token', { mode: 'test' }, () => ({})],
    ['ip_not_allowed', { ip_allowlist: ['10.0.0.0/8', '2001:db8::/32'] }, () => ({})],
    ['bad_timestamp', { require_timestamp: true }, () => ({})],
    ['bad_timestamp', { require_timestamp: true }, () => ({ headers: { 'x-service-timestamp': now(-303) } })],
    ['bad_timestamp', { require_timestamp: true }, () => ({ headers: { 'x-service-timestamp': now(303) } })],
    ['bad_timestamp', { require_timestamp: true }, () => ({ headers: { 'x-service-timestamp': '12e3' } })],
    ['bad_signature', { require_signature: true }, () => ({})],
    [
      'bad_signature',
      { require_signature: true },
      ({ secret }) => ({ body: BODY, headers: { 'x-service-client-signature': signed(secret, `${BODY} `) } }),
    ],
    [
      'bad_signature',
      { require_signature: true },
      () => ({ body: BODY, headers: { 'x-service-client-signature': signed('another secret', BODY) } }),
    ],
    [
      'bad_signature',
      { require_signature: true },
      ({ secret }) => ({ body: BODY, headers: { 'x-service-client-signature': `${signed(secret, BODY)}00` } }),
    ],
  ];

  it.each(causes)('%s: told to the endpoint’s log alone %#', async (cause, settings, wrong) => {
    const endpoint = await endpointWith(settings);
    const answer = await call(gateway.url, endpoint, wrong(endpoint));
    const unknown = await call(gateway.url, { ...endpoint, slug: 'nobody-has-this-slug' });
    expect(answer.status).toBe(401);
    expect(visible(answer)).toEqual(visible(unknown));
    expect(await lineOf(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_auth',
      reason: cause,
      http_status: 401,
      why: { rule: cause },
    });
  });

  it('whatever the address is made of', async () => {
    const endpoint = await endpointWith();
    const expected = visible(await call(gateway.url, { ...endpoint, slug: 'nobody' }));
    for (const slug of ['%00', '%F0%9F%98%80', "'--", 'x'.repeat(3_000), '..%2f..%2f'])
      expect(visible(await call(gateway.url, { ...endpoint, slug }))).toEqual(expected);
  });

  it('whatever else is wrong with the request', async () => {
    const endpoint = await endpointWith();
    const wrong = { authorization: 'Bearer x' };
    const expected = visible(await call(gateway.url, endpoint, { headers: wrong }));
    for (const request of [
      { headers: { ...wrong, 'content-type': 'text/plain' } },
      { headers: wrong, body: '{' },
      { headers: wrong, body: Buffer.alloc(6_000_000, 'a') },
    ])
      expect(visible(await call(gateway.url, endpoint, request))).toEqual(expected);
  });

  describe('also where the body does not come (D-7)', () => {
    const JUNK = `sha256=${'0'.repeat(64)}`;
    const withheld: [cause: string, settings: object, slug: string | null, token: string | null][] = [
      ['unknown_slug', {}, 'nobody-has-this-slug', null],
      ['bad_token', {}, null, 'wrong'],
      ['bad_token', { require_signature: true }, null, 'wrong'],
      ['ip_not_allowed', { ip_allowlist: ['10.0.0.0/8'] }, null, null],
      ['bad_timestamp', { require_timestamp: true }, null, null],
      ['body_withheld', { require_signature: true }, null, null],
    ];
    it.each([
      ['at all', ''],
      ['to its end', '{"text'],
    ])('%s', async (_, sent) => {
      const played = withheld.map(async ([cause, settings, slug, token]) => {
        const endpoint = await endpointWith(settings);
        const address = { slug: slug ?? endpoint.slug, token: token ?? endpoint.token };
        const { socket, answer } = dribble(address, 100, JUNK);
        socket.write(sent);
        const { status, requestId } = await answer;
        expect([cause, status]).toEqual([cause, 401]);
        if (slug !== null) return;
        const headers = new Headers({ 'x-request-id': requestId });
        expect(await lineOf(gateway, endpoint, { status, headers, text: '' })).toMatchObject({ reason: cause });
      });
      await Promise.all(played);
    });
  });

  const slowly = async (times = 1): Promise<void> => {
    expect(times).toBeLessThan(5);
    const endpoint = await endpointWith({ require_signature: true });
    const right = signed(endpoint.secret, BODY);
    const visits = [
      dribble(endpoint, BODY.length, right),
      dribble(
        endpoint,
        BODY.length,
        right.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
      dribble({ ...endpoint, token: 'wrong' }, BODY.length, right),
      dribble({ ...endpoint, slug: 'nobody-has-this-slug' }, BODY.length, right),
    ];
    let answered = 0;
    for (const { answer } of visits) void answer.then(() => answered++);
    let heardAt = performance.now();
    for (const letter of BODY) {
      if (performance.now() > heardAt + 500) return slowly(times + 1); // the machine stood still, for longer than is waited
      expect(answered).toBe(0);
      for (const { socket } of visits) socket.write(letter);
      heardAt = performance.now();
      await sleep(100); // 1.7 s in all: longer than one may be silent
    }
    const answers = await Promise.all(visits.map(({ answer }) => answer));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401]);
  };
  it('a body that comes slowly is waited for, whatever is wrong, and taken where nothing is', () => slowly());

  it('an unknown slug is in no endpoint’s log (D-14)', async () => {
    const endpoint = await endpointWith();
    await call(gateway.url, { ...endpoint, slug: 'nobody-has-this-slug' });
    const last = await call(gateway.url, endpoint, { headers: { authorization: undefined } });
    await lineOf(gateway, endpoint, last);
    expect(await logOf(gateway, endpoint)).toHaveLength(1);
  });
});

describe('a request that is who it says it is', () => {
  it.each([
    ['a bearer token', 'Bearer'],
    ['the scheme in any case', 'bEARER'],
    ['more than one space', 'Bearer   '],
  ])('by %s', async (_, scheme) => {
    const endpoint = await endpointWith();
    const headers = { authorization: `${scheme} ${endpoint.token}` };
    expect((await call(gateway.url, endpoint, { headers })).status).toBe(200);
  });

  it.each([
    ['now', 0],
    ['almost five minutes ago', -297],
    ['almost five minutes ahead', 297],
  ])('at a time of %s', async (_, seconds) => {
    const endpoint = await endpointWith({ require_timestamp: true });
    const answer = await call(gateway.url, endpoint, { headers: { 'x-service-timestamp': now(seconds) } });
    expect(answer.status).toBe(200);
  });

  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['::ffff:127.0.0.1']])(
    'from an address that is on the list as %s',
    async (entry) => {
      const endpoint = await endpointWith({ ip_allowlist: ['10.0.0.0/8', entry] });
      expect((await call(gateway.url, endpoint)).status).toBe(200);
    },
  );

  it('cannot give another address than its own where no proxy is trusted', async () => {
    const endpoint = await endpointWith({ ip_allowlist: ['10.1.2.3'] });
    expect((await call(gateway.url, endpoint, { headers: { 'x-forwarded-for': '10.1.2.3' } })).status).toBe(401);
  });

  it('by a signature over the very bytes, with or without prefix, in either case (publish-api.md: Authentication, 5)', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const body = '{ "text":\t"caf\u00e9 \\u00e9" }\n';
    const signature = signed(endpoint.secret, body);
    const hex = signature.slice('sha256='.length);
    for (const header of [signature, hex, hex.toUpperCase(), `SHA256=${hex}`]) {
      const headers = { 'x-service-client-signature': header };
      expect((await call(gateway.url, endpoint, { body, headers })).status).toBe(200);
    }
  });

  describe('with a body beyond 5 MB: who sent it comes first (D-7)', () => {
    const LIMIT = 5_242_880;
    const statuses = async (endpoint: TestEndpoint, size: number): Promise<unknown[]> => {
      const body = Buffer.alloc(size, 'a');
      const wrong = signed('another secret', body);
      const signatures = [signed(endpoint.secret, body), wrong, signed(endpoint.secret, ''), undefined];
      const answers = [];
      for (const signature of signatures)
        answers.push(await call(gateway.url, endpoint, { body, headers: { 'x-service-client-signature': signature } }));
      const lines = await Promise.all(answers.map((answer) => lineOf(gateway, endpoint, answer)));
      return lines.map(({ http_status, reason }) => [http_status, reason]);
    };

    it.each([
      ['a byte more', LIMIT + 1],
      ['four times as much', LIMIT * 4],
    ])('%s: 400 where it is rightly signed, 401 where it is not', async (_, size) => {
      const endpoint = await endpointWith({ require_signature: true });
      const expected = [[400, 'body_too_large'], ...Array(3).fill([401, 'bad_signature'])];
      // At first the endpoint is not known to this process, and then it is.
      for (let i = 0; i < 2; i++) expect(await statuses(endpoint, size)).toEqual(expected);
    });

    it('of which nobody reads the end: 401', async () => {
      const endpoint = await endpointWith({ require_signature: true });
      const body = Buffer.alloc(LIMIT * 4 + 1_000_000, 'a');
      const headers = { 'x-service-client-signature': signed(endpoint.secret, body) };
      const answer = await call(gateway.url, endpoint, { body, headers });
      expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
    });

    it('under either secret while one is rotated', async () => {
      const endpoint = await endpointWith({ require_signature: true });
      await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes: 10 });
      expect((await statuses(endpoint, LIMIT + 1))[0]).toEqual([400, 'body_too_large']);
    });

    it('in the sandbox as well', async () => {
      const endpoint = await endpointWith({ require_signature: true });
      const body = 'a'.repeat(LIMIT + 1);
      const sandbox = async (secret: string) =>
        (await endpoint.sandbox(body, { 'x-service-client-signature': signed(secret, body) })).status;
      expect([await sandbox(endpoint.secret), await sandbox('another')]).toEqual([400, 401]);
    });
  });

  it('by a signature under either secret while one is rotated with an overlap, and under the new one alone after', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const send = (secret: string) =>
      call(gateway.url, endpoint, { body: BODY, headers: { 'x-service-client-signature': signed(secret, BODY) } });
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
    call(gateway.url, endpoint, {
      ...{ method: 'GET', route: route + query },
      headers: { 'x-service-timestamp': timestamp, 'x-service-client-signature': signature, 'content-type': undefined },
    });

  it('signs method, path as sent without query, and timestamp', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const path = `/v1/webhooks/${endpoint.slug}${route}`;
    const at = now();
    const signature = signed(endpoint.secret, `GET\n${path}\n${at}`);
    expect((await get(endpoint, at, signature)).status).toBe(200);
    expect((await get(endpoint, at, signature, '?verbose=1')).status).toBe(200);
    expect((await get(endpoint, now(1), signature)).status).toBe(401);
    expect((await get(endpoint, at, signed(endpoint.secret, ''))).status).toBe(401);
  });

  it('needs the timestamp, also where the endpoint does not require it', async () => {
    const endpoint = await endpointWith({ require_signature: true });
    const path = `/v1/webhooks/${endpoint.slug}${route}`;
    const answer = await get(endpoint, undefined, signed(endpoint.secret, `GET\n${path}\nundefined`));
    expect(answer.status).toBe(401);
    expect((await lineOf(gateway, endpoint, answer)).reason).toBe('bad_timestamp');
  });
});

describe('what was rotated', () => {
  it('is dead at once, and what came in its place alive: token and slug', async () => {
    const endpoint = await endpointWith();
    expect((await call(gateway.url, endpoint)).status).toBe(200);
    const { token } = await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-token`, {});
    expect((await call(gateway.url, endpoint)).status).toBe(401);
    expect((await call(gateway.url, { ...endpoint, token })).status).toBe(200);
    const { slug } = await gateway.manage('POST', `/endpoints/${endpoint.id}/rotate-slug`, {});
    expect((await call(gateway.url, { ...endpoint, token })).status).toBe(401);
    expect((await call(gateway.url, { ...endpoint, token, slug })).status).toBe(200);
  });
});

describe('a deployment with a name of its own (D-34)', () => {
  it('has it in tokens and headers', async () => {
    const acme = await TestGateway.start({ BRAND: 'acme' });
    try {
      const its = await acme.owner();
      const endpoint = await acme.endpoint(its, [], { require_timestamp: true, require_signature: true });
      expect(endpoint.token).toMatch(/^acme_live_/);
      const headers = (brand: string) => ({
        [`x-${brand}-timestamp`]: now(),
        [`x-${brand}-client-signature`]: signed(endpoint.secret, BODY),
      });
      expect((await call(acme.url, endpoint, { body: BODY, headers: headers('acme') })).status).toBe(200);
      expect((await call(acme.url, endpoint, { body: BODY, headers: headers('service') })).status).toBe(401);
    } finally {
      await acme.stop();
    }
  });
});

describe('behind a proxy that is trusted', () => {
  it('the client’s address is the one that the proxy saw, not the one that the client claims', async () => {
    const proxied = await TestGateway.start({ TRUSTED_PROXIES: '127.0.0.1/32' });
    try {
      const endpoint = await proxied.endpoint(await proxied.owner(), [], { ip_allowlist: ['192.0.2.0/24'] });
      const from = (chain: string) => call(proxied.url, endpoint, { headers: { 'x-forwarded-for': chain } });
      expect((await from('192.0.2.7')).status).toBe(200);
      const forged = await from('192.0.2.7, 198.51.100.9');
      expect(forged.status).toBe(401);
      expect((await lineOf(proxied, endpoint, forged)).ip).toBe('198.51.100.9');
    } finally {
      await proxied.stop();
    }
  });
});
