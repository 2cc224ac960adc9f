import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '../../../e2e/until.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import { startTestPostgres } from '../../../support/postgres.js';
import { answersIn, openSocket } from '../../transport/raw-http.js';
import { call, lineOf, type LogLine, logOf, signed } from './calls.js';

let gateway: TestGateway;
let owner: string;
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.owner();
  projects = [await gateway.project(owner, [await gateway.channel(owner)])];
});
afterAll(() => gateway.stop());

const endpoint = (settings: object = {}): Promise<TestEndpoint> => gateway.endpoint(owner, projects, settings);
const requestsAnswered = async ({ id }: TestEndpoint) => gateway.events(`requestLog-${id}`);

describe('a line of the request log (publish-api.md: Request log entry; D-33)', () => {
  it('of an accepted post has who, when, what came of it, and the post; it costs no event of its own', async () => {
    const its = await endpoint();
    const body = '{"text": "Hello", "trace_id": "tr-1"}';
    const answer = await call(gateway.url, its, { body, headers: { 'user-agent': 'Shop/2.0' } });
    expect(await lineOf(gateway, its, answer)).toEqual({
      id: answer.headers.get('x-request-id'),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ...{ ip: '127.0.0.1', user_agent: 'Shop/2.0', route: 'POST /v1/webhooks/{slug}' },
      ...{ decision: 'accepted', reason: null, http_status: 200 },
      latency_ms: expect.any(Number),
      ...{ payload_bytes: body.length, trace_id: 'tr-1', post_id: JSON.parse(answer.text).id, why: null },
    });
    expect(await requestsAnswered(its)).toEqual([]);
  });

  it('of a refused one has the rule, its figures, and the body’s trace id where it could be read', async () => {
    const its = await endpoint();
    const body = { trace_id: 'tr-2', entities: [{ type: 'bold', offset: -1, length: 0 }] };
    const answer = await call(gateway.url, its, { body });
    expect(await lineOf(gateway, its, answer)).toMatchObject({
      ...{ decision: 'rejected_validation', http_status: 422, trace_id: 'tr-2', post_id: null },
      payload_bytes: JSON.stringify(body).length,
      why: { figures: { problems: JSON.parse(answer.text).details.length, first: expect.any(String) }, event_id: null },
    });
  });

  it.each([
    ['not JSON', '{"text"', 400],
    ['too large', `{"text": "${'a'.repeat(5_300_000)}"}`, 400],
  ])('of a body that is %s tells that', async (_, body, status) => {
    const its = await endpoint();
    const answer = await call(gateway.url, its, { body });
    expect(await lineOf(gateway, its, answer)).toMatchObject({
      ...{ decision: 'rejected_validation', http_status: status, payload_bytes: body.length },
    });
  });

  it('has the payload’s size also where nobody looked at the payload', async () => {
    const body = { text: 'Hello', metadata: { pad: 'x'.repeat(100_000) } };
    const its = await endpoint();
    const off = await endpoint();
    await gateway.manage('POST', `/endpoints/${off.id}/disable`);
    const answers = [
      [its, await call(gateway.url, its, { body, headers: { authorization: 'Bearer x' } })],
      [its, await call(gateway.url, its, { body, headers: { 'content-type': 'text/plain' } })],
      [off, await call(gateway.url, off, { body })],
    ] as const;
    const lines = await Promise.all(answers.map(([whose, answer]) => lineOf(gateway, whose, answer)));
    const size = JSON.stringify(body).length;
    expect(lines.map(({ http_status, payload_bytes }) => [http_status, payload_bytes])).toEqual([
      [401, size],
      [415, size],
      [403, size],
    ]);
  });

  it('of an accepted post that goes nowhere says why: its channels are switched off, or there are none (D-36)', async () => {
    const [on, off] = [await gateway.channel(owner), await gateway.channel(owner)];
    await gateway.manage('PATCH', `/channels/${off.id}`, { enabled: false });
    const its = await gateway.endpoint(owner, [await gateway.project(owner, [on, off])]);
    const lineTo = async (whom: TestEndpoint, targets: readonly { readonly id: string }[]) => {
      const answer = await call(gateway.url, whom, { body: { text: 'Hello', targets } });
      return { ...(await lineOf(gateway, whom, answer)), queued: JSON.parse(answer.text).queued_targets };
    };
    const nowhere = { decision: 'accepted', http_status: 200, post_id: expect.stringMatching(/^post_/), queued: 0 };
    expect(await lineTo(its, [{ id: off.id }])).toMatchObject({
      ...{ ...nowhere, reason: 'targets_switched_off' },
      why: { rule: 'targets_switched_off', figures: { channels: [off.id] }, event_id: null },
    });
    expect(await lineTo(its, [{ id: off.id }, { id: on.id }])).toMatchObject({ queued: 1, reason: null, why: null });
    const empty = await gateway.endpoint(owner, [await gateway.project(owner, [])]);
    expect(await lineTo(empty, [])).toMatchObject({ ...nowhere, reason: 'no_channels' });
  });

  describe('of a request whose body does not come as a whole (D-33)', () => {
    /** Sends these lines and this of a body, says no more, and takes the answer. */
    const breakOff = async (
      { slug, token }: Pick<TestEndpoint, 'slug' | 'token'>,
      sent: string,
      ...lines: string[]
    ) => {
      const socket = await openSocket(gateway.url);
      const head = [`POST /v1/webhooks/${slug} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...lines];
      socket.end(`${[...head, 'Content-Type: application/json', '\r\n'].join('\r\n')}${sent}`);
      const [answer, ...more] = answersIn(await text(socket));
      expect(more).toEqual([]);
      const { status, requestId, body } = answer!;
      expect(JSON.parse(body).request_id).toBe(requestId);
      return { status, code: JSON.parse(body).code, headers: new Headers({ 'x-request-id': requestId! }), text: body };
    };

    it.each([
      ['breaks off', '{"text": "Hell', 'Content-Length: 20', 400, 'body_incomplete'],
      ['breaks off in its chunks', 'd\r\n{"text"', 'Transfer-Encoding: chunked', 400, 'body_incomplete'],
      ['is no HTTP', 'zz\r\n{"text"', 'Transfer-Encoding: chunked', 400, 'bad_request'],
    ])('but %s: under the id of its answer', async (_, sent, line, status, code) => {
      const its = await endpoint();
      const answer = await breakOff(its, sent, line);
      expect([answer.status, answer.code]).toEqual([status, code]);
      expect(await lineOf(gateway, its, answer)).toMatchObject({
        ...{ decision: 'rejected_validation', reason: code, http_status: status, route: 'POST /v1/webhooks/{slug}' },
      });
    });

    if (process.env.TEST_LONG)
      it('but goes silent: 408, under the id of its answer', async () => {
        const its = await endpoint();
        const { hostname, port } = new URL(gateway.url);
        const socket = connect({ host: hostname, port: Number(port) });
        const head = [`POST /v1/webhooks/${its.slug} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${its.token}`];
        socket.write(
          `${[...head, 'Content-Type: application/json', 'Content-Length: 20', '\r\n'].join('\r\n')}{"text"`,
        );
        const [answer] = answersIn(await text(socket));
        const line = { ...answer!, headers: new Headers({ 'x-request-id': answer!.requestId! }), text: '' };
        expect(await lineOf(gateway, its, line)).toMatchObject({ http_status: 408, reason: 'request_timeout' });
      }, 60_000);

    it('is rejected_auth where it is not known who sent it: its signature cannot be checked', async () => {
      const its = await endpoint();
      const signing = await endpoint({ require_signature: true });
      const signature = `X-Service-Client-Signature: ${signed(signing.secret, '')}`;
      const answers = [
        [its, await breakOff({ ...its, token: 'wrong' }, '{', 'Content-Length: 20'), 'bad_token'],
        [signing, await breakOff(signing, '{', 'Content-Length: 20', signature), 'body_incomplete'],
      ] as const;
      for (const [whose, answer, reason] of answers) {
        expect(answer.status).toBe(401);
        expect(await lineOf(gateway, whose, answer)).toMatchObject({ decision: 'rejected_auth', reason });
      }
      expect((await breakOff({ ...its, slug: 'nobody-has-this-slug' }, '{', 'Content-Length: 20')).status).toBe(401);
    });
  });

  it.each([
    ['whole', '{"text":"hi"}', 13],
    ['begun', '{"text', 13],
  ])('has every request whose client is gone at once, its body %s, and where it came from', async (_, sent, length) => {
    const its = await endpoint();
    const knownAlready = async () => {
      const socket = await openSocket(gateway.url);
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: 40 }, knownAlready));
    const lines = ['Host: x', `Authorization: Bearer ${its.token}`, 'Content-Type: application/json'];
    const head = [`POST /v1/webhooks/${its.slug} HTTP/1.1`, ...lines, `Content-Length: ${length}`].join('\r\n');
    sockets.forEach((socket, i) => {
      socket.write(`${head}\r\n\r\n${sent}`);
      if (i % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    });

    const answered = await until('all are in the log', async () => {
      const log = await logOf(gateway, its);
      return log.length === 40 ? log : null;
    });

    expect(answered.map(({ ip }) => ip)).toEqual(Array<string>(40).fill('127.0.0.1'));
    const outcomes = new Set(answered.map(({ decision, reason }) => `${decision} ${reason}`));
    const possible = ['rejected_validation body_incomplete', ...(length === sent.length ? ['accepted null'] : [])];
    expect(possible).toEqual(expect.arrayContaining([...outcomes]));
  });

  describe('of requests that come one behind the other over a connection', () => {
    const requestTo = ({ slug, token }: Pick<TestEndpoint, 'slug' | 'token'>, body: string, length = body.length) => {
      const lines = ['Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
      return [`POST /v1/webhooks/${slug} HTTP/1.1`, ...lines, `Content-Length: ${length}`, '', body].join('\r\n');
    };
    /** Sends all at once, says no more, and takes the answers. */
    const answersTo = async (...sent: readonly string[]) => {
      const socket = await openSocket(gateway.url);
      socket.write(sent.join(''));
      await sleep(200); // that no end comes with it
      socket.end();
      return answersIn(await text(socket));
    };
    const WHOLE = '{"text":"hi"}';

    it('has the post that was accepted, which is also what its sender hears, whatever came behind it', async () => {
      const its = await endpoint();
      for (const behind of ['x', 'GARBAGE\r\n\r\n']) {
        const [answer, ...more] = await answersTo(requestTo(its, WHOLE), behind);
        expect(more.map(({ status }) => status)).not.toContain(200);
        expect(JSON.parse(answer!.body)).toMatchObject({ ok: true, id: expect.stringMatching(/^post_/) as unknown });
      }
    });

    it('has the one that breaks off behind a whole one, under the id of its answer', async () => {
      const its = await endpoint();
      const refused = { decision: 'rejected_validation', reason: 'body_incomplete', http_status: 400 };
      for (const [token, line] of [
        [its.token, refused],
        ['wrong', { decision: 'rejected_auth', reason: 'bad_token', http_status: 401 }],
      ] as const) {
        const second = requestTo({ ...its, token }, '{"te', 100);
        const [first, broken, ...more] = await answersTo(requestTo(its, WHOLE), second);
        expect([first!.status, broken!.status, more]).toEqual([200, line.http_status, []]);
        const answer = { ...broken!, headers: new Headers({ 'x-request-id': broken!.requestId! }), text: '' };
        expect(await lineOf(gateway, its, answer)).toMatchObject(line);
      }
    });

    it('has one answer for one that was answered before its body was there', async () => {
      const its = await endpoint();
      const socket = await openSocket(gateway.url);
      socket.write(requestTo({ ...its, token: 'wrong' }, '{"te', 100));
      await sleep(1_300); // the 401 of a body that does not come
      socket.end();
      expect(answersIn(await text(socket)).map(({ status }) => status)).toEqual([401]);
    });
  });

  it('has names that are not ASCII as they were sent', async () => {
    const its = await endpoint();
    const headers = { 'user-agent': Buffer.from('Лавка/2.0 ☕').toString('latin1') }; // HTTP sends bytes
    expect(await lineOf(gateway, its, await call(gateway.url, its, { headers }))).toMatchObject({
      user_agent: 'Лавка/2.0 ☕',
    });
  });

  it('is there for discovery and pauses too, with their routes (D-44)', async () => {
    const its = await endpoint();
    const answers = [
      await call(gateway.url, its, { method: 'GET', route: '/info' }),
      await call(gateway.url, its, { route: '/temp-pause', body: { project_minutes: 1 } }),
      await call(gateway.url, its, { route: '/temp-resume', body: {} }),
      await call(gateway.url, its, { route: '/temp-pause', body: { project_minutes: 0 } }),
    ];
    const lines = await Promise.all(answers.map((answer) => lineOf(gateway, its, answer)));
    expect(lines.map(({ route, decision, http_status }) => [route, decision, http_status])).toEqual([
      ['GET /v1/webhooks/{slug}/info', 'accepted', 200],
      ['POST /v1/webhooks/{slug}/temp-pause', 'accepted', 200],
      ['POST /v1/webhooks/{slug}/temp-resume', 'accepted', 200],
      ['POST /v1/webhooks/{slug}/temp-pause', 'rejected_validation', 422],
    ]);
  });

  it('can be asked for by decision and status', async () => {
    const its = await endpoint();
    await call(gateway.url, its);
    const bad = await call(gateway.url, its, { body: '{' });
    await lineOf(gateway, its, bad);
    const ids = async (filter: string): Promise<string[]> =>
      (await gateway.manage('GET', `/endpoints/${its.id}/requests?${filter}`)).items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('decision=rejected_validation')).toEqual([bad.headers.get('x-request-id')]);
    expect(await ids('status=400')).toEqual([bad.headers.get('x-request-id')]);
    expect(await ids('decision=rejected_auth')).toEqual([]);
  });
});

describe('the lines of the request log', () => {
  it('are there at once, the newest first, however each is written; also page by page', async () => {
    const its = await endpoint();
    const decisions: string[] = [];
    for (let i = 0; i < 5; i++) {
      await call(gateway.url, its, { body: '{' });
      const { text } = await call(gateway.url, its);
      decisions.unshift('accepted', 'rejected_validation');
      const lines = await logOf(gateway, its);
      expect(lines.map(({ decision }) => decision)).toEqual(decisions);
      expect(lines[0]!.post_id).toBe(JSON.parse(text).id);
    }
    const paged: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const query: string = `limit=3${next && `&cursor=${next}`}`;
      const page: { items: LogLine[]; next: string | null } = await gateway.manage(
        'GET',
        `/endpoints/${its.id}/requests?${query}`,
      );
      paged.push(...page.items.map(({ decision }) => decision));
      next = page.next;
    }
    expect(paged).toEqual(decisions);
  });
});

describe('a flood of bad requests', () => {
  it('leaves the last hundred in the log, in their order, and costs a few events', async () => {
    const its = await endpoint();
    const sent: string[] = [];
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => call(gateway.url, its, { headers: { authorization: 'Bearer x' } })),
      );
      sent.push(...answers.map(({ headers }) => headers.get('x-request-id')!));
    }
    const last = await call(gateway.url, its, { body: '{' });
    await lineOf(gateway, its, last);
    const lines = await logOf(gateway, its);
    expect(lines).toHaveLength(100);
    expect(lines[0]!.id).toBe(last.headers.get('x-request-id'));
    expect(lines.slice(1).every(({ id }) => sent.includes(id))).toBe(true);
    expect((await requestsAnswered(its)).length).toBeLessThan(40);
  });
});

describe('a gateway that is stopped', () => {
  it('writes what it has not yet written of its log', async () => {
    const { connectionString: DATABASE_URL, stop } = await startTestPostgres();
    const first = await TestGateway.start({ DATABASE_URL });
    const its = await first.endpoint(await first.owner(), []);
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(first.url, its, { body: '{' })));
    await first.stop();
    const second = await TestGateway.start({ DATABASE_URL });
    try {
      const ids = await until('thirty lines', async () => {
        const lines = await logOf(second, its);
        return lines.length === 30 ? lines.map(({ id }) => id).sort() : null;
      });
      expect(ids).toEqual(answers.map(({ headers }) => headers.get('x-request-id')).sort());
    } finally {
      await second.stop();
      await stop();
    }
  });
});
