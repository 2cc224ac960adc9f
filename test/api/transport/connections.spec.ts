import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../../e2e/client.js';
import { createManagementClient, shareHarness } from '../../e2e/e2e-harness.js';
import { until } from '../../e2e/until.js';
import { measureMemoryMiB, observeGateway } from './observe-gateway.js';
import { openSocket, parseResponses, sendRaw } from './raw-http.js';

const LONG = Boolean(process.env.TEST_LONG);
const SILENT_CONNECTIONS = LONG ? 10_000 : 500;
const SLOW_BODIES = 100;
const PIPELINED = 500;
/** Upper bound for the memory of an open connection, in the kernel and Node together, in KiB; far below a leak. */
const MAX_KIB_PER_CONNECTION = 64;
const MAX_GROWTH_MIB = 150;

describe('hostile connections', () => {
  const test = shareHarness(async (stage) => {
    const telegram = await stage.startTelegram();
    const settings = { DATA_DIR: await stage.createFolder(), TELEGRAM_API_URL: telegram.url };
    const gateway = await stage.startGateway({ ...(await stage.createDatabase()), ...settings });
    const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    /** Builds the head of a post to the endpoint, with additional lines. */
    const head = (...lines: readonly string[]): string =>
      [
        `POST ${endpoint.path} HTTP/1.1`,
        'host: gateway',
        `authorization: Bearer ${endpoint.token}`,
        'content-type: application/json',
        ...lines,
        '\r\n',
      ].join('\r\n');
    const expectAccepted = async (text: string): Promise<void> =>
      expect((await publish(gateway.url, endpoint, { text })).status).toBe(200);
    return { gateway, head, expectAccepted };
  });

  const closeAll = async (sockets: readonly Socket[]): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await sleep(0);
  };

  test(
    `${SILENT_CONNECTIONS} silent connections delay no other request${LONG ? ', and are closed' : ''}`,
    async ({ gateway, expectAccepted }) => {
      const before = measureMemoryMiB(gateway.program.pid);
      const sockets: Socket[] = [];
      const { memoryMiB } = await observeGateway(`${SILENT_CONNECTIONS} silent connections`, gateway, async () => {
        while (sockets.length < SILENT_CONNECTIONS)
          sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => openSocket(gateway.url)))));
        for (let i = 0; i < 20; i++) await expectAccepted(`during silent connections ${i}`);
      });
      expect(sockets.filter(({ readable }) => readable)).toHaveLength(SILENT_CONNECTIONS);
      expect(memoryMiB - before).toBeLessThan(MAX_GROWTH_MIB + (SILENT_CONNECTIONS * MAX_KIB_PER_CONNECTION) / 1_024);
      if (LONG) {
        for (const socket of sockets) socket.resume();
        await until('they are closed', () =>
          sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed),
        );
      }
      await closeAll(sockets);
    },
    LONG ? 300_000 : undefined,
  );

  test(`${SLOW_BODIES} bodies that arrive byte by byte delay no other request, and are accepted as a whole`, async (resources) => {
    const { gateway, head, expectAccepted } = resources;
    const body = '{"text": "byte by byte"}';
    const sockets = await Promise.all(Array.from({ length: SLOW_BODIES }, () => openSocket(gateway.url)));
    const answers = sockets.map((socket) => text(socket));
    await observeGateway(`${SLOW_BODIES} slow bodies`, gateway, async () => {
      for (const socket of sockets) socket.write(head(`content-length: ${body.length}`, 'connection: close'));
      for (const [i, byte] of [...body].entries()) {
        for (const socket of sockets) socket.write(byte);
        if (i % 6 === 0) await expectAccepted(`during slow bodies ${i}`);
        await sleep(5);
      }
    });
    const statuses = (await Promise.all(answers)).flatMap((raw) => parseResponses(raw).map(({ status }) => status));
    expect(statuses).toEqual(sockets.map(() => 200));
  });

  if (LONG)
    test('a body that never ends is answered 408, and the connection is closed', async ({ gateway, head }) => {
      const socket = await openSocket(gateway.url);
      socket.write(head('content-length: 1000000'));
      const timer = setInterval(() => socket.write(' '), 500);
      const [answer] = parseResponses(await text(socket));
      clearInterval(timer);
      expect(answer?.status).toBe(408);
      expect(JSON.parse(answer!.body)).toMatchObject({ ok: false, code: 'request_timeout' });
    }, 300_000);

  const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `x-${i}: ${i}`);
  const headerCases: readonly (readonly [what: string, lines: readonly string[], status: number])[] = [
    ['500 headers, of 10 bytes each', many(500), 200],
    ['2,500 headers', many(2_500), 431],
    ['a header of 15 KB', [`x-large: ${'x'.repeat(15_000)}`], 200],
    ['a header of 17 KB', [`x-large: ${'x'.repeat(17_000)}`], 431],
    ['a name of 17 KB', [`${'x'.repeat(17_000)}: large`], 431],
    ['a User-Agent of 15 KB', [`user-agent: ${'ü'.repeat(7_500)}`], 200],
    ['a second Authorization', ['authorization: Bearer service_live_other'], 400],
    ['a second Authorization in capitals', ['AUTHORIZATION: Bearer service_live_other'], 400],
    ['a second Host', ['Host: other'], 400],
    ['a second Content-Type', ['Content-Type: text/plain'], 400],
    ['an Idempotency-Key of 15 KB', [`idempotency-key: ${'k'.repeat(15_000)}`], 422],
    ['two Idempotency-Keys', ['idempotency-key: a', 'idempotency-key: b'], 200],
    ['an X-Request-Id of the client', ['x-request-id: mine'], 200],
    ['__proto__ as a header', ['__proto__: polluted', 'constructor: polluted'], 200],
    ['a line without a colon', ['no colon'], 400],
    ['a header with a NUL', ['x-nul: a\0b'], 400],
    ['a folded header', ['x-folded: a', ' b'], 400],
  ];
  for (const [what, lines, status] of headerCases)
    test(`${what}: ${status}`, async ({ gateway, head }) => {
      const body = '{"text": "a"}';
      const bytes = head(...lines, `content-length: ${body.length}`, 'connection: close') + body;
      const [answer] = await sendRaw(gateway.url, bytes);
      expect(answer?.status).toBe(status);
      expect(answer?.requestId).toMatch(/^req_/);
      expect(JSON.parse(answer!.body)).toMatchObject({ ok: status === 200 });
    });

  for (const size of [100_000, 1_000_000, 10_000_000])
    test(`a head of ${size} bytes: 431, even if the client goes on sending`, async ({
      gateway,
      head,
      expectAccepted,
    }) => {
      for (let i = 0; i < 20; i++) {
        const bytes = `${head(`x-large: ${'x'.repeat(size)}`, 'content-length: 2')}{}`;
        const answers = await sendRaw(gateway.url, bytes);
        expect(answers.map((answer) => answer.status)).toEqual([431]);
        expect(JSON.parse(answers[0]!.body)).toMatchObject({ ok: false, code: 'headers_too_large' });
      }
      await expectAccepted(`after heads of ${size} bytes`);
    });

  test('an endless head is not read forever: the server closes the connection', async ({ gateway, expectAccepted }) => {
    const socket = await openSocket(gateway.url);
    socket.write('POST / HTTP/1.1\r\nx-large: ');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const piece = 'x'.repeat(100_000);
    const timer = setInterval(() => socket.write(piece), 1);
    socket.resume();
    await closed;
    clearInterval(timer);
    await expectAccepted('after an endless head');
  });

  const framingCases: readonly (readonly [what: string, lines: readonly string[], body: string, status: number])[] = [
    ['two lengths', ['content-length: 13', 'content-length: 14'], '{"text": "a"}', 400],
    [
      'a length and chunks',
      ['content-length: 13', 'transfer-encoding: chunked'],
      'd\r\n{"text": "a"}\r\n0\r\n\r\n',
      400,
    ],
    ['a negative length', ['content-length: -1'], '', 400],
    ['a length that is not a number', ['content-length: 1e3'], '', 400],
    ['a length beyond the range of numbers', [`content-length: ${'9'.repeat(30)}`], '', 400],
    ['chunks', ['transfer-encoding: chunked', 'connection: close'], 'd\r\n{"text": "a"}\r\n0\r\n\r\n', 200],
    [
      'chunks of one byte',
      ['transfer-encoding: chunked', 'connection: close'],
      [...'{"text": "a"}'].map((c) => `1\r\n${c}\r\n`).join('') + '0\r\n\r\n',
      200,
    ],
    ['an invalid chunk size', ['transfer-encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n', 400],
    ['an unknown transfer encoding', ['transfer-encoding: gzip', 'connection: close'], '{"text": "a"}', 400],
  ];
  for (const [what, lines, body, status] of framingCases)
    test(`${what}: ${status}`, async ({ gateway, head }) => {
      const answers = await sendRaw(gateway.url, head(...lines) + body);
      expect(answers.map((answer) => answer.status)).toEqual([status]); // one request, not two
    });

  const rejectedByServer: readonly (readonly [what: string, bytes: string, status: number, code: string])[] = [
    ['an unknown expectation', 'GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: foo', 417, 'expectation_failed'],
    ['no Host', 'GET /healthz HTTP/1.1', 400, 'bad_request'],
    ['no Host and an unknown path', 'GET /nowhere HTTP/1.1', 400, 'bad_request'],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443', 405, 'method_not_allowed'],
  ];
  for (const [what, bytes, status, code] of rejectedByServer)
    test(`${what}: ${status}, with a request id and a message`, async ({ gateway, expectAccepted }) => {
      const [answer, ...more] = await sendRaw(gateway.url, `${bytes}\r\nconnection: close\r\n\r\n`);
      expect(more).toEqual([]);
      expect(answer).toMatchObject({ status, requestId: expect.stringMatching(/^req_/) });
      expect(JSON.parse(answer!.body)).toMatchObject({ ok: false, code, request_id: answer!.requestId });
      await expectAccepted(`after ${what}`);
    });

  test('HTTP/1.0 without Host, and 100-continue, are accepted', async ({ gateway, head }) => {
    expect((await sendRaw(gateway.url, 'GET /healthz HTTP/1.0\r\n\r\n')).map(({ status }) => status)).toEqual([200]);
    const body = '{"text": "a"}';
    const socket = await openSocket(gateway.url);
    const answers = text(socket);
    socket.write(head(`content-length: ${body.length}`, 'expect: 100-continue', 'connection: close'));
    await sleep(200);
    socket.write(body);
    expect(parseResponses(await answers).map(({ status }) => status)).toEqual([100, 200]);
  });

  test(`${PIPELINED} pipelined requests are all answered, in their order`, async ({ gateway, head }) => {
    const bodies = Array.from({ length: PIPELINED }, (_, i) => `{"text": "a", "trace_id": "t${i}"}`);
    const requests = bodies.map((body, i) => {
      const last = i === PIPELINED - 1 ? ['connection: close'] : [];
      return head(`content-length: ${body.length}`, ...last) + body;
    });
    const answers = await sendRaw(gateway.url, requests.join(''));
    expect(answers.map(({ body }) => (JSON.parse(body) as { trace_id: string }).trace_id)).toEqual(
      bodies.map((_, i) => `t${i}`),
    );
  });

  test('afterwards the gateway is ready and accepts posts', async ({ gateway, expectAccepted }) => {
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    await expectAccepted('at the end');
  });
});
