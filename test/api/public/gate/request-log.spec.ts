import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../e2e/random.js';
import { until } from '../../../e2e/until.js';
import { startTestPostgres } from '../../../support/postgres.js';
import { openSocket, parseResponses } from '../../transport/raw-http.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import { findLogEntry, type LogEntry, readRequestLog, type RequestOptions, sendRequest, sign } from './calls.js';

let gateway: TestGateway;
let owner: string;
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
  projects = [await gateway.createProject(owner, [await gateway.createChannel(owner)])];
});
afterAll(() => gateway.stop());

const createEndpoint = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(owner, projects, settings);
const readLogEvents = async ({ id }: TestEndpoint) => gateway.readEvents(`requestLog-${id}`);

describe('an entry of the request log (publish-api.md: Request log entry; D-33)', () => {
  it('for an accepted post has client, time, result and post, and costs no event of its own', async () => {
    const endpoint = await createEndpoint();
    const body = '{"text": "Hello", "trace_id": "tr-1"}';
    const answer = await sendRequest(gateway.url, endpoint, { body, headers: { 'user-agent': 'Shop/2.0' } });
    expect(await findLogEntry(gateway, endpoint, answer)).toEqual({
      id: answer.headers.get('x-request-id'),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ip: '127.0.0.1',
      user_agent: 'Shop/2.0',
      route: 'POST /v1/webhooks/{slug}',
      decision: 'accepted',
      reason: null,
      http_status: 200,
      latency_ms: expect.any(Number),
      payload_bytes: body.length,
      trace_id: 'tr-1',
      post_id: JSON.parse(answer.text).id,
      why: null,
    });
    expect(await readLogEvents(endpoint)).toEqual([]);
  });

  it('for a rejected post has the rule, its figures, and the body’s trace id if it could be read', async () => {
    const endpoint = await createEndpoint();
    const body = { trace_id: 'tr-2', entities: [{ type: 'bold', offset: -1, length: 0 }] };
    const answer = await sendRequest(gateway.url, endpoint, { body });
    expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_validation',
      http_status: 422,
      trace_id: 'tr-2',
      post_id: null,
      payload_bytes: JSON.stringify(body).length,
      why: { figures: { problems: JSON.parse(answer.text).details.length, first: expect.any(String) }, event_id: null },
    });
  });

  it.each([
    ['not JSON', '{"text"', 400],
    ['too large', `{"text": "${'a'.repeat(5_300_000)}"}`, 400],
  ])('for a body that is %s has that reason', async (_, body, status) => {
    const endpoint = await createEndpoint();
    const answer = await sendRequest(gateway.url, endpoint, { body });
    expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_validation',
      http_status: status,
      payload_bytes: body.length,
    });
  });

  it('has the payload’s size even if the payload was not read', async () => {
    const body = { text: 'Hello', metadata: { pad: 'x'.repeat(100_000) } };
    const endpoint = await createEndpoint();
    const disabled = await createEndpoint();
    await gateway.manage('POST', `/endpoints/${disabled.id}/disable`);
    const answers = [
      [endpoint, await sendRequest(gateway.url, endpoint, { body, headers: { authorization: 'Bearer x' } })],
      [endpoint, await sendRequest(gateway.url, endpoint, { body, headers: { 'content-type': 'text/plain' } })],
      [disabled, await sendRequest(gateway.url, disabled, { body })],
    ] as const;
    const entries = await Promise.all(answers.map(([sender, answer]) => findLogEntry(gateway, sender, answer)));
    const size = JSON.stringify(body).length;
    expect(entries.map(({ http_status, payload_bytes }) => [http_status, payload_bytes])).toEqual([
      [401, size],
      [415, size],
      [403, size],
    ]);
  });

  it('for an accepted post without targets has the reason: its channels are disabled, or there are none (D-36)', async () => {
    const [enabled, disabled] = [await gateway.createChannel(owner), await gateway.createChannel(owner)];
    await gateway.manage('PATCH', `/channels/${disabled.id}`, { enabled: false });
    const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [enabled, disabled])]);
    const sendTo = async (endpoint: TestEndpoint, targets: readonly { readonly id: string }[]) => {
      const answer = await sendRequest(gateway.url, endpoint, { body: { text: 'Hello', targets } });
      return { ...(await findLogEntry(gateway, endpoint, answer)), queued: JSON.parse(answer.text).queued_targets };
    };
    const nowhere = { decision: 'accepted', http_status: 200, post_id: expect.stringMatching(/^post_/), queued: 0 };
    expect(await sendTo(endpoint, [{ id: disabled.id }])).toMatchObject({
      ...nowhere,
      reason: 'targets_switched_off',
      why: { rule: 'targets_switched_off', figures: { channels: [disabled.id] }, event_id: null },
    });
    expect(await sendTo(endpoint, [{ id: disabled.id }, { id: enabled.id }])).toMatchObject({
      queued: 1,
      reason: null,
      why: null,
    });
    const empty = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [])]);
    expect(await sendTo(empty, [])).toMatchObject({ ...nowhere, reason: 'no_channels' });
  });

  describe('for a request whose body does not arrive as a whole (D-33)', () => {
    /** Sends these header lines and a part of a body, ends the connection, and reads the answer. */
    const sendPart = async (
      { slug, token }: Pick<TestEndpoint, 'slug' | 'token'>,
      sent: string,
      ...lines: string[]
    ) => {
      const socket = await openSocket(gateway.url);
      const head = [`POST /v1/webhooks/${slug} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...lines];
      socket.end(`${[...head, 'Content-Type: application/json', '\r\n'].join('\r\n')}${sent}`);
      const [answer, ...more] = parseResponses(await text(socket));
      expect(more).toEqual([]);
      const { status, requestId, body } = answer!;
      expect(JSON.parse(body).request_id).toBe(requestId);
      return { status, code: JSON.parse(body).code, headers: new Headers({ 'x-request-id': requestId! }), text: body };
    };

    it.each([
      ['ends early', '{"text": "Hell', 'Content-Length: 20', 400, 'body_incomplete'],
      ['ends early within a chunk', 'd\r\n{"text"', 'Transfer-Encoding: chunked', 400, 'body_incomplete'],
      ['is not valid HTTP', 'zz\r\n{"text"', 'Transfer-Encoding: chunked', 400, 'bad_request'],
    ])('has the id of its answer if the body %s', async (_, sent, line, status, code) => {
      const endpoint = await createEndpoint();
      const answer = await sendPart(endpoint, sent, line);
      expect([answer.status, answer.code]).toEqual([status, code]);
      expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
        decision: 'rejected_validation',
        reason: code,
        http_status: status,
        route: 'POST /v1/webhooks/{slug}',
      });
    });

    if (process.env.TEST_LONG)
      it('has status 408 and the id of its answer if the body stops arriving', async () => {
        const endpoint = await createEndpoint();
        const { hostname, port } = new URL(gateway.url);
        const socket = connect({ host: hostname, port: Number(port) });
        const head = [
          `POST /v1/webhooks/${endpoint.slug} HTTP/1.1`,
          'Host: x',
          `Authorization: Bearer ${endpoint.token}`,
        ];
        socket.write(
          `${[...head, 'Content-Type: application/json', 'Content-Length: 20', '\r\n'].join('\r\n')}{"text"`,
        );
        const [answer] = parseResponses(await text(socket));
        const line = { ...answer!, headers: new Headers({ 'x-request-id': answer!.requestId! }), text: '' };
        expect(await findLogEntry(gateway, endpoint, line)).toMatchObject({
          http_status: 408,
          reason: 'request_timeout',
        });
      }, 300_000);

    it('is rejected_auth if the signature cannot be checked', async () => {
      const endpoint = await createEndpoint();
      const signing = await createEndpoint({ require_signature: true });
      const signature = `X-Service-Client-Signature: ${sign(signing.secret, '')}`;
      const answers = [
        [endpoint, await sendPart({ ...endpoint, token: 'wrong' }, '{', 'Content-Length: 20'), 'bad_token'],
        [signing, await sendPart(signing, '{', 'Content-Length: 20', signature), 'body_incomplete'],
      ] as const;
      for (const [sender, answer, reason] of answers) {
        expect(answer.status).toBe(401);
        expect(await findLogEntry(gateway, sender, answer)).toMatchObject({ decision: 'rejected_auth', reason });
      }
      expect((await sendPart({ ...endpoint, slug: 'unknown-slug' }, '{', 'Content-Length: 20')).status).toBe(401);
    });
  });

  it.each([
    ['complete', '{"text":"hi"}', 13],
    ['incomplete', '{"text', 13],
  ])('is written with its address for every client that disconnects at once, its body %s', async (_, sent, length) => {
    const endpoint = await createEndpoint();
    const openUsedSocket = async () => {
      const socket = await openSocket(gateway.url);
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: 40 }, openUsedSocket));
    const lines = ['Host: x', `Authorization: Bearer ${endpoint.token}`, 'Content-Type: application/json'];
    const head = [`POST /v1/webhooks/${endpoint.slug} HTTP/1.1`, ...lines, `Content-Length: ${length}`].join('\r\n');
    sockets.forEach((socket, i) => {
      socket.write(`${head}\r\n\r\n${sent}`);
      if (i % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    });

    const answered = await until('all requests are in the log', async () => {
      const log = await readRequestLog(gateway, endpoint);
      return log.length === 40 ? log : null;
    });

    expect(answered.map(({ ip }) => ip)).toEqual(Array<string>(40).fill('127.0.0.1'));
    const outcomes = new Set(answered.map(({ decision, reason }) => `${decision} ${reason}`));
    const possible = ['rejected_validation body_incomplete', ...(length === sent.length ? ['accepted null'] : [])];
    expect(possible).toEqual(expect.arrayContaining([...outcomes]));
  });

  describe('for pipelined requests', () => {
    const buildRequest = (
      { slug, token }: Pick<TestEndpoint, 'slug' | 'token'>,
      body: string,
      length = body.length,
    ) => {
      const lines = ['Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
      return [`POST /v1/webhooks/${slug} HTTP/1.1`, ...lines, `Content-Length: ${length}`, '', body].join('\r\n');
    };
    /** Sends all at once, ends the connection, and reads the answers. */
    const sendPipelined = async (...sent: readonly string[]) => {
      const socket = await openSocket(gateway.url);
      socket.write(sent.join(''));
      await sleep(200); // so that the end arrives separately
      socket.end();
      return parseResponses(await text(socket));
    };
    const WHOLE = '{"text":"hi"}';

    it('has the accepted post with the id that its sender got, whatever follows it', async () => {
      const endpoint = await createEndpoint();
      for (const following of ['x', 'GARBAGE\r\n\r\n']) {
        const [answer, ...more] = await sendPipelined(buildRequest(endpoint, WHOLE), following);
        expect(more.map(({ status }) => status)).not.toContain(200);
        expect(JSON.parse(answer!.body)).toMatchObject({ ok: true, id: expect.stringMatching(/^post_/) as unknown });
      }
    });

    it('has an incomplete request that follows a complete one, with the id of its answer', async () => {
      const endpoint = await createEndpoint();
      const refused = { decision: 'rejected_validation', reason: 'body_incomplete', http_status: 400 };
      for (const [token, line] of [
        [endpoint.token, refused],
        ['wrong', { decision: 'rejected_auth', reason: 'bad_token', http_status: 401 }],
      ] as const) {
        const second = buildRequest({ ...endpoint, token }, '{"te', 100);
        const [first, broken, ...more] = await sendPipelined(buildRequest(endpoint, WHOLE), second);
        expect([first!.status, broken!.status, more]).toEqual([200, line.http_status, []]);
        const answer = { ...broken!, headers: new Headers({ 'x-request-id': broken!.requestId! }), text: '' };
        expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject(line);
      }
    });

    it('has one answer for a request that was answered before its body arrived', async () => {
      const endpoint = await createEndpoint();
      const socket = await openSocket(gateway.url);
      socket.write(buildRequest({ ...endpoint, token: 'wrong' }, '{"te', 100));
      await once(socket, 'readable'); // the 401 of a body that does not arrive
      socket.end();
      expect(parseResponses(await text(socket)).map(({ status }) => status)).toEqual([401]);
    });
  });

  it('has a User-Agent that is not ASCII as it was sent', async () => {
    const endpoint = await createEndpoint();
    const headers = { 'user-agent': Buffer.from('Лавка/2.0 ☕').toString('latin1') }; // headers are bytes
    expect(await findLogEntry(gateway, endpoint, await sendRequest(gateway.url, endpoint, { headers }))).toMatchObject({
      user_agent: 'Лавка/2.0 ☕',
    });
  });

  it('exists for discovery and pauses too, with their routes (D-44)', async () => {
    const endpoint = await createEndpoint();
    const answers = [
      await sendRequest(gateway.url, endpoint, { method: 'GET', route: '/info' }),
      await sendRequest(gateway.url, endpoint, { route: '/temp-pause', body: { project_minutes: 1 } }),
      await sendRequest(gateway.url, endpoint, { route: '/temp-resume', body: {} }),
      await sendRequest(gateway.url, endpoint, { route: '/temp-pause', body: { project_minutes: 0 } }),
    ];
    const lines = await Promise.all(answers.map((answer) => findLogEntry(gateway, endpoint, answer)));
    expect(lines.map(({ route, decision, http_status }) => [route, decision, http_status])).toEqual([
      ['GET /v1/webhooks/{slug}/info', 'accepted', 200],
      ['POST /v1/webhooks/{slug}/temp-pause', 'accepted', 200],
      ['POST /v1/webhooks/{slug}/temp-resume', 'accepted', 200],
      ['POST /v1/webhooks/{slug}/temp-pause', 'rejected_validation', 422],
    ]);
  });

  it('can be filtered by decision and status', async () => {
    const endpoint = await createEndpoint();
    await sendRequest(gateway.url, endpoint);
    const bad = await sendRequest(gateway.url, endpoint, { body: '{' });
    await findLogEntry(gateway, endpoint, bad);
    const ids = async (filter: string): Promise<string[]> =>
      (await gateway.manage('GET', `/endpoints/${endpoint.id}/requests?${filter}`)).items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('decision=rejected_validation')).toEqual([bad.headers.get('x-request-id')]);
    expect(await ids('status=400')).toEqual([bad.headers.get('x-request-id')]);
    expect(await ids('decision=rejected_auth')).toEqual([]);
  });
});

describe('the entries of the request log', () => {
  it('are readable at once, the newest first, however each is written; also page by page', async () => {
    const endpoint = await createEndpoint();
    const decisions: string[] = [];
    for (let i = 0; i < 5; i++) {
      await sendRequest(gateway.url, endpoint, { body: '{' });
      const { text } = await sendRequest(gateway.url, endpoint);
      decisions.unshift('accepted', 'rejected_validation');
      const lines = await readRequestLog(gateway, endpoint);
      expect(lines.map(({ decision }) => decision)).toEqual(decisions);
      expect(lines[0]!.post_id).toBe(JSON.parse(text).id);
    }
    const paged: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const query: string = `limit=3${next && `&cursor=${next}`}`;
      const page: { items: LogEntry[]; next: string | null } = await gateway.manage(
        'GET',
        `/endpoints/${endpoint.id}/requests?${query}`,
      );
      paged.push(...page.items.map(({ decision }) => decision));
      next = page.next;
    }
    expect(paged).toEqual(decisions);
  });
});

describe('requests of all kinds in a row', () => {
  it.each([0, 5, 40, 250])('leave the newest hundred in the log, with pauses of up to %i ms', async (longest) => {
    const random = new Random();
    const endpoint = await createEndpoint();
    const kinds: RequestOptions[] = [
      {},
      { body: '{' },
      { body: { entities: [{ type: 'bold', offset: -1, length: 0 }] } },
      { method: 'GET', route: '/info' },
      { headers: { 'content-type': 'text/plain' } },
      { headers: { 'idempotency-key': 'the same' } },
    ];
    const sent: string[] = [];
    for (let i = 0; i < 130; i++) {
      const answer = await sendRequest(gateway.url, endpoint, kinds[random.below(kinds.length)]);
      sent.unshift(answer.headers.get('x-request-id')!);
      const answeredAt = Date.now();
      while (Date.now() <= answeredAt) await sleep(1); // the next request arrives in another millisecond
      if (random.below(5) === 0) await sleep(random.below(longest + 1));
    }
    const newest = sent.slice(0, 100);
    const logged = await until('the newest hundred are in the log', async () => {
      const ids = (await readRequestLog(gateway, endpoint)).map(({ id }) => id);
      return newest.every((id) => ids.includes(id)) && ids;
    });
    expect(logged).toEqual(newest);
  });
});

describe('a flood of rejected requests', () => {
  it('leaves the last hundred entries in the log, in their order, and costs a few events', async () => {
    const endpoint = await createEndpoint();
    const startedAt = performance.now();
    const sent: string[] = [];
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          sendRequest(gateway.url, endpoint, { headers: { authorization: 'Bearer x' } }),
        ),
      );
      sent.push(...answers.map(({ headers }) => headers.get('x-request-id')!));
    }
    const last = await sendRequest(gateway.url, endpoint, { body: '{' });
    await findLogEntry(gateway, endpoint, last);
    const lines = await readRequestLog(gateway, endpoint);
    expect(lines).toHaveLength(100);
    expect(lines[0]!.id).toBe(last.headers.get('x-request-id'));
    expect(lines.slice(1).every(({ id }) => sent.includes(id))).toBe(true);
    const events = await readLogEvents(endpoint);
    // At most five a second, besides the first one and those that the reads cause.
    expect(events.length).toBeLessThanOrEqual(3 + Math.ceil((performance.now() - startedAt) / 200));
  });
});

describe('a gateway that is stopped', () => {
  it('writes the pending entries of its log', async () => {
    const { connectionString: DATABASE_URL, stop } = await startTestPostgres();
    const first = await TestGateway.start({ DATABASE_URL });
    const endpoint = await first.createEndpoint(await first.createOwner(), []);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => sendRequest(first.url, endpoint, { body: '{' })),
    );
    await first.stop();
    const second = await TestGateway.start({ DATABASE_URL });
    try {
      const ids = await until('thirty entries', async () => {
        const lines = await readRequestLog(second, endpoint);
        return lines.length === 30 ? lines.map(({ id }) => id).sort() : null;
      });
      expect(ids).toEqual(answers.map(({ headers }) => headers.get('x-request-id')).sort());
    } finally {
      await second.stop();
      await stop();
    }
  });
});
