import { buildConnector } from 'undici';
import { resolveHost } from '../../src/outbound-http/guarded-connect.js';
import { createAddressPolicy, PUBLIC_ONLY } from '../../src/outbound-http/url-rules.js';
import { clientWith, failure, host, LIMITS } from '../media/harness.js';

describe('a private address (security.md: Fetching media safely)', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://2130706433/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::]/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://localhost/',
    'https://anything.localhost/',
  ])('is not called by address or local name: %s', async (url) => {
    const client = clientWith({ policy: PUBLIC_ONLY });
    expect(await failure(client.request(url, LIMITS))).toMatchObject({ code: 'private_address', isPermanent: true });
  });

  it.each([
    ...['127.0.0.1', '0.0.0.0', '10.0.0.1', '100.64.0.1', '169.254.169.254', '172.31.255.255', '192.168.1.1'],
    ...['::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '::7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::', 'fe80::1'],
    ...['fd00::1', 'ff02::1', 'no address'],
  ])('is not called by a name that resolves to it: %s', async (address) => {
    const client = clientWith({ policy: PUBLIC_ONLY, resolve: async () => [address] });
    expect(await failure(client.request('https://media.example/', LIMITS))).toMatchObject({
      code: 'private_address',
      isPermanent: true,
    });
  });

  it('is skipped if a name has another address that is allowed', async () => {
    const there = await host();
    there.on('/', (_, response) => response.end('here'));
    const client = clientWith({ resolve: async () => ['10.255.255.1', 'fd00::1', '127.0.0.1', '192.168.0.1'] });
    const { body } = await client.request(there.as('media.example', '/'), LIMITS);
    expect(body.toString()).toBe('here');
  });

  it('cannot replace the checked address before the connection (DNS rebinding)', async () => {
    const good = await host({ address: '127.0.0.2' });
    good.on('/', (_, response) => response.setHeader('connection', 'close').end('good'));
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    let lookups = 0;
    const client = clientWith({
      policy: createAddressPolicy(['127.0.0.2/32']),
      resolve: async () => answers[lookups++] ?? [],
    });
    const { body } = await client.request(good.as('media.example', '/'), LIMITS);
    expect(body.toString()).toBe('good');
    expect(lookups).toBe(1);
    expect(await failure(client.request(good.as('media.example', '/'), LIMITS))).toMatchObject({
      code: 'private_address',
    });
    expect(lookups).toBe(2);
  });

  it('is disconnected if the connection ends there all the same', async () => {
    const wrong = await host();
    wrong.on('/', (_, response) => response.end('secret'));
    const client = clientWith({
      policy: createAddressPolicy(['127.0.0.2/32']),
      build: (options) => {
        const real = buildConnector(options);
        return (target, callback) => real({ ...target, hostname: '127.0.0.1' }, callback);
      },
    });
    const url = `http://127.0.0.2:${wrong.port}/`;
    expect(await failure(client.request(url, LIMITS))).toMatchObject({ code: 'private_address' });
    expect(wrong.connections.count).toBe(1);
    expect(wrong.requests).toEqual([]);
  });

  it('is not reached through a redirect', async () => {
    const there = await host();
    const secret = there.on('/secret', (_, response) => response.end('secret'));
    const url = there.on('/', (_, response) => response.writeHead(302, { location: secret }).end());
    expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({
      code: 'redirect',
      isPermanent: true,
      status: 302,
    });
    expect(there.requests.map(({ path }) => path)).toEqual(['/']);
  });

  it('is not reached through a proxy of the environment', async () => {
    const proxy = await host();
    const there = await host();
    const url = there.on('/', (_, response) => response.end('direct'));
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = proxy.origin;
    try {
      expect((await clientWith().request(url, LIMITS)).body.toString()).toBe('direct');
    } finally {
      names.forEach((name, n) => {
        if (before[n] === undefined) delete process.env[name];
        else process.env[name] = before[n];
      });
    }
    expect(proxy.connections.count).toBe(0);
  });
});

describe('a URL', () => {
  it.each([
    ['http://media.example/'],
    ['https://media.example:8443/'],
    ['https://user:password@media.example/'],
    ['https://media.example./'],
    ['ftp://media.example/'],
    ['https:///media.example/'],
    ['not a url'],
    [`https://media.example/${'a'.repeat(2_048)}`],
  ])('is refused before any look-up: %s', async (url) => {
    let lookups = 0;
    const resolve = async () => (lookups++, ['127.0.0.1']);
    const client = clientWith({ policy: PUBLIC_ONLY, resolve });
    expect(await failure(client.request(url, LIMITS))).toMatchObject({ code: 'url_refused', isPermanent: true });
    expect(lookups).toBe(0);
  });

  it.each(['http://media.example/', 'https://media.example:8443/'])(
    'without https on port 443 is for private addresses alone, also behind a name: %s',
    async (url) => {
      const client = clientWith({ resolve: async () => ['93.184.215.14', '2606:2800:21f:cb07::1'] });
      expect(await failure(client.request(url, LIMITS))).toMatchObject({ code: 'url_refused', isPermanent: true });
    },
  );

  it('is in no message, nor is its signature', async () => {
    const there = await host();
    const url = there.on('/path?signature=abc', (_, response) => response.writeHead(302).end());
    const { message } = await failure(clientWith().request(url, LIMITS));
    expect(message).not.toMatch(/path|signature|abc/);
  });
});

describe('a host name', () => {
  it('of the local machine needs no name server', async () => {
    expect(await resolveHost('localhost')).toEqual(['127.0.0.1', '::1']);
    const there = await host();
    there.on('/', (_, response) => response.end('here'));
    expect((await clientWith().request(there.as('a.localhost', '/'), LIMITS)).body.toString()).toBe('here');
  });

  it('that is unknown may be known later', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    const error = await failure(clientWith({ resolve }).request('http://gone.example/', LIMITS));
    expect(error).toMatchObject({ code: 'unreachable', isPermanent: false });
    expect(error.message).toContain('gone.example');
  });

  it.each([
    ['without addresses', async () => [], 'unreachable'],
    ['whose servers are silent', () => Promise.reject(Object.assign(new Error(), { code: 'ETIMEOUT' })), 'timeout'],
    [
      'whose servers are broken',
      () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' })),
      'unreachable',
    ],
  ])('%s may be reached later', async (_, resolve, code) => {
    const error = await failure(clientWith({ resolve }).request('http://media.example/', LIMITS));
    expect(error).toMatchObject({ code, isPermanent: false });
  });
});
