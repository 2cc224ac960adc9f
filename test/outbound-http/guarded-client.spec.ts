import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { GuardedClient, readBytes } from '../../src/outbound-http/guarded-client.js';
import { TrafficMeter } from '../../src/outbound-http/request-slots.js';
import { until } from '../e2e/until.js';
import { clientWith, failure, host, LIMITS, LOOPBACK, tcp } from '../media/harness.js';
import { holdTimers, releaseTimers } from '../support/held-timers.js';

afterEach(releaseTimers);

describe('a request', () => {
  it('carries method, headers and body, and requests no compression', async () => {
    const there = await host();
    const url = there.on('/hook', (request, response) => {
      response.writeHead(201, { 'x-seen': JSON.stringify([request.method, request.headers]) });
      request.pipe(response);
    });
    const {
      status,
      headers,
      body,
      isComplete: complete,
    } = await clientWith().request(url, {
      ...LIMITS,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip', 'x-a': 'b' },
      body: '{"text":"привет"}',
    });
    expect([status, body.toString(), complete]).toEqual([201, '{"text":"привет"}', true]);
    const [method, sent] = JSON.parse(String(headers['x-seen'])) as [string, Record<string, string>];
    expect(method).toBe('POST');
    expect(sent).toMatchObject({ 'content-type': 'application/json', 'accept-encoding': 'identity', 'x-a': 'b' });
  });

  it.each([200, 204, 404, 410, 429, 500, 503])(
    'is answered with status %d, whose meaning the caller knows',
    async (n) => {
      const there = await host();
      const url = there.on('/', (_, response) => response.writeHead(n).end());
      expect((await clientWith().request(url, LIMITS)).status).toBe(n);
    },
  );

  it.each([300, 301, 302, 303, 304, 307, 308])('is not redirected: %d', async (status) => {
    const there = await host();
    const url = there.on('/', (_, response) => response.writeHead(status, { location: '/other' }).end());
    expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({ code: 'redirect', status });
    expect(there.requests).toHaveLength(1);
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x-unknown'])(
    'takes no answer that is encoded: %s',
    async (encoding) => {
      const there = await host();
      const url = there.on('/', (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('?'));
      expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({
        code: 'content_encoding',
        isPermanent: true,
        status: 200,
      });
    },
  );

  it.each(['identity', 'Identity', ''])('takes an answer that says it is as it is: "%s"', async (encoding) => {
    const there = await host();
    const url = there.on('/', (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('plain'));
    expect((await clientWith().request(url, LIMITS)).body.toString()).toBe('plain');
  });
});

describe('the length of an answer', () => {
  it.each([
    ['announced', true],
    ['not announced', false],
  ])('is at most the requested one, %s', async (_, contentLength) => {
    const there = await host();
    const fits = there.serve('/fits', Buffer.alloc(100_000), { contentLength });
    const exceeds = there.serve('/exceeds', Buffer.alloc(100_001), { contentLength });
    const client = clientWith();
    const limits = { ...LIMITS, maxBytes: 100_000 };
    expect((await client.request(fits, limits)).body).toHaveLength(100_000);
    expect(await failure(client.request(exceeds, limits))).toMatchObject({ code: 'too_large', isPermanent: true });
  });

  it('is cut if allowed, and the rest is not read', async () => {
    const there = await host();
    const size = 200_000_000;
    const url = there.serve('/', { size, read: (start, end) => Buffer.alloc(end - start, 7) });
    const { body, isComplete: complete } = await clientWith().request(url, { ...LIMITS, maxBytes: 1_000 }, 'cut');
    expect([body.length, complete]).toEqual([1_000, false]);
    expect(there.bytesSent).toBeLessThan(size / 10);
  });

  it('that ends exactly at the limit is complete, even if the host keeps the connection', async () => {
    const there = await host();
    const url = there.serve('/', Buffer.alloc(1_000));
    // Each request waits for the connection of the one before, so that it is not closed as idle between two of them.
    const client = clientWith({ connections: 1 });
    const ask = () => client.request(url, { ...LIMITS, maxBytes: 1_000 }, 'cut');
    for (const answer of await Promise.all([ask(), ask(), ask(), ask(), ask()]))
      expect(answer).toMatchObject({ isComplete: true });
    expect(there.connections.count).toBeLessThan(5);
  });

  it.each([
    ['breaks off', (response: ServerResponse) => setImmediate(() => response.destroy())],
    ['does not end in time', () => undefined],
  ])('may be less than announced where its beginning is enough: an answer that %s', async (_, after) => {
    const there = await host();
    const url = there.on('/', (__, response) => {
      response.writeHead(202, { 'content-length': 100 });
      response.write('half');
      after(response);
    });
    const letPass = holdTimers(6_000);
    const meter = new TrafficMeter();
    const answer = clientWith().request(url, { ...LIMITS, timeoutMs: 6_000, meter }, 'cut');
    await until('the beginning has arrived', () => meter.bytes > 0);
    letPass();
    const { status, body, isComplete } = await answer;
    expect([status, body.toString(), isComplete]).toEqual([202, 'half', false]);
  });

  it('does not keep a satisfied reader: an endless answer is disconnected', async () => {
    const there = await host();
    let closed: Promise<unknown> | undefined;
    const url = there.on('/', (_, response) => {
      closed = once(response, 'close');
      response.write(Buffer.alloc(1_000));
    });
    const client = clientWith();
    const { bytes } = await readBytes(await client.open(url, LIMITS), 100, 900);
    expect(bytes).toHaveLength(900);
    await closed;
  });

  it('is an error if less arrives than announced', async () => {
    const url = await tcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'));
    });
    expect(await failure(clientWith().request(url, LIMITS))).toMatchObject({ isPermanent: false });
  });
});

it('serves a hundred concurrent callers', async () => {
  const there = await host();
  const waiting: (() => void)[] = [];
  const urls = Array.from({ length: 100 }, (_, n) =>
    there.on(`/${n}`, (__, response) => {
      waiting.push(() => response.end(String(n)));
      if (waiting.length === 64) for (const answer of waiting.splice(0)) answer();
      else if (there.requests.length > 64) response.end(String(n));
    }),
  );
  const client = clientWith();
  const bodies = await Promise.all(urls.map(async (url) => (await client.request(url, LIMITS)).body.toString()));
  expect(bodies).toEqual(urls.map((_, n) => String(n)));
});

it('closes every connection when it is closed', async () => {
  const there = await host();
  const url = there.on('/', (_, response) => response.end('x'));
  const client = new GuardedClient({ policy: LOOPBACK });
  await client.request(url, LIMITS);
  await client.close();
  const probe = connect(there.port, '127.0.0.1').on('error', () => undefined);
  await once(probe, 'connect');
  probe.destroy();
  expect(await failure(client.request(url, LIMITS))).toMatchObject({ isPermanent: false });
});
