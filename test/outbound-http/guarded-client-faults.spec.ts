import { until } from '../e2e/until.js';
import { selfSigned } from '../media/certificate.js';
import { clientWith, failure, host, LIMITS, tcp } from '../media/harness.js';

describe('https', () => {
  const good = selfSigned(['127.0.0.1', 'media.example']);

  it('is used with hosts that have a trusted, matching certificate', async () => {
    const there = await host({ tls: good });
    const url = there.on('/', (_, response) => response.end('safe'));
    const client = clientWith({ ca: good.cert, resolve: async () => ['127.0.0.1'] });
    expect((await client.request(url, LIMITS)).body.toString()).toBe('safe');
    expect((await client.request(there.as('media.example', '/'), LIMITS)).body.toString()).toBe('safe');
    expect(await failure(client.request(there.as('other.example', '/'), LIMITS))).toMatchObject({
      code: 'tls',
      isPermanent: true,
    });
  });

  it.each([
    ['without a trusted issuer', good, undefined],
    ['that has expired', selfSigned(['127.0.0.1'], { expired: true }), 'its own'],
  ])('is not used with a certificate %s', async (_, tls, trusted) => {
    const there = await host({ tls });
    const url = there.on('/', (__, response) => response.end('unsafe'));
    const client = clientWith(trusted ? { ca: tls.cert } : {});
    expect(await failure(client.request(url, LIMITS))).toMatchObject({ code: 'tls', isPermanent: true });
    expect(there.requests).toEqual([]);
  });

  it('may work later with a host that does not offer it now', async () => {
    const url = (await tcp((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))).replace('http:', 'https:');
    expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({ code: 'tls', isPermanent: false });
  });
});

describe('time', () => {
  const SHORT = { ...LIMITS, timeoutMs: 300 };

  it('runs out if no headers arrive', async () => {
    const there = await host();
    const url = there.on('/', () => undefined);
    expect(await failure(clientWith().request(url, SHORT))).toMatchObject({ code: 'timeout', isPermanent: false });
  });

  it('runs out if the body arrives slowly but steadily', async () => {
    const there = await host();
    const url = there.on('/', (_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    expect(await failure(clientWith().request(url, SHORT))).toMatchObject({ code: 'timeout', isPermanent: false });
  });

  it.each([
    ['before the headers', '', { headersMs: 100 }],
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', { idleMs: 100 }],
  ])('runs out if a host falls silent %s', async (_, answer, timeouts) => {
    const url = await tcp((socket) => socket.once('data', () => socket.write(answer)));
    expect(await failure(clientWith({ timeouts }).request(url, LIMITS))).toMatchObject({
      code: 'timeout',
      isPermanent: false,
    });
  });

  it('runs out in the TLS handshake', async () => {
    const url = (await tcp(() => undefined)).replace('http:', 'https:');
    const client = clientWith({ timeouts: { connectMs: 200 } });
    expect(await failure(client.request(url, LIMITS))).toMatchObject({ code: 'timeout', isPermanent: false });
  });

  it('runs out during a slow name look-up', async () => {
    const client = clientWith({ resolve: () => new Promise(() => undefined), timeouts: { connectMs: 200 } });
    expect(await failure(client.request('http://media.example/', LIMITS))).toMatchObject({ code: 'timeout' });
  });

  it('ends when the caller aborts, before and during a request', async () => {
    const there = await host();
    const asked = new AbortController();
    const url = there.on('/', (_, response) => {
      response.write('a');
      asked.abort();
    });
    const client = clientWith();
    for (const signal of [asked.signal, AbortSignal.abort()])
      expect(await failure(client.request(url, { ...LIMITS, signal }))).toMatchObject({
        code: 'aborted',
        isPermanent: false,
      });
    expect(there.requests).toHaveLength(1);
  });
});

describe('a request that waits for a connection', () => {
  it('ends at its deadline, and is never sent', async () => {
    const there = await host();
    const held: (() => void)[] = [];
    const url = there.on('/', (_, response) => void held.push(() => response.end('late')));
    const client = clientWith({ connections: 1 });
    const isHeld = (): Promise<boolean> => until('the host has a request', () => held.length > 0);
    const first = client.request(url, LIMITS);
    await isHeld();
    expect(await failure(client.request(url, { ...LIMITS, timeoutMs: 100 }))).toMatchObject({ code: 'timeout' });
    held.shift()!();
    expect((await first).body.toString()).toBe('late');
    const next = client.request(url, LIMITS);
    await isHeld();
    held.shift()!();
    await next;
    expect(there.requests).toHaveLength(2);
  });
});

describe('a broken host', () => {
  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad_answer'],
    ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`, 'bad_answer'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'bad_answer'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'bad_answer'],
    ['nothing', undefined, 'unreachable'],
  ])('may work later: %s', async (_, answer, code) => {
    const url = await tcp((socket) =>
      socket.once('data', () => (answer === undefined ? socket.destroy() : socket.end(answer))),
    );
    expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({ code, isPermanent: false });
  });

  it('may be back later', async () => {
    const there = await host();
    const url = there.on('/', (_, response) => response.end());
    await there.stop();
    expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({ code: 'unreachable', isPermanent: false });
  });

  it('that breaks off is reported, and does not affect the next request', async () => {
    const there = await host();
    const broken = there.on('/broken', (_, response) => {
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const sound = there.on('/sound', (_, response) => response.end('whole'));
    const client = clientWith();
    expect(await failure(client.request(broken, LIMITS))).toMatchObject({ code: 'unreachable', isPermanent: false });
    expect((await client.request(sound, LIMITS)).body.toString()).toBe('whole');
  });
});
