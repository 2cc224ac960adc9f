import { until } from '../../e2e/until.js';
import { type Answer, type TestChannel, TestGateway } from '../public/gateway.js';
import { type Assistant, CLIENTS, headersOf, type HeldStream, holdStream, RawSseClient } from './assistant-clients.js';
import { createToolCalls } from './tool-calls.js';

let gateway: TestGateway;
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
});
afterAll(() => gateway.stop());

const addressOf = (slug: string): string => `${gateway.url}/sse/${slug}`;
const { send, rpc, callOnce } = createToolCalls(addressOf);

/** An endpoint with one channel. */
const setUp = async (settings: object = {}, name = 'News', ownerId = owner) => {
  const channel: TestChannel = await gateway.createChannel(ownerId, name);
  const project = await gateway.createProject(ownerId, [channel]);
  const endpoint = await gateway.createEndpoint(ownerId, [project], settings);
  return { channel, project, endpoint };
};

/** Waits until an endpoint's request log has an entry, and returns the log. */
const waitForLog = (endpointId: string, query = ''): Promise<Answer['body']> =>
  until('an entry in the log', async () => {
    const { items } = await gateway.manage('GET', `/endpoints/${endpointId}/requests${query}`);
    return items.length > 0 && items;
  });

describe('an assistant discovers, publishes, pauses and asks for the status (D-39)', () => {
  it.each(Object.entries(CLIENTS))('%s', async (name, connect) => {
    const { channel, endpoint } = await setUp({ verbose_discovery: true });
    const assistant: Assistant = await connect(addressOf(endpoint.slug), headersOf(endpoint.token));
    try {
      if (name.endsWith('current transport')) expect(assistant.revision).toBe('2026-07-28');
      const tools = await assistant.listTools();
      expect(tools.map((tool) => tool.name)).toEqual([
        ...['service_discover', 'service_publish', 'service_pause', 'service_resume'],
        ...['service_sandbox', 'service_post_status', 'service_reschedule', 'service_cancel'],
        ...['service_edit', 'service_withdraw'],
      ]);
      const discovered = await assistant.call('service_discover');
      expect(discovered.structuredContent.projects[0].targets[0]).toMatchObject({ id: channel.id, name: 'News' });

      const text = `posted by ${name}`;
      const queued = await assistant.call('service_publish', { text, targets: ['news'], idempotency_key: 'one' });
      const anId = expect.stringMatching(/^post_/) as string;
      expect(queued.structuredContent).toEqual({ ok: true, id: anId, trace_id: null, queued_targets: 1 });
      expect(queued.content[0]!.text).toMatch(/is queued for 1 target\. It is not published yet/);
      await gateway.waitForText(channel.chatId, text);
      const { id } = queued.structuredContent;
      const status = await until('published', async () => {
        const { structuredContent } = await assistant.call('service_post_status', { id });
        return structuredContent.publications[0].state === 'published' && structuredContent;
      });
      expect(status.publications[0]).toMatchObject({ project: 'Project', target: 'News', platform: 'telegram' });

      const paused = await assistant.call('service_pause', { target_minutes: 5, targets: [channel.id] });
      expect(paused.structuredContent).toMatchObject({ ok: true, resources_affected: 1 });
      const after = await assistant.call('service_discover');
      expect(after.structuredContent.projects[0].targets[0].paused_until).not.toBeNull();
      const resumed = await assistant.call('service_resume', {});
      expect(resumed.structuredContent).toMatchObject({ ok: true, resources_affected: 1 });

      const checked = await assistant.call('service_sandbox', { text });
      expect(checked.structuredContent).toMatchObject({ ok: true, preview: { telegram: { text_after_trim: text } } });
    } finally {
      await assistant.close();
    }
  });

  it('an old SSE client, which is fetch alone', async () => {
    const { channel, endpoint } = await setUp();
    const client = await RawSseClient.open(addressOf(endpoint.slug), headersOf(endpoint.token));
    expect(client.response.headers.get('content-type')).toBe('text/event-stream');
    const clientInfo = { name: 'old', version: '1' };
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
    const { result } = await client.request('initialize', params);
    expect(result).toMatchObject({ protocolVersion: '2024-11-05', serverInfo: { name: 'crosspost' } });
    expect((await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    const called = await client.request('tools/call', { name: 'service_publish', arguments: { text: 'from 2024' } });
    expect(called.result?.structuredContent).toMatchObject({ queued_targets: 1 });
    await gateway.waitForText(channel.chatId, 'from 2024');
    client.close();
  });
});

describe('a tool call is a request to the endpoint', () => {
  it('stands in the request log, and in the history, with the address of the client and the name of the tool', async () => {
    const { endpoint } = await setUp();
    const headers = headersOf(endpoint.token, { 'user-agent': 'assistant/7' });
    const result = await callOnce(endpoint, 'service_publish', { text: 'logged' }, headers);
    const { id } = result.structuredContent;
    const items = await waitForLog(endpoint.id);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      ip: '127.0.0.1',
      user_agent: 'assistant/7 (tool service_publish)',
      decision: 'accepted',
      post_id: id,
      route: 'POST /v1/webhooks/{slug}',
    });
    const events = await gateway.manage('GET', `/history/post/${id}`);
    expect(events.events[0]).toMatchObject({ actor: `endpoint:${endpoint.id}`, ip: '127.0.0.1' });
  });

  it('stands in the request log also if its tool refuses it, over both transports; the sandbox never does', async () => {
    const { endpoint } = await setUp();
    const headers = headersOf(endpoint.token, { 'user-agent': 'assistant/7' });
    await callOnce(endpoint, 'service_publish', { text: 'a', medai: [] }, headers);
    await callOnce(endpoint, 'service_publish', { text: 'a', targets: ['News'] });
    await callOnce(endpoint, 'service_sandbox', { medai: [] });
    await rpc(endpoint, 'tools/call', { name: 'x'.repeat(100), arguments: {} });
    const client = await RawSseClient.open(addressOf(endpoint.slug), headersOf(endpoint.token));
    await client.request('tools/call', { name: 'service_post_status', arguments: { id: 5 } });
    client.close();
    const refused = await until('four entries', async () => {
      const { items } = await gateway.manage('GET', `/endpoints/${endpoint.id}/requests`);
      const own = items.filter(({ decision }: { decision: string }) => decision === 'rejected_validation').reverse();
      return own.length >= 4 && own;
    });
    const route = 'POST /sse/{slug}';
    expect(refused).toMatchObject([
      { route, reason: 'invalid_arguments', http_status: 422, why: { figures: { tool: 'service_publish' } } },
      {
        route,
        reason: 'invalid_targets',
        http_status: 422,
        ip: '127.0.0.1',
      },
      { route, reason: 'unknown_tool', http_status: 404, why: { figures: { tool: 'x'.repeat(64) } } },
      { route: `${route}/messages`, reason: 'invalid_arguments', why: { figures: { tool: 'service_post_status' } } },
    ]);
    expect(refused[0].user_agent).toMatch(/^assistant\/7 \(tool service_publish\)$/);
    expect(refused[0].payload_bytes).toBeGreaterThan(50);
  });

  it('shares keys with the endpoint: a repeated post is queued once, whichever way it comes', async () => {
    const { channel, endpoint } = await setUp();
    const first = await endpoint.post('', { text: 'once' }, { 'idempotency-key': 'Schlüssel 1' });
    const again = await callOnce(endpoint, 'service_publish', { text: 'once', idempotency_key: 'Schlüssel 1' });
    expect(again.structuredContent).toEqual(first.body);
    expect(again.content[0]!.text).toContain('accepted before: nothing new is queued');
    await gateway.waitForText(channel.chatId, 'once');
    expect(await gateway.readWall(channel.chatId)).toEqual(['once']);
  });

  it('shares the rate limits with the endpoint, and says how long to wait', async () => {
    const { endpoint } = await setUp({ min_interval: 60 });
    expect((await endpoint.post('', { text: 'first' })).status).toBe(200);
    const refused = await callOnce(endpoint, 'service_publish', { text: 'second' });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toMatch(/one post every 60 seconds.* Wait at least \d+ s before the next call/);
    const items = await waitForLog(endpoint.id, '?status=429');
    expect(items).toHaveLength(1);
  });

  it('reports all problems of a payload, with their places', async () => {
    const { endpoint } = await setUp();
    const { isError, content } = await callOnce(endpoint, 'service_publish', {
      text: 5,
      media: [{ type: 'photo', url: 'http://example.com/a.jpg' }],
      ad_pause_minutes: 2_000,
    });
    expect(isError).toBe(true);
    expect(content[0]!.text).toMatch(
      /^text must be a string, not the number 5\. ad_pause_minutes must be from 0 to 1440.*media\[0\]\.url must be/,
    );
    expect(JSON.parse(content[1]!.text!)).toMatchObject({ status: 422, code: 'invalid_payload' });
  });

  it.each<[string, object, RegExp]>([
    ['service_publish', { text: 'a', medai: [] }, /no argument "medai". The arguments are: text, entities/],
    ['service_publish', { text: 'a', targets: 'News' }, /targets must be a list of strings .* not "News"/],
    ['service_publish', { text: 'a', targets: [{ id: 'tgt_1' }] }, /targets must be a list .* not an object/],
    ['service_publish', { text: 'a', targets: ['tgt_unknown'] }, /Call service_discover for the ids of the targets/],
    ['service_publish', { text: 'a', idempotency_key: 7 }, /idempotency_key must be a string, not 7/],
    ['service_publish', { text: 'a', idempotency_key: 'k'.repeat(129) }, /Idempotency-Key is 129 characters long/],
    ['service_publish', {}, /Correct the arguments and call the tool again/],
    ['service_pause', {}, /Correct the arguments/],
    ['service_pause', { project_minutes: '5' }, /project_minutes must be/],
    ['service_resume', { scope: 'world' }, /scope must be project, targets or all/],
    ['service_post_status', { id: '../info' }, /did not accept a post with this id/],
    ['service_post_status', {}, /did not accept a post with this id/],
    ['service_post_status', { id: 5 }, /id must be a string, not 5/],
    ['service_discover', { verbose: true }, /no argument "verbose"/],
    [
      'service_publish',
      { text: 'a', publish_at: 'tomorrow' },
      /^publish_at is not an RFC 3339 date-time with an offset/,
    ],
    [
      'service_publish',
      { text: 'a', overrides: { tgt_none: { text: 'b' } } },
      /^overrides\.tgt_none .* Correct the arguments/,
    ],
    ['service_reschedule', { id: 'post_0', publish_at: null }, /did not accept a post with this id/],
    ['service_cancel', { id: '' }, /did not accept a post with this id/],
    ['service_cancel', { id: 5 }, /id must be a string, not 5/],
    ['service_cancel', { id: 'post_0', force: true }, /no argument "force"/],
    ['service_edit', { id: 'post_0', text: 'a' }, /did not accept a post with this id/],
    ['service_edit', { id: 'post_0', text: 'a', revision: '1' }, /revision must be a positive whole number, not "1"/],
    ['service_edit', { id: 'post_0', pin: true }, /no argument "pin"/],
    ['service_withdraw', { id: 'post_0' }, /did not accept a post with this id/],
    ['service_withdraw', { id: 'post_0', targets: 'tgt_0' }, /targets must be a list of strings/],
  ])('%s %j is refused with the action to take', async (tool, args, expected) => {
    const { endpoint } = await shared();
    const { isError, content } = await callOnce(endpoint, tool, args);
    expect(content[0]!.text).toMatch(expected);
    expect(isError).toBe(true);
  });

  it('shows in the sandbox what is wrong with a post', async () => {
    const { endpoint } = await shared();
    const { isError, structuredContent } = await callOnce(endpoint, 'service_sandbox', { text: '' });
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({ ok: false, would_create_post: false });
  });

  it('lists the tools to a caller that names an unknown tool', async () => {
    const { endpoint } = await shared();
    const { body } = await rpc(endpoint, 'tools/call', { name: 'service_delete', arguments: {} });
    expect(body.error).toMatchObject({ code: -32602 });
    expect(body.error.message).toContain('There is no tool "service_delete". The tools are: service_discover,');
  });
});

describe('names of targets (D-39)', () => {
  it('are refused unless discovery is verbose', async () => {
    const { endpoint } = await shared();
    const { content } = await callOnce(endpoint, 'service_publish', { text: 'a', targets: ['News'] });
    expect(content[0]!.text).toMatch(/"News" is not a target id, and names cannot be used/);
  });

  it('match whole names without case; two matches are an error that lists both', async () => {
    const channels = [
      await gateway.createChannel(owner, 'Sport'),
      await gateway.createChannel(owner, 'SPORT '),
      await gateway.createChannel(owner, 'Sport local'),
    ];
    const projects = [await gateway.createProject(owner, channels), await gateway.createProject(owner, channels)];
    const endpoint = await gateway.createEndpoint(owner, projects, { verbose_discovery: true });
    const publish = (target: string) => callOnce(endpoint, 'service_publish', { text: target, targets: [target] });
    expect((await publish('sport LOCAL')).structuredContent).toMatchObject({ queued_targets: 1 });
    const ambiguous = (await publish('sport')).content[0]!.text!;
    expect(ambiguous).toContain('2 targets are called "sport"');
    for (const { id } of channels.slice(0, 2)) expect(ambiguous).toContain(id);
    expect(ambiguous).not.toContain(channels[2]!.id);
    expect((await publish('loc')).content[0]!.text).toContain('No target is called "loc"');
  });

  it('an unknown id beside a known one is reported in the answer', async () => {
    const { channel, endpoint } = await shared();
    const targets = [channel.id, 'tgt_unknown'];
    const { content } = await callOnce(endpoint, 'service_publish', { text: 'partly', targets });
    expect(content[0]!.text).toContain('You specified 2 targets; 1 of them will get the post');
  });
});

describe('authentication of assistants', () => {
  it('answers every cause with the same 401, in the form of JSON-RPC', async () => {
    const { endpoint } = await setUp({ ip_allowlist: ['203.0.113.7'] });
    const test = await setUp({ mode: 'test' });
    const open = (await setUp()).endpoint;
    const answers = [
      await rpc(endpoint, 'tools/list'),
      await rpc(test.endpoint, 'tools/list'),
      await rpc({ slug: open.slug, token: 'service_live_wrong' }, 'tools/list'),
      await rpc({ slug: 'unknown', token: open.token }, 'tools/list'),
      await rpc(open, 'tools/list', {}, { authorization: '' }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      body.error.data.request_id = 'req';
      const details = [{ path: '', code: 'unauthorized', message: 'Unauthorized.' }];
      const data = { code: 'unauthorized', request_id: 'req', errors: ['Unauthorized.'], details };
      const error = { code: -32001, message: 'Unauthorized.', data };
      expect(body).toEqual({ jsonrpc: '2.0', id: null, error });
    }
    const items = await waitForLog(endpoint.id);
    expect(items[0]).toMatchObject({ decision: 'rejected_auth', reason: 'ip_not_allowed', route: 'POST /sse/{slug}' });
  });

  it('takes the signing secret instead of a signature, and needs no timestamp', async () => {
    const { channel, endpoint } = await setUp({ require_signature: true, require_timestamp: true });
    const publish = (headers: Record<string, string>) =>
      rpc(endpoint, 'tools/call', { name: 'service_publish', arguments: { text: 'signed' } }, headers);
    expect((await publish({})).status).toBe(401);
    expect((await publish({ 'x-service-hmac-secret': 'wrong' })).status).toBe(401);
    const { status, body } = await publish({ 'x-service-hmac-secret': endpoint.secret });
    expect(status).toBe(200);
    expect(body.result.structuredContent).toMatchObject({ ok: true });
    const secret = { 'x-service-hmac-secret': endpoint.secret };
    const discovered = await rpc(endpoint, 'tools/call', { name: 'service_discover', arguments: {} }, secret);
    expect(discovered.body.result.structuredContent.projects).toHaveLength(1);
    await gateway.waitForText(channel.chatId, 'signed');
  });

  it('refuses pages of other origins, and serves those of its own', async () => {
    const { endpoint } = await shared();
    const foreign = await rpc(endpoint, 'tools/list', {}, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(foreign.body.error.message).toContain('Pages of "https://evil.example" may not call this server');
    expect((await rpc(endpoint, 'tools/list', {}, { origin: 'null' })).status).toBe(403);
    expect((await rpc(endpoint, 'tools/list', {}, { origin: gateway.url })).status).toBe(200);
  });

  it('refuses a disabled endpoint with the remedy', async () => {
    const { endpoint } = await setUp();
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`);
    const { status, body } = await rpc(endpoint, 'tools/list');
    expect(status).toBe(403);
    expect(body.error.data.code).toBe('endpoint_disabled');
  });
});

describe('messages pass the same scan as bodies', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const call = (metadata: string) =>
    `{"jsonrpc":"2.0","id":"m-1","method":"tools/call","params":{"name":"service_publish","arguments":{"text":"a","metadata":${metadata}}}}`;

  it.each<[string, string, number, number, string | null, string]>([
    ['no JSON', '{"jsonrpc"', 400, -32700, null, 'not_json'],
    ['an empty body', '', 400, -32700, null, 'empty_body'],
    ['too deep', call(`{"a":${nested(40)}}`), 400, -32600, null, 'too_deep'],
    ['too many members', call(`{"a":[${'1,'.repeat(50_000)}1]}`), 400, -32600, null, 'too_many_members'],
    ['a key twice', call('{"a":1,"a":2}'), 400, -32600, 'm-1', 'duplicate_key'],
    ['a poisoned prototype', call('{"__proto__":1}'), 400, -32600, 'm-1', 'forbidden_key'],
    ['over 5 MB', call(`"${'x'.repeat(5_242_880)}"`), 400, -32600, null, 'body_too_large'],
    [
      'a batch of 17',
      `[${Array(17).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join()}]`,
      413,
      -32000,
      null,
      'batch_too_large',
    ],
  ])('%s', async (_, text, status, code, id, reason) => {
    const { endpoint } = await shared();
    const answer = await send(endpoint, text);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id, error: { code, data: { details: [{ code: reason }] } } });
  });

  it('another media type is 415', async () => {
    const { endpoint } = await shared();
    const answer = await send(endpoint, call('{}'), { 'content-type': 'text/plain' });
    expect(answer).toMatchObject({
      status: 415,
      body: { jsonrpc: '2.0', error: { data: { code: 'unsupported_media_type' } } },
    });
  });

  it('nothing can be subscribed to, and DELETE ends nothing', async () => {
    const { endpoint } = await shared();
    expect((await rpc(endpoint, 'subscriptions/listen')).body.error.code).toBe(-32601);
    const headers = headersOf(endpoint.token);
    expect((await gateway.call('DELETE', `/sse/${endpoint.slug}`, { headers })).status).toBe(405);
    const stream = await gateway.call('GET', `/sse/${endpoint.slug}`, {
      headers: { ...headers, 'mcp-protocol-version': '2025-11-25' },
    });
    expect(stream).toMatchObject({ status: 405, body: { error: { data: { code: 'no_stream' } } } });
  });
});

describe('sessions of the former transport', () => {
  it('belong to one endpoint and one token: others learn nothing of them', async () => {
    const [one, other] = [(await setUp()).endpoint, (await setUp()).endpoint];
    const client = await RawSseClient.open(addressOf(one.slug), headersOf(one.token));
    const sessionId = new URL(await client.messagesUrl()).searchParams.get('sessionId')!;
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const postTo = async (endpoint: { slug: string; token: string }, session: string) => {
      const answer = await gateway.call('POST', `/sse/${endpoint.slug}/messages?sessionId=${session}`, {
        headers: { ...headersOf(endpoint.token), 'content-type': 'application/json' },
        body: JSON.stringify(ping),
      });
      if (answer.body?.error) answer.body.error.data.request_id = 'req';
      return [answer.status, answer.body];
    };
    const unknown = await postTo(other, 'unknown');
    expect(unknown[0]).toBe(404);
    expect(await postTo(other, sessionId)).toEqual(unknown);
    expect((await postTo({ slug: one.slug, token: other.token }, sessionId))[0]).toBe(401);
    const { token } = await gateway.manage('POST', `/endpoints/${one.id}/rotate-token`);
    expect((await postTo(one, sessionId))[0]).toBe(401);
    expect(await postTo({ slug: one.slug, token }, sessionId)).toEqual(unknown);
    client.close();
  });

  it('refuses what is no message, and a message without a session', async () => {
    const { endpoint } = await shared();
    const client = await RawSseClient.open(addressOf(endpoint.slug), headersOf(endpoint.token));
    expect((await client.post({ id: 1 })).status).toBe(400);
    expect((await client.post('{')).status).toBe(400);
    expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, {})).status).toBe(401);
    const headers = { ...headersOf(endpoint.token), 'content-type': 'application/json' };
    expect((await gateway.call('POST', `/sse/${endpoint.slug}/messages`, { headers, body: '{}' })).status).toBe(404);
    expect(await client.request('ping')).toMatchObject({ result: {} });
    client.close();
  });

  it('serves a thousand open connections, bounds those of one endpoint, and forgets closed ones', async () => {
    // Of five owners, because each owner's messages are paced.
    const setUpOne = async () => setUp({}, 'News', await gateway.createOwner());
    const outlets = await Promise.all(Array.from({ length: 5 }, setUpOne));
    const [{ channel, endpoint: full }] = outlets as [(typeof outlets)[0]];
    const open = (to: typeof full) => RawSseClient.open(addressOf(to.slug), headersOf(to.token));
    const client = await open(full);
    expect(client.response.status).toBe(200);
    const held: HeldStream[] = [];
    const holdMany = async ({ endpoint: { slug, token } }: (typeof outlets)[0]): Promise<void> => {
      const hold = () => holdStream(addressOf(slug), headersOf(token));
      for (let n = 0; n < 4; n++)
        held.push(...(await Promise.all(Array.from({ length: slug === full.slug && n === 3 ? 49 : 50 }, hold))));
    };
    await Promise.all(outlets.map(holdMany));
    expect(held.map(({ begin }) => begin)).toEqual(Array(999).fill('HTTP/1.1 200 OK'));

    const refused = await open(full);
    expect(refused.response.status).toBe(503);
    expect(await refused.response.json()).toMatchObject({ error: { data: { code: 'too_many_sessions' } } });
    const post = { name: 'service_publish', arguments: { text: 'through a crowd' } };
    expect((await client.request('tools/call', post)).result?.isError).toBeUndefined();
    await gateway.waitForText(channel.chatId, 'through a crowd');

    client.close();
    for (const { socket } of held) socket.destroy();
    const next = await until('a free place', () => open(full).then((one) => one.response.status === 200 && one));
    expect(await next.request('ping')).toMatchObject({ result: {} });
    next.close();
  });
});

let sharedSetUp: ReturnType<typeof setUp> | undefined;
/** Returns an endpoint for tests that do not change it. */
const shared = () => (sharedSetUp ??= setUp());
