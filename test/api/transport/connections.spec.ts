import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../../e2e/client.js';
import { manageOf, sharing } from '../../e2e/e2e-harness.js';
import { until } from '../../e2e/until.js';
import { memoryOf, observed } from './observed.js';
import { answersIn, exchange, openSocket } from './raw-http.js';

const LONG = Boolean(process.env.TEST_LONG);
const SILENT = LONG ? 10_000 : 500;
const DRIPPING = 100;
const PIPELINED = 500;
/** What an open connection may cost, KiB, in the kernel's and Node's memory together: generous, and no leak. */
const KIB_EACH = 64;
const GENEROUS_MIB = 150;

describe('connections that are hostile', () => {
  const test = sharing(async (stage) => {
    const telegram = await stage.telegram();
    const settings = { DATA_DIR: await stage.folder(), TELEGRAM_API_URL: telegram.url };
    const gateway = await stage.gateway({ ...(await stage.database()), ...settings });
    const { endpoints } = await manageOf(gateway).seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    /** The head of a post to the endpoint, with these lines more. */
    const head = (...lines: readonly string[]): string =>
      [
        `POST ${endpoint.path} HTTP/1.1`,
        'host: gateway',
        `authorization: Bearer ${endpoint.token}`,
        'content-type: application/json',
        ...lines,
        '\r\n',
      ].join('\r\n');
    const good = async (words: string): Promise<void> =>
      expect((await publish(gateway.url, endpoint, { text: words })).status).toBe(200);
    return { gateway, head, good };
  });

  const closing = async (sockets: readonly Socket[]): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await sleep(0);
  };

  test(
    `${SILENT} that say nothing keep nobody else waiting${LONG ? ', and are hung up on' : ''}`,
    async ({ gateway, good }) => {
      const before = memoryOf(gateway.program.pid);
      const sockets: Socket[] = [];
      const { memoryMiB } = await observed(`${SILENT} silent connections`, gateway, async () => {
        while (sockets.length < SILENT)
          sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => openSocket(gateway.url)))));
        for (let i = 0; i < 20; i++) await good(`beside the silent ${i}`);
      });
      expect(sockets.filter(({ readable }) => readable)).toHaveLength(SILENT);
      expect(memoryMiB - before).toBeLessThan(GENEROUS_MIB + (SILENT * KIB_EACH) / 1_024);
      if (LONG) {
        for (const socket of sockets) socket.resume();
        await until('they are hung up on', () =>
          sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed),
        );
      }
      await closing(sockets);
    },
    LONG ? 300_000 : undefined,
  );

  test(`${DRIPPING} bodies that come drop by drop keep nobody else waiting, and are taken whole`, async (cast) => {
    const { gateway, head, good } = cast;
    const body = '{"text": "drop by drop"}';
    const sockets = await Promise.all(Array.from({ length: DRIPPING }, () => openSocket(gateway.url)));
    const answers = sockets.map((socket) => text(socket));
    await observed(`${DRIPPING} dripping bodies`, gateway, async () => {
      for (const socket of sockets) socket.write(head(`content-length: ${body.length}`, 'connection: close'));
      for (const [i, drop] of [...body].entries()) {
        for (const socket of sockets) socket.write(drop);
        if (i % 6 === 0) await good(`beside the dripping ${i}`);
        await sleep(5);
      }
    });
    const statuses = (await Promise.all(answers)).flatMap((raw) => answersIn(raw).map(({ status }) => status));
    expect(statuses).toEqual(sockets.map(() => 200));
  });

  if (LONG)
    test('a body that drips for ever is told so, and hung up on', async ({ gateway, head }) => {
      const socket = await openSocket(gateway.url);
      socket.write(head('content-length: 1000000'));
      const drip = setInterval(() => socket.write(' '), 500);
      const [answer] = answersIn(await text(socket));
      clearInterval(drip);
      expect(answer?.status).toBe(408);
      expect(JSON.parse(answer!.body)).toMatchObject({ ok: false, code: 'request_timeout' });
    }, 300_000);

  const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `x-${i}: ${i}`);
  const floods: readonly (readonly [what: string, lines: readonly string[], status: number])[] = [
    ['500 headers, of 10 bytes each', many(500), 200],
    ['2,500 headers', many(2_500), 431],
    ['a header of 15 KB', [`x-large: ${'x'.repeat(15_000)}`], 200],
    ['a header of 17 KB', [`x-large: ${'x'.repeat(17_000)}`], 431],
    ['a name of 17 KB', [`${'x'.repeat(17_000)}: large`], 431],
    ['a User-Agent of 15 KB', [`user-agent: ${'ü'.repeat(7_500)}`], 200],
    ['a second Authorization', ['authorization: Bearer service_live_other'], 200], // the first counts
    ['an Idempotency-Key of 15 KB', [`idempotency-key: ${'k'.repeat(15_000)}`], 422],
    ['two Idempotency-Keys', ['idempotency-key: a', 'idempotency-key: b'], 200],
    ['an X-Request-Id of its own', ['x-request-id: mine'], 200],
    ['__proto__ as a header', ['__proto__: polluted', 'constructor: polluted'], 200],
    ['a line without a colon', ['no colon'], 400],
    ['a header with a NUL', ['x-nul: a\0b'], 400],
    ['a folded header', ['x-folded: a', ' b'], 400],
  ];
  for (const [what, lines, status] of floods)
    test(`${what}: ${status}`, async ({ gateway, head }) => {
      const body = '{"text": "a"}';
      const bytes = head(...lines, `content-length: ${body.length}`, 'connection: close') + body;
      const [answer] = await exchange(gateway.url, bytes);
      expect(answer?.status).toBe(status);
      expect(answer?.requestId).toMatch(/^req_/);
      expect(JSON.parse(answer!.body)).toMatchObject({ ok: status === 200 });
    });

  for (const size of [100_000, 1_000_000, 10_000_000])
    test(`a head of ${size} bytes: 431, whoever goes on sending`, async ({ gateway, head, good }) => {
      for (let i = 0; i < 20; i++) {
        const bytes = `${head(`x-large: ${'x'.repeat(size)}`, 'content-length: 2')}{}`;
        const answers = await exchange(gateway.url, bytes);
        expect(answers.map((answer) => answer.status)).toEqual([431]);
        expect(JSON.parse(answers[0]!.body)).toMatchObject({ ok: false, code: 'headers_too_large' });
      }
      await good(`beside heads of ${size} bytes`);
    });

  test('a head without end is not read for ever: the server hangs up', async ({ gateway, good }) => {
    const socket = await openSocket(gateway.url);
    socket.write('POST / HTTP/1.1\r\nx-large: ');
    const hungUp = new Promise((resolve) => socket.once('close', resolve));
    const piece = 'x'.repeat(100_000);
    const flood = setInterval(() => socket.write(piece), 1);
    socket.resume();
    await hungUp;
    clearInterval(flood);
    await good('beside a head without end');
  });

  const frames: readonly (readonly [what: string, lines: readonly string[], body: string, status: number])[] = [
    ['two lengths', ['content-length: 13', 'content-length: 14'], '{"text": "a"}', 400],
    [
      'a length and chunks',
      ['content-length: 13', 'transfer-encoding: chunked'],
      'd\r\n{"text": "a"}\r\n0\r\n\r\n',
      400,
    ],
    ['a length below zero', ['content-length: -1'], '', 400],
    ['a length that is no number', ['content-length: 1e3'], '', 400],
    ['a length beyond every number', [`content-length: ${'9'.repeat(30)}`], '', 400],
    ['chunks', ['transfer-encoding: chunked', 'connection: close'], 'd\r\n{"text": "a"}\r\n0\r\n\r\n', 200],
    [
      'chunks of one byte',
      ['transfer-encoding: chunked', 'connection: close'],
      [...'{"text": "a"}'].map((c) => `1\r\n${c}\r\n`).join('') + '0\r\n\r\n',
      200,
    ],
    ['a chunk whose size is none', ['transfer-encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n', 400],
    ['an encoding that nobody knows', ['transfer-encoding: gzip', 'connection: close'], '{"text": "a"}', 400],
  ];
  for (const [what, lines, body, status] of frames)
    test(`${what}: ${status}`, async ({ gateway, head }) => {
      const answers = await exchange(gateway.url, head(...lines) + body);
      expect(answers.map((answer) => answer.status)).toEqual([status]); // one request, whoever reads it
    });

  const unheard: readonly (readonly [what: string, bytes: string, status: number, code: string])[] = [
    ['an expectation that nobody knows', 'GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: foo', 417, 'expectation_failed'],
    ['no Host', 'GET /healthz HTTP/1.1', 400, 'bad_request'],
    ['no Host for an address that is not there', 'GET /nowhere HTTP/1.1', 400, 'bad_request'],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443', 405, 'method_not_allowed'],
  ];
  for (const [what, bytes, status, code] of unheard)
    test(`${what}: ${status}, with an id and a word`, async ({ gateway, good }) => {
      const [answer, ...more] = await exchange(gateway.url, `${bytes}\r\nconnection: close\r\n\r\n`);
      expect(more).toEqual([]);
      expect(answer).toMatchObject({ status, requestId: expect.stringMatching(/^req_/) });
      expect(JSON.parse(answer!.body)).toMatchObject({ ok: false, code, request_id: answer!.requestId });
      await good(`beside ${what}`);
    });

  test('what needs no Host, and what expects 100-continue, goes on', async ({ gateway, head }) => {
    expect((await exchange(gateway.url, 'GET /healthz HTTP/1.0\r\n\r\n')).map(({ status }) => status)).toEqual([200]);
    const body = '{"text": "a"}';
    const socket = await openSocket(gateway.url);
    const answers = text(socket);
    socket.write(head(`content-length: ${body.length}`, 'expect: 100-continue', 'connection: close'));
    await sleep(200);
    socket.write(body);
    expect(answersIn(await answers).map(({ status }) => status)).toEqual([100, 200]);
  });

  test(`${PIPELINED} requests in one breath are all answered, in their order`, async ({ gateway, head }) => {
    const bodies = Array.from({ length: PIPELINED }, (_, i) => `{"text": "a", "trace_id": "t${i}"}`);
    const requests = bodies.map((body, i) => {
      const last = i === PIPELINED - 1 ? ['connection: close'] : [];
      return head(`content-length: ${body.length}`, ...last) + body;
    });
    const answers = await exchange(gateway.url, requests.join(''));
    expect(answers.map(({ body }) => (JSON.parse(body) as { trace_id: string }).trace_id)).toEqual(
      bodies.map((_, i) => `t${i}`),
    );
  });

  test('after all this the gateway is well', async ({ gateway, good }) => {
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    await good('still here');
  });
});
