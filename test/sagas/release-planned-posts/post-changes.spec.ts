import { createHmac } from 'node:crypto';
import { iso } from '../../../src/kernel/clock.js';
import { startLimitClock, stopLimitClock } from '../../api/public/gate/calls.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';

let gateway: TestGateway;
let ownerId: string;
let channels: TestChannel[];
let endpoint: TestEndpoint;
/** Lead of the worker's clock, in ms. */
let ahead = 0;
/** Lead of the API's clock, in ms. */
let apiAhead = 0;

beforeAll(async () => {
  const clock = { now: () => Date.now() + ahead };
  gateway = await TestGateway.start({}, clock, { clock: { now: () => Date.now() + apiAhead } });
  ownerId = await gateway.createOwner();
});
afterAll(() => gateway.stop());

const createEndpoint = async (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(ownerId, [await gateway.createProject(ownerId, channels)], settings);

beforeEach(async () => {
  channels = [await gateway.createChannel(ownerId), await gateway.createChannel(ownerId)];
  endpoint = await createEndpoint();
});

const inMinutes = (minutes: number): string => iso(Date.now() + ahead + minutes * 60_000);
const plan = async (text: string, publish_at = inMinutes(60), more: object = {}): Promise<string> =>
  (await endpoint.post('', { text, publish_at, ...more })).body.id;
const change = (method: string, id: string, body?: object, headers: Record<string, string> = {}, of = endpoint) =>
  gateway.call(method, `/v1/webhooks/${of.slug}/posts/${id}`, {
    headers: {
      authorization: `Bearer ${of.token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const readPost = (id: string) => gateway.manage('GET', `/posts/${id}`);
const typesOf = async (id: string): Promise<string[]> =>
  (await gateway.manage('GET', `/history/post/${id}`)).events.map(({ type }: { type: string }) => type);

it('moves a post to another time, and to now', async () => {
  const id = await plan('moved');
  const later = inMinutes(90);
  const moved = await change('PATCH', id, { publish_at: later });
  expect([moved.status, moved.headers.get('etag')]).toEqual([200, '"2"']);
  const shown = { ok: true, id, publish_at: later, state: 'planned', revision: 2, queued_targets: 2 };
  expect(moved.body).toEqual(shown);
  expect(await readPost(id)).toMatchObject({ publish_at: later, revision: 2, released_at: null });
  const now = await change('PATCH', id, { publish_at: null }, { 'if-match': '"2"' });
  expect(now.body).toEqual({ ...shown, publish_at: null, state: 'released', revision: 3 });
  await gateway.waitForText(channels[0]!.chatId, 'moved');
  expect(await typesOf(id)).toEqual(['PostAccepted', 'PostRescheduled', 'PostRescheduled', 'PostReleased']);
  const again = await change('PATCH', id, { publish_at: later });
  expect([again.status, again.body.code]).toEqual([409, 'already_released']);
});

it('replaces the payload; history shows each version', async () => {
  const id = await plan('first', inMinutes(60), { external_id: `e-${channels[0]!.id}`, metadata: { v: 1 } });
  const at = inMinutes(30);
  const other = { text: 'second', publish_at: at, targets: [{ id: channels[0]!.id }], external_id: 'x', trace_id: 't' };
  const replaced = await change('PUT', id, other, { 'if-match': '"1"' });
  expect(replaced.body).toEqual({ ok: true, id, publish_at: at, state: 'planned', revision: 2, queued_targets: 1 });
  const post = await readPost(id);
  expect(post).toMatchObject({ trace_id: 't', metadata: null, external_id: `e-${channels[0]!.id}`, excerpt: 'second' });
  expect(post.payload).toMatchObject({ text: 'second', external_id: post.external_id });
  expect(post.publications.map(({ target_id }: { target_id: string }) => target_id)).toEqual([channels[0]!.id]);
  const { events } = await gateway.manage('GET', `/history/post/${id}`);
  const texts = await Promise.all(
    events.map(
      async ({ revision }: { revision: number }) =>
        (await gateway.manage('GET', `/history/post/${id}?revision=${revision}`)).state.payload.text,
    ),
  );
  expect(texts).toEqual(['first', 'second']);
  ahead += 40 * 60_000;
  await gateway.waitForText(channels[0]!.chatId, 'second');
  expect(await gateway.readWall(channels[1]!.chatId)).toEqual([]);
});

it('replaces a payload by one that is stored in parts, and publishes it', async () => {
  const id = await plan('small');
  const metadata = { filler: 'x'.repeat(1_500_000) };
  const replaced = await change('PUT', id, { text: 'large', metadata });
  expect([replaced.status, replaced.body.state]).toEqual([200, 'released']);
  await gateway.waitForText(channels[0]!.chatId, 'large');
  const post = await readPost(id);
  expect(post.payload.metadata).toEqual(metadata);
  expect((await gateway.manage('GET', `/history/post/${id}`)).state.payload.metadata).toEqual(metadata);
});

it('refuses a payload in parts whose storing took so long that they may be erased', async () => {
  const id = await plan('as it was');
  const { store } = gateway.infrastructure;
  const append = store.append.bind(store);
  store.append = async (stream, ...rest) => {
    const appended = await append(stream, ...rest);
    if (stream.startsWith(`payload-${id}`)) apiAhead = 11 * 60_000;
    return appended;
  };
  const slow = await change('PUT', id, { text: 'too late', metadata: { filler: 'x'.repeat(400_000) } });
  store.append = append;
  apiAhead = 0;
  expect([slow.status, slow.body.code]).toEqual([503, 'unavailable']);
  expect(await readPost(id)).toMatchObject({ revision: 1, excerpt: 'as it was' });
  expect(await typesOf(id)).toEqual(['PostAccepted']);
});

it.each([
  ['*', 200],
  ['"1"', 200],
  ['"7", "1"', 200],
  ['"2"', 412],
  ['W/"1"', 412],
  ['1', 412],
  ['', 412],
])('obeys If-Match: %s', async (tag, status) => {
  const ids = [await plan('a'), await plan('b'), await plan('c')];
  const answers = [
    await change('PATCH', ids[0]!, { publish_at: inMinutes(90) }, { 'if-match': tag }),
    await change('PUT', ids[1]!, { text: 'x', publish_at: inMinutes(90) }, { 'if-match': tag }),
    await change('DELETE', ids[2]!, undefined, { 'if-match': tag }),
  ];
  expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
});

it('cancels what is planned, or queued, and nothing twice', async () => {
  const id = await plan('gone');
  const stale = await change('DELETE', id, undefined, { 'if-match': '"7"' });
  expect([stale.status, stale.body.code]).toEqual([412, 'revision_mismatch']);
  expect((await change('DELETE', id)).body).toEqual({ ok: true, id, cancelled: 2 });
  expect((await change('DELETE', id)).body).toEqual({ ok: true, id, cancelled: 0 });
  expect((await change('DELETE', id, undefined, { 'if-match': '"7"' })).status).toBe(412);
  const patched = await change('PATCH', id, { publish_at: null });
  expect([patched.status, patched.body.code]).toEqual([409, 'post_ended']);
  // Longer than the worker's clock is ahead.
  await gateway.manage('POST', `/channels/${channels[0]!.id}/pause`, { minutes: 1_440 });
  const queued = (await endpoint.post('', { text: 'queued', targets: [{ id: channels[0]!.id }] })).body.id;
  expect((await change('DELETE', queued)).body).toEqual({ ok: true, id: queued, cancelled: 1 });
});

it.each([
  ['PATCH', {}, 422, 'invalid_publish_at'],
  ['PATCH', { publish_at: '2020-01-01T00:00:00Z' }, 422, 'publish_at_past'],
  ['PATCH', { publish_at: 'x' }, 422, 'invalid_publish_at'],
  ['PUT', { text: 'x', targets: [{ id: 'tgt_none' }] }, 422, 'invalid_targets'],
  ['PUT', {}, 422, 'invalid_payload'],
  ['PUT', { text: 'x', media: [{ type: 'document', url: 'https://example.org/a' }] }, 400, 'invalid_payload'],
])('refuses %s %j', async (method, body, status, code) => {
  const answer = await change(method, await plan('as it was'), body);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

it('knows no other endpoint’s post, and logs every change with its route', async () => {
  const id = await plan('mine');
  const other = await createEndpoint();
  const foreign = await change('PATCH', id, { publish_at: null }, {}, other);
  expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
  await change('PATCH', id, { publish_at: inMinutes(70) });
  await change('PATCH', id, { publish_at: null }, { 'if-match': '"1"' });
  const route = 'PATCH /v1/webhooks/{slug}/posts/{id}';
  const logged = await until('the log', async () => {
    const { items } = await gateway.manage('GET', `/endpoints/${endpoint.id}/requests`);
    const changes = items.filter((item: { route: string }) => item.route === route);
    return changes.length === 2 && changes;
  });
  expect(logged.map((item: { decision: string; http_status: number }) => [item.decision, item.http_status])).toEqual([
    ['rejected_validation', 412],
    ['accepted', 200],
  ]);
});

it('signs a change with its path and its body, and the path of a cancellation', async () => {
  const signed = await createEndpoint({ require_signature: true });
  const sign = (text: string) => `sha256=${createHmac('sha256', signed.secret).update(text).digest('hex')}`;
  const body = { text: 'signed', publish_at: inMinutes(60) };
  const name = 'x-service-client-signature';
  const { body: post } = await signed.post('', body, { [name]: sign(JSON.stringify(body)) });
  const moved = { publish_at: inMinutes(80) };
  expect((await change('PATCH', post.id, moved, {}, signed)).status).toBe(401);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const place = `/v1/webhooks/${signed.slug}/posts/${post.id}\n${timestamp}`;
  const headersOf = (text: string) => ({ 'x-service-timestamp': timestamp, [name]: sign(text) });
  const ofMove = headersOf(`PATCH\n${place}\n${JSON.stringify(moved)}`);
  expect((await change('PATCH', post.id, moved, ofMove, signed)).status).toBe(200);
  const headers = headersOf(`DELETE\n${place}`);
  expect((await change('DELETE', post.id, undefined, headers, signed)).body.cancelled).toBe(2);
});

it('has a budget of changes a minute', async () => {
  const id = await plan('often');
  await stopLimitClock(gateway.pool); // on a busy machine, the changes may take longer than a minute
  const answers = await Promise.all(
    Array.from({ length: 61 }, () => change('PATCH', id, { publish_at: inMinutes(60) })),
  );
  await startLimitClock(gateway.pool);
  const statuses = answers.map(({ status }) => status).toSorted();
  expect([statuses[0], statuses[59], statuses[60]]).toEqual([200, 200, 429]);
  expect((await readPost(id)).revision).toBe(61);
});

it('lets the owner or the operator change a post', async () => {
  const id = await plan('managed');
  const moved = await gateway.callManagement('PATCH', `/posts/${id}`, { publish_at: inMinutes(70) });
  expect([moved.status, moved.headers.get('etag'), moved.body.revision]).toEqual([200, '"2"', 2]);
  const stale = await gateway.callManagement('PUT', `/posts/${id}/payload`, { text: 'x' }, { 'if-match': '"1"' });
  expect([stale.status, stale.body.code]).toEqual([412, 'revision_mismatch']);
  const put = await gateway.callManagement('PUT', `/posts/${id}/payload`, { text: 'by the operator' });
  expect(put.body).toMatchObject({ state: 'released', revision: 3 });
  await gateway.waitForText(channels[0]!.chatId, 'by the operator');
  const revised = await until('the audit trail shows it', async () => {
    const { items } = await gateway.manage('GET', `/history/events?type=PostRevised`);
    return items[0]?.aggregate_id === id && items[0];
  });
  expect(revised).toMatchObject({ aggregate: 'post', aggregate_id: id, actor: 'operator' });
});

it('takes the changes of owners and the operator as JSON alone, and says what became of a post without its endpoint', async () => {
  const [planned, released] = [await plan('planned'), (await endpoint.post('', { text: 'released' })).body.id];
  const text = { 'content-type': 'text/plain' };
  for (const [method, path] of [
    ['PATCH', ''],
    ['PUT', '/payload'],
  ] as const) {
    const { status, body } = await gateway.callManagement(method, `/posts/${planned}${path}`, {}, text);
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  }
  await gateway.callManagement('DELETE', `/endpoints/${endpoint.id}`);
  const codes = [planned, released].map(
    async (id) => (await gateway.callManagement('PUT', `/posts/${id}/payload`, { text: 'x' })).body.code,
  );
  expect(await Promise.all(codes)).toEqual(['post_ended', 'already_released']);
});
