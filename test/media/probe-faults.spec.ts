import { buildProgram } from '../../src/media/helper.js';
import { Inspector } from '../../src/media/inspector.js';
import { createProber, findMediaProblems, type ProbeReport, type ProberOptions } from '../../src/media/probe.js';
import { createAddressPolicy } from '../../src/outbound-http/url-rules.js';
import type { Media } from '../../src/payload/payload.js';
import { selfSigned } from './certificate.js';
import { clientWith, host, stopLater, tcp } from './harness.js';
import { gif, jpeg, png } from './make-images.js';
import { makeVideo, makeVideoParts } from './make-videos.js';
import { sparse, type TestHost } from './test-host.js';

const MB = 1_048_576;

/** Limits that no probe here comes near, so that a busy machine does not change the result. */
const BUDGET_MS = 120_000;
const createInspector = () => new Inspector({ timeoutMs: BUDGET_MS });

const prober = (options: Partial<ProberOptions> = {}) => {
  const made = createProber({
    client: clientWith(),
    inspector: createInspector(),
    budgetMs: BUDGET_MS,
    ...options,
  });
  stopLater({ stop: async () => made.close() });
  return made;
};
const reportOn = async (url: string, type: Media['type'] = 'photo', options?: Partial<ProberOptions>) => {
  const [report] = await prober(options).probeAll([{ type, url }]);
  return report as ProbeReport;
};

let there: TestHost;
beforeEach(async () => {
  there = await host();
});

describe('a certain problem (D-24)', () => {
  it.each([400, 401, 403, 404, 405, 410, 414, 451])('is a host that answers %d', async (status) => {
    const { ok, problem } = await reportOn(there.on('/', (_, response) => response.writeHead(status).end('no')));
    expect([ok, problem?.code, problem?.path]).toEqual([false, 'media_http_status', 'media[0].url']);
    expect(problem?.message).toContain(`media[0].url could not be downloaded: HTTP ${status}`);
  });

  it.each([301, 302, 307, 308])('is a redirect: %d', async (status) => {
    const url = there.on('/', (_, response) => response.writeHead(status, { location: '/photo.png' }).end());
    there.serve('/photo.png', png(8, 8));
    expect((await reportOn(url)).problem).toMatchObject({
      code: 'media_redirect',
      message: expect.stringMatching(
        /^media\[0\]\.url could not be downloaded: HTTP 30\d, a redirect; use the direct URL of the file$/,
      ) as string,
    });
  });

  it('is a private address, given directly or behind a host name', async () => {
    const client = clientWith({ policy: createAddressPolicy([]), resolve: async () => ['10.0.0.1'] });
    for (const url of ['https://media.example/', 'https://127.0.0.1/'])
      expect((await reportOn(url, 'photo', { client })).problem).toMatchObject({ code: 'private_address' });
  });

  it('is an invalid certificate', async () => {
    const unsafe = await host({ tls: selfSigned(['127.0.0.1']) });
    expect((await reportOn(unsafe.serve('/', png(8, 8)))).problem).toMatchObject({ code: 'media_tls' });
  });

  it('is a host that always compresses', async () => {
    const url = there.serve('/', png(8, 8), { headers: { 'content-encoding': 'gzip' } });
    expect((await reportOn(url)).problem).toMatchObject({ code: 'media_content_encoding' });
  });
});

describe('a slow or unavailable host is not an error (D-24)', () => {
  const isOpen = (report: ProbeReport): void => {
    expect(report).toMatchObject({ ok: true, inconclusive: true });
    expect(report.problem).toBeUndefined();
    expect(report.note).toMatch(/^media\[0\]\.url ./);
    expect(findMediaProblems([report])).toEqual([]);
  };

  it.each([408, 425, 429, 500, 502, 503, 504])('it answers %d', async (status) => {
    isOpen(await reportOn(there.on('/', (_, response) => response.writeHead(status).end())));
  });

  it('its name has no address, which is reported (D-49)', async () => {
    const client = clientWith({ resolve: async () => [] });
    const report = await reportOn('https://media.example/', 'photo', { client });
    isOpen(report);
    expect(report.isHostUnknown).toBe(true);
  });

  it('it refuses connections', async () => {
    const url = there.serve('/', png(8, 8));
    await there.stop();
    isOpen(await reportOn(url));
  });

  it('its name is unknown', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
    const report = await reportOn('http://media.example/', 'photo', { client: clientWith({ resolve }) });
    isOpen(report);
    expect(report.note).toBe(
      'media[0].url cannot be reached: host name cannot be resolved (media.example); check the URL',
    );
  });

  it.each<[string, (socket: { write(text: string): unknown; destroy(): unknown }) => unknown]>([
    ['says nothing', () => undefined],
    ['stops in its headers', (socket) => socket.write('HTTP/1.1 206 Partial')],
    ['stops in the file', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc')],
  ])('it %s until the budget is used up', async (_, answer) => {
    const url = await tcp((socket) => socket.once('data', () => answer(socket)));
    isOpen(await reportOn(url, 'photo', { budgetMs: 300 }));
  });

  it.each([
    ['hangs up', ''],
    ['sends less than it announces', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc'],
    ['is no HTTP server', '220 mail.example ESMTP\r\n'],
  ])('it %s', async (_, answer) => {
    const url = await tcp((socket) => socket.once('data', () => socket.end(answer)));
    isOpen(await reportOn(url));
  });

  it('it sends slowly while other media are probed', async () => {
    const drip = there.on('/drip', (_, response) => {
      response.writeHead(200, { 'content-length': 100_000 });
      const drops = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drops));
    });
    const media = [
      { type: 'photo', url: drip },
      { type: 'photo', url: there.serve('/photo', png(8, 8)) },
      { type: 'photo', url: there.serve('/gif', gif()) },
    ] as const;
    // The time runs out once the other media have been examined.
    const over = new AbortController();
    const inspector = createInspector();
    const inspect = inspector.inspect.bind(inspector);
    let examined = 0;
    inspector.inspect = async (...question) => {
      const answer = await inspect(...question);
      if (++examined === 2) setImmediate(() => over.abort());
      return answer;
    };
    const reports = await prober({ inspector }).probeAll(media, { signal: over.signal });
    expect(reports.map(({ ok, inconclusive }) => [ok, inconclusive])).toEqual([
      ...[
        [true, true],
        [true, false],
        [false, false],
      ],
    ]);
  });

  it('its file crashes the parser', async () => {
    const inspector = new Inspector({
      timeoutMs: 100,
      program: buildProgram(async () => () => {
        for (;;);
      }),
    });
    isOpen(await reportOn(there.serve('/', png(8, 8)), 'photo', { inspector }));
  });

  it('the caller has gone', async () => {
    const url = there.serve('/', png(8, 8));
    const [report] = await prober().probeAll([{ type: 'photo', url }], { signal: AbortSignal.abort() });
    isOpen(report as ProbeReport);
    expect(there.requests).toEqual([]);
  });
});

describe('a host that ignores Range', () => {
  it('is read as far as needed, then disconnected', async () => {
    const photo = jpeg(640, 480, 300_000);
    const url = there.serve('/', sparse(20 * MB, photo), { ranges: 'ignored' });
    expect(await reportOn(url)).toMatchObject({ ok: true, inconclusive: false, sizeBytes: 20 * MB, width: 640 });
    // Each answer is broken off; the system has taken some MB of it by then.
    expect(there.bytesSent).toBeLessThan(there.requests.length * 10 * MB);
  });

  it('is refused for its announced length', async () => {
    const url = there.serve('/', sparse(20 * MB + 1, png(8, 8)), { ranges: 'ignored' });
    expect((await reportOn(url)).problem).toMatchObject({ code: 'media_too_large' });
  });

  it('gives the length of a video with a near index', async () => {
    const near = there.serve('/', makeVideo({ seconds: 1_801, index: 'last', mediaBytes: 2 * MB }), {
      ranges: 'ignored',
    });
    expect((await reportOn(near, 'video')).problem).toMatchObject({ code: 'media_too_long' });
  });

  it('leaves the length of a video with a far index unknown, and is not read to the end', async () => {
    const { before, mediaBytes, after } = makeVideoParts({ seconds: 1_801, index: 'last', mediaBytes: 200 * MB });
    const file = sparse(before.length + mediaBytes + after.length, before, after);
    const report = await reportOn(there.serve('/', file, { ranges: 'ignored' }), 'video');
    expect(report).toMatchObject({ ok: true, inconclusive: true, sizeBytes: file.size });
    expect(there.bytesSent).toBeLessThan(20 * MB);
  });

  it('and announces no length: a short file is measured, a long one stays unknown', async () => {
    const how = { ranges: 'ignored', contentLength: false } as const;
    const short = png(8, 8);
    expect(await reportOn(there.serve('/short', short, how))).toMatchObject({
      ok: true,
      inconclusive: false,
      sizeBytes: short.length,
    });
    expect(await reportOn(there.serve('/long', sparse(MB, short), how))).toMatchObject({
      ok: true,
      inconclusive: true,
      sizeBytes: null,
      width: 8,
    });
    expect((await reportOn(there.serve('/gif', sparse(MB, gif()), how))).problem).toMatchObject({
      code: 'media_format',
    });
    expect(await reportOn(there.serve('/film', makeVideo({ seconds: 9 }), how), 'video')).toMatchObject({
      ok: true,
      durationSeconds: 9,
    });
    const far = makeVideo({ seconds: 9, index: 'last', mediaBytes: 6 * MB });
    expect(await reportOn(there.serve('/far', far, how), 'video')).toMatchObject({ ok: true, inconclusive: true });
  });
});

describe('a host with wrong Range answers is not trusted', () => {
  it.each([
    ['another part', 'bytes 100-199/1000', Buffer.alloc(100)],
    ['a part without saying which', undefined, Buffer.alloc(100)],
    ['nonsense', 'bytes half of it', Buffer.alloc(100)],
    ['more than there is', 'bytes 0-99/50', Buffer.alloc(100)],
    ['less than there is', 'bytes 0-9/1000', Buffer.alloc(10)],
    ['nothing of something', 'bytes 0-0/1000', Buffer.alloc(0)],
  ])('%s', async (_, range, body) => {
    const url = there.on('/', (__, response) => {
      response.writeHead(206, { 'content-length': body.length, ...(range && { 'content-range': range }) }).end(body);
    });
    expect(await reportOn(url)).toMatchObject({ ok: true, inconclusive: true });
  });

  it('it is disconnected when it sends more than requested', async () => {
    const size = 100 * MB;
    const file = sparse(size, png(8, 8));
    const url = there.on('/', (_, response) => {
      response.writeHead(206, { 'content-range': `bytes 0-65535/${20 * MB}` });
      response.write(file.read(0, 65_536));
      let sent = 0;
      const more = (): void => {
        for (sent += 65_536; sent < size; sent += 65_536) if (!response.write(Buffer.alloc(65_536))) return;
      };
      response.on('drain', more).on('close', () => expect(sent).toBeLessThan(size / 2));
      more();
    });
    expect(await reportOn(url)).toMatchObject({ ok: true, inconclusive: false, sizeBytes: 20 * MB });
  });
});
