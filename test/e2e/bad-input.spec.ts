import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createManagementClient, shareHarness } from './e2e-harness.js';
import { until } from './until.js';

const MEGABYTE = 1_048_576;

/** A response, parsed here because no HTTP client would send some of these requests. */
interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface LoggedRequest {
  readonly trace_id: string | null;
  readonly decision: string;
  readonly ip: string;
}

const parse = (raw: string): RawAnswer => {
  const [head = '', body = ''] = raw.split(/\r\n\r\n([^]*)/);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map(lines.map((line) => line.split(/: ?(.*)/).slice(0, 2) as [string, string]));
  const lower = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
  return { status: Number(statusLine.split(' ')[1]), headers: lower, body };
};

describe('invalid input', () => {
  const test = shareHarness(async (harness) => {
    const telegram = await harness.startTelegram();
    const settings = { DATA_DIR: await harness.createFolder(), TELEGRAM_API_URL: telegram.url };
    const gateway = await harness.startGateway({ ...(await harness.createDatabase()), ...settings });
    const manage = createManagementClient(gateway);
    const { endpoints } = await manage.seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    const { hostname, port } = new URL(gateway.url);
    const open = async (): Promise<Socket> => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      return socket;
    };
    const head = (length: number, changes: Readonly<Record<string, string | null>> = {}): string => {
      const headers: Readonly<Record<string, string | null>> = {
        host: 'gateway',
        authorization: `Bearer ${endpoint.token}`,
        'content-type': 'application/json',
        'content-length': String(length),
        connection: 'close',
        ...changes,
      };
      const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
      return `POST ${endpoint.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
    };
    /** Posts a body unchanged. `changes` replaces or removes headers. */
    const send = async (body: Buffer | string, changes: Readonly<Record<string, string | null>> = {}) => {
      const socket = await open();
      socket.write(head(Buffer.byteLength(body), changes));
      socket.write(body);
      return parse(await text(socket));
    };
    return { url: gateway.url, manage, endpoint, open, head, send, ledger: () => telegram.control.readLedger() };
  });

  /** Expects an error in the documented form (D-6, D-11). */
  const expectProblem = (answer: RawAnswer, status: number, code?: string): void => {
    const body = JSON.parse(answer.body) as {
      errors: string[];
      code: string;
      request_id: string;
      details: { code: string }[];
    };
    const codes = [body.code, ...body.details.map((detail) => detail.code)];
    expect({ status: answer.status, ok: body }).toMatchObject({ status, ok: { ok: false } });
    expect(body.errors.every((error) => typeof error === 'string' && error.length > 0)).toBe(true);
    expect(body.errors.length).toBeGreaterThan(0);
    expect(answer.headers.get('x-request-id')).toBe(body.request_id);
    expect(body.request_id).toMatch(/^req_/);
    if (code) expect(codes).toContain(code);
  };

  const deep = (levels: number) => `{"text": "deep", "metadata": ${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  const bodies: readonly (readonly [description: string, body: Buffer | string, status: number, code?: string])[] = [
    ['an empty body', '', 400],
    ['a body that is not JSON', 'text=hello', 400],
    ['truncated JSON', '{"text": "hel', 400],
    ['two values', '{"text": "a"} {"text": "b"}', 400],
    ['a trailing comma', '{"text": "a",}', 400],
    ['a bare NaN', '{"text": NaN}', 400],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"text": "'), 0xff, 0xfe, ...Buffer.from('"}')]), 400],
    ['UTF-16', Buffer.from('{"text": "a"}', 'utf16le'), 400],
    ['a lone surrogate', '{"text": "\\ud83d alone"}', 400],
    ['a lone surrogate in a key', '{"text": "a", "metadata": {"\\udc00": 1}}', 400],
    ['a duplicate key', '{"text": "a", "text": "b"}', 400],
    ['a duplicate key, escaped differently', '{"text": "a", "te\\u0078t": "b"}', 400],
    ['the key __proto__', '{"text": "a", "metadata": {"__proto__": {"admin": true}}}', 400],
    ['a number with too many digits', '{"text": "a", "metadata": {"id": 9007199254740993}}', 400, 'number_inexact'],
    ['33 levels of nesting', deep(32), 400],
    ['a hundred thousand levels of nesting', deep(100_000), 400],
    ['a hundred thousand open brackets', '['.repeat(100_000), 400],
    ['over 50,000 members', `{"text": "a", "metadata": {"list": [${'1,'.repeat(50_001)}1]}}`, 400],
    ['over 5 MB', `{"text": "a", "metadata": {"pad": "${'x'.repeat(5 * MEGABYTE)}"}}`, 400],
    ['an array', '[{"text": "a"}]', 422],
    ['a string', '"text"', 422],
    ['null', 'null', 422],
    ['an empty object', '{}', 422],
    ['a number as text', '{"text": 7}', 422],
    ['a text that is too long', JSON.stringify({ text: 'x'.repeat(15_896) }), 422],
    ['a document', '{"media": [{"type": "document", "url": "https://example.com/a.pdf"}]}', 400],
    ['media over http', '{"media": [{"type": "photo", "url": "http://example.com/a.jpg"}]}', 400],
    ['media at a loopback address', '{"media": [{"type": "photo", "url": "https://127.0.0.1/a.jpg"}]}', 400],
    [
      'media at the metadata address of a cloud',
      '{"media": [{"type": "photo", "url": "https://169.254.169.254/latest"}]}',
      400,
    ],
    [
      'a button with a javascript: URL',
      '{"text": "a", "buttons": [[{"text": "b", "url": "javascript:alert(1)"}]]}',
      422,
    ],
    [
      'an entity beyond the end of the text',
      '{"text": "a", "entities": [{"type": "bold", "offset": 0, "length": 2}]}',
      400,
    ],
    [
      'an entity that splits a surrogate pair',
      '{"text": "😀", "entities": [{"type": "bold", "offset": 1, "length": 1}]}',
      400,
    ],
    ['an unknown target', '{"text": "a", "targets": [{"id": "tgt_unknown"}]}', 422, 'invalid_targets'],
    ['a duplicate key and a number as text', '{"text": 7, "metadata": {"a": 1, "a": 2}}', 422, 'duplicate_key'],
    ['a lone surrogate and a pause of a week', '{"text": "\\ud83d", "ad_pause_minutes": 10080}', 422, 'out_of_range'],
    [
      'problems that are answered 400 and 422',
      '{"text": 7, "media": [{"type": "document", "url": "https://example.com/a"}]}',
      422,
    ],
  ];
  for (const [description, body, status, code] of bodies)
    test(`${description}: ${status}`, async ({ send }) => expectProblem(await send(body), status, code));

  test('a Content-Type that is not JSON: 415', async ({ send }) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'json',
      null,
    ])
      expectProblem(await send('{"text": "a"}', { 'content-type': type }), 415, 'unsupported_media_type');
  });

  test('an Idempotency-Key over 128 characters: 422', async ({ send }) =>
    expectProblem(await send('{"text": "a"}', { 'idempotency-key': 'k'.repeat(129) }), 422));

  test('an Idempotency-Key over 128 characters and a body that is not JSON: both are reported, 422', async ({
    send,
  }) => {
    const answer = await send('{"text": ', { 'idempotency-key': 'k'.repeat(129) });
    expectProblem(answer, 422, 'too_long');
    expectProblem(answer, 422, 'not_json');
  });

  test('a malformed request or one with a head that is too large: 4xx with a request id', async ({ open }) => {
    const requests: readonly (readonly [string, number])[] = [
      ['BREW /pot HTCPCP/1.0\r\n\r\n', 400],
      ['POST /v1/webhooks/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}', 400],
      [`GET /healthz HTTP/1.1\r\nhost: a\r\nx-large: ${'x'.repeat(20_000)}\r\nconnection: close\r\n\r\n`, 431],
      ['GET /nothing/here HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 404],
      ['DELETE /v1/webhooks/slug HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 404],
    ];
    for (const [request, status] of requests) {
      const socket = await open();
      socket.write(request);
      expectProblem(parse(await text(socket)), status);
    }
  });

  test('401 is the same for every cause and every body', async ({ send, endpoint }) => {
    const unknown = { path: endpoint.path.replace(/[^/]+$/, 'unknown'), authorization: `Bearer ${endpoint.token}` };
    const causes = [
      await send('{"text": "a"}', { authorization: null }),
      await send('{"text": "a"}', { authorization: 'Bearer' }),
      await send('{"text": "a"}', { authorization: 'Basic YTpi' }),
      await send('{"text": "a"}', { authorization: 'Bearer service_live_wrong' }),
      await send('{"text": "a"}', { authorization: `Bearer ${endpoint.token}x` }),
      await send('not even JSON', { authorization: 'Bearer service_live_wrong', 'content-type': 'text/plain' }),
      await send('x'.repeat(6 * MEGABYTE), { authorization: 'Bearer service_live_wrong' }),
    ];
    expect(unknown.path).not.toBe(endpoint.path);
    const shapes = causes.map(({ status, headers, body }) => ({
      status,
      names: [...headers.keys()].sort(),
      body: body.replaceAll(/req_\w+/g, 'req_'),
    }));
    expect(shapes[0]!.status).toBe(401);
    for (const shape of shapes) expect(shape).toEqual(shapes[0]);
    for (const { headers } of causes) expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('401 for an unknown slug has the same form', async ({ url, endpoint }) => {
    const request = async (path: string, token: string) => {
      const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' };
      const answer = await fetch(url + path, init);
      const body = (await answer.text()).replaceAll(/req_\w+/g, 'req_');
      return { status: answer.status, names: [...answer.headers.keys()].sort(), body };
    };
    const known = await request(endpoint.path, 'service_live_wrong');
    expect(known.status).toBe(401);
    expect(await request('/v1/webhooks/unknown-slug', endpoint.token)).toEqual(known);
  });

  test('a slow body is accepted; a body that stops halfway delays no other request', async (context) => {
    const { open, head, send } = context;
    const stalled = await Promise.all(Array.from({ length: 50 }, open));
    for (const socket of stalled) socket.write(`${head(1_000)}{"text": "`);
    const slow = await open();
    const body = '{"text": "byte by byte"}';
    slow.write(head(body.length));
    const answer = text(slow);
    for (const character of body) {
      slow.write(character);
      await sleep(5);
    }
    expect(parse(await answer).status).toBe(200);
    expect((await send('{"text": "not kept waiting"}')).status).toBe(200);
    for (const socket of stalled) socket.destroy();
  });

  test('401 does not wait for a body that never arrives', async ({ open, head }) => {
    const socket = await open();
    socket.write(`${head(1_000, { authorization: 'Bearer service_live_wrong' })}{"text": "`);
    expectProblem(parse(await text(socket)), 401);
  });

  test('a client that half-closes the connection after its request gets its answer and is logged', async (context) => {
    const { open, head, manage, endpoint } = context;
    const socket = await open();
    const body = '{"text": "half-closed", "trace_id": "half-closed"}';
    socket.end(head(body.length) + body);
    expect(parse(await text(socket)).status).toBe(200);
    const logged = await until('the request is in the log', async () => {
      const { items } = await manage.get<{ items: LoggedRequest[] }>(`/endpoints/${endpoint.id}/requests`);
      return items.find(({ trace_id }) => trace_id === 'half-closed');
    });
    expect(logged).toMatchObject({ decision: 'accepted', ip: '127.0.0.1' });
  });

  test('a client that half-closes the connection within its body: 400, and nothing is published', async (context) => {
    const { open, head, ledger } = context;
    const socket = await open();
    socket.end(`${head(100)}{"text": "half a body"`);
    expectProblem(parse(await text(socket)), 400);
    expect((await ledger()).map((entry) => entry.text)).not.toContain('half a body');
  });

  test('the gateway is healthy afterwards', async ({ url, endpoint, send }) => {
    // A dependency that takes seconds to answer counts as broken.
    await until('it is healthy', async () => (await fetch(`${url}/readyz`)).status === 200);
    expect((await send('{"text": "still here"}')).status).toBe(200);
    expect(endpoint.channels).toHaveLength(1);
  });
});
