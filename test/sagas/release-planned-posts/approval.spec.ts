import { PlannedPosts } from '../../../src/commands/post/planned-posts.js';
import { iso } from '../../../src/kernel/clock.js';
import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';

let gateway: TestGateway;
let ownerId: string;
let channels: TestChannel[];
let projectId: string;
let endpoint: TestEndpoint;
/** Lead of the worker's clock, in ms. */
let ahead = 0;

beforeAll(async () => {
  gateway = await TestGateway.start({}, { now: () => Date.now() + ahead });
  ownerId = await gateway.createOwner();
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  channels = [await gateway.createChannel(ownerId), await gateway.createChannel(ownerId)];
  projectId = await gateway.createProject(ownerId, channels);
  endpoint = await gateway.createEndpoint(ownerId, [projectId], { requires_approval: true, name: 'Desk' });
});

const inMinutes = (minutes: number): string => iso(Date.now() + ahead + minutes * 60_000);
const send = async (text: string, more: object = {}): Promise<string> => {
  const answer = await endpoint.post('', { text, ...more });
  expect([answer.status, answer.body.state]).toEqual([200, 'planned']);
  return answer.body.id;
};
const readPost = (id: string) => gateway.manage('GET', `/posts/${id}`);
/** Approves the revision of a post that is current. */
const approve = async (id: string, body: object = {}) => {
  const revision = (await gateway.callManagement('GET', `/posts/${id}`)).body.revision as number | undefined;
  return gateway.callManagement('POST', `/posts/${id}/approve`, { revision, ...body });
};
const reject = (id: string, body: object) => gateway.callManagement('POST', `/posts/${id}/reject`, body);
const wall = () => gateway.readWall(channels[0]!.chatId);
/** Changes a post as the client of its endpoint. */
const change = (method: string, id: string, body?: object) =>
  gateway.call(method, `/v1/webhooks/${endpoint.slug}/posts/${id}`, {
    headers: { authorization: `Bearer ${endpoint.token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const stateOf = async (id: string): Promise<string | undefined> => (await readPost(id)).approval?.state;
/** Waits until everything that was sent before is published. */
const waitForLater = async (): Promise<void> => {
  const other = await gateway.createEndpoint(ownerId, [projectId]);
  await other.post('', { text: 'later' });
  await gateway.waitForText(channels[0]!.chatId, 'later');
};
const setApproval = (requires_approval: boolean) =>
  gateway.manage('PATCH', `/endpoints/${endpoint.id}`, { requires_approval });
const codeOf = ({ status, body }: Answer) => [status, body.code];
const typesOf = async (id: string): Promise<string[]> =>
  (await gateway.manage('GET', `/history/post/${id}`)).events.map(({ type }: { type: string }) => type);

it('keeps a post until it is approved, then publishes it at once', async () => {
  const body = { text: 'a', trace_id: 't', external_id: `x-${endpoint.id}` };
  const answer = await endpoint.post('', body);
  const { id } = answer.body;
  expect(answer.body).toEqual({ ok: true, id, trace_id: 't', queued_targets: 2, publish_at: null, state: 'planned' });
  const again = await endpoint.post('', body);
  expect([again.status, again.body]).toEqual([202, answer.body]);
  const pending = { state: 'pending', by: null, at: null, note: null };
  const planned = await readPost(id);
  expect(planned).toMatchObject({ approval: pending, publish_at: null, released_at: null, revision: 1 });
  expect(planned.publications[0]).toMatchObject({
    state: 'planned',
    sequence: null,
    waiting_for: { rule: 'approval', until: null },
  });
  const status = (await endpoint.readPost(id)).body;
  expect(status).toMatchObject({ approval: pending, publications: [{ waiting_for: { rule: 'approval' } }, {}] });

  const approved = await approve(id, { note: 'Good.' });
  expect([approved.status, approved.headers.get('etag')]).toEqual([200, '"1"']);
  expect(Number(approved.headers.get('x-position'))).toBeGreaterThan(0);
  const approval = { state: 'approved', by: 'operator', at: expect.any(String), note: 'Good.' };
  expect(approved.body).toMatchObject({ id, approval, released_at: expect.any(String) });
  await gateway.waitForText(channels[0]!.chatId, 'a');
  expect((await endpoint.readPost(id)).body.approval).toEqual(approved.body.approval);
  expect(await typesOf(id)).toEqual(['PostAccepted', 'PostApprovalRequested', 'PostApproved', 'PostReleased']);
  expect(codeOf(await approve(id))).toEqual([409, 'already_decided']);
  expect(codeOf(await reject(id, { reason: 'late' }))).toEqual([409, 'already_decided']);
});

it('publishes an approved post at its time', async () => {
  const publish_at = inMinutes(10);
  const [id, late] = [await send('timed', { publish_at }), await send('late', { publish_at: inMinutes(5) })];
  const [{ waiting_for }] = (await readPost(id)).publications;
  expect(waiting_for).toMatchObject({ rule: 'approval', until: null });
  expect(waiting_for.text).toContain(publish_at);
  const approved = await approve(id);
  expect(approved.body).toMatchObject({ publish_at, released_at: null, approval: { state: 'approved', note: null } });
  expect(approved.body.publications[0].waiting_for).toMatchObject({ rule: 'scheduled', until: publish_at });
  ahead += 600_000;
  await gateway.waitForText(channels[0]!.chatId, 'timed');
  expect(await wall()).toEqual(['timed']); // a post that is not approved is never released
  await gateway.manage('PATCH', `/posts/${late}`, { publish_at: inMinutes(-ahead / 60_000 - 1) });
  expect((await approve(late)).body).toMatchObject({ released_at: expect.any(String) });
  await gateway.waitForText(channels[0]!.chatId, 'late');
});

it('ends a rejected post, whose publications are dismissed with the reason', async () => {
  const id = await send('never');
  const reason = 'Ошибка в\nцене. 🙈';
  const rejected = await reject(id, { reason });
  const approval = { state: 'rejected', by: 'operator', at: expect.any(String), note: reason };
  const dismissed = { state: 'dismissed', waiting_for: null, warnings: [{ code: 'rejected', message: reason }] };
  expect([rejected.status, rejected.body]).toMatchObject([200, { approval, publications: [dismissed, dismissed] }]);
  expect(await readPost(id)).toEqual(rejected.body);
  expect((await endpoint.readPost(id)).body).toMatchObject({ approval, publications: [{ state: 'dismissed' }, {}] });
  const { state, events } = await gateway.manage('GET', `/history/post/${id}`);
  expect(state).toMatchObject({ state: 'ended', approval });
  const trace = await gateway.manage('GET', `/history/trace/${id}`);
  expect(trace.events.map((event: { id: string }) => event.id)).toEqual(
    expect.arrayContaining(events.map((event: { id: string }) => event.id)),
  );
  expect(codeOf(await approve(id))).toEqual([409, 'already_decided']);
  expect(codeOf(await change('PATCH', id, { publish_at: null }))).toEqual([409, 'post_ended']);
  expect((await gateway.callManagement('POST', `/posts/${id}/cancel`, {})).body.cancelled ?? 0).toBe(0);
  await waitForLater();
  expect(await wall()).toEqual(['later']);
});

it.each([
  [{}, 'reason', 'missing'],
  [{ reason: null }, 'reason', 'missing'],
  [{ reason: '' }, 'reason', 'empty'],
  [{ reason: ' \n ' }, 'reason', 'empty'],
  [{ reason: 'x'.repeat(501) }, 'reason', 'too_long'],
  [{ reason: 7 }, 'reason', 'wrong_type'],
  [{ reason: ['no'] }, 'reason', 'wrong_type'],
  [{ reason: 'no', note: 'x' }, 'note', 'unknown_field'],
])('refuses the rejection %j', async (body, path, code) => {
  const id = await send('kept');
  const { status, body: answer } = await reject(id, body);
  expect([status, answer.details[0]]).toMatchObject([422, { path, code }]);
  expect(await stateOf(id)).toBe('pending');
});

it('takes a reason of 500 characters, and an approval without a body or with an empty note', async () => {
  const ids = [await send('a'), await send('b'), await send('c')];
  const reason = '🙂'.repeat(500);
  expect((await reject(ids[0]!, { reason })).body.approval.note).toBe(reason);
  const bare = await gateway.callManagement('POST', `/posts/${ids[1]}/approve`, undefined, { 'if-match': '"1"' });
  expect([bare.status, bare.body.approval.note]).toEqual([200, null]);
  expect((await approve(ids[2]!, { note: '' })).body.approval.note).toBeNull();
});

it('refuses notes that are no texts, and broken JSON', async () => {
  const id = await send('kept');
  for (const note of [1, {}, 'x'.repeat(501)]) expect((await approve(id, { note })).status).toBe(422);
  const key = { authorization: 'Bearer service_operator_http_tests', 'content-type': 'application/json' };
  for (const body of ['{"reason":"\\ud800"}', '{"reason":"a\\u0000"}', '{', '[]'])
    expect(
      (await gateway.call('POST', `/manage/v1/posts/${id}/reject`, { headers: key, body })).status,
    ).toBeGreaterThanOrEqual(400);
  expect(await stateOf(id)).toBe('pending');
});

it('lets the owner decide, and no other owner', async () => {
  const owner = await gateway.manage('POST', '/owners', { name: 'Own', plan: 'business' });
  const other = await gateway.manage('POST', '/owners', { name: 'Other', plan: 'business' });
  const channel = await gateway.createChannel(owner.id);
  const project = await gateway.createProject(owner.id, [channel]);
  const own = await gateway.createEndpoint(owner.id, [project], { requires_approval: true });
  const { id } = (await own.post('', { text: 'mine' })).body;
  const decide = (key: string, verb: string, body: object) =>
    gateway.callManagement('POST', `/posts/${id}/${verb}`, body, { authorization: `Bearer ${key}` });
  expect(codeOf(await decide(other.key, 'approve', { revision: 1 }))).toEqual([404, 'not_found']);
  expect(codeOf(await decide(other.key, 'reject', { reason: 'x' }))).toEqual([404, 'not_found']);
  expect((await decide(own.token, 'approve', { revision: 1 })).status).toBe(401);
  expect((await decide(owner.key, 'approve', { revision: 1 })).body.approval).toMatchObject({
    by: `owner:${owner.id}`,
  });
  await gateway.waitForText(channel.chatId, 'mine');
  expect(
    codeOf(await gateway.callManagement('POST', `/posts/post_${'0'.repeat(32)}/approve`, { revision: 1 })),
  ).toEqual([404, 'not_found']);
});

it('decides once, however many decide at the same time', async () => {
  const id = await send('raced');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => (n % 2 ? approve(id) : reject(id, { reason: `no ${n}` }))),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const answer of answers) if (answer !== won[0]) expect(codeOf(answer)).toEqual([409, 'already_decided']);
  await waitForLater();
  expect(await wall()).toEqual(won[0]!.body.approval.state === 'approved' ? ['raced', 'later'] : ['later']);
});

it('repeats the answer to a decision with the same Idempotency-Key', async () => {
  const id = await send('keyed');
  const decide = () =>
    gateway.callManagement('POST', `/posts/${id}/approve`, { revision: 1 }, { 'idempotency-key': `k-${id}` });
  const [first, second] = [await decide(), await decide()];
  expect([second.status, second.body, second.headers.get('idempotency-replayed')]).toEqual([200, first.body, 'true']);
});

it('treats a decision repeated after a crash as the same decision, and releases the post', async () => {
  const { id } = await readPost(await send('crashed')); // the read model shows it now
  const place = { postId: id, ...(await gateway.findPostPlace(id))! };
  const origin = { actor: 'operator', requestId: id, causationId: id, correlationId: id, clientAddress: null } as const;
  const context = { ...origin, commandId: `decide/${id}`, at: Date.now() };
  // Each call acts as a new process, which does not know what an earlier one knew.
  const decide = () =>
    new PlannedPosts(gateway.aggregates).execute(
      place,
      { type: 'ApprovePost', note: null, ifRevision: [1], at: context.at },
      context,
    );
  const [first, second] = [await decide(), await decide()];
  expect(second).toMatchObject({ events: [{ type: 'PostApproved' }, { type: 'PostReleased' }] });
  expect((second as { events: unknown }).events).toEqual((first as { events: unknown }).events);
  await gateway.waitForText(channels[0]!.chatId, 'crashed');
  expect(await typesOf(id)).toEqual(['PostAccepted', 'PostApprovalRequested', 'PostApproved', 'PostReleased']);
});

it('decides nothing about posts that need no approval, or that were cancelled', async () => {
  const other = await gateway.createEndpoint(ownerId, [projectId]);
  const plain = (await other.post('', { text: 'plain', publish_at: inMinutes(60) })).body.id;
  const sent = (await other.post('', { text: 'sent' })).body.id;
  for (const id of [plain, sent]) {
    expect(codeOf(await approve(id))).toEqual([409, 'no_approval_required']);
    expect(codeOf(await reject(id, { reason: 'x' }))).toEqual([409, 'no_approval_required']);
  }
  const cancelled = await send('cancelled');
  expect((await change('DELETE', cancelled)).body.cancelled).toBe(2);
  expect(codeOf(await approve(cancelled))).toEqual([409, 'post_ended']);
  const deleted = await send('deleted');
  await gateway.callManagement('DELETE', `/endpoints/${endpoint.id}`);
  expect(codeOf(await approve(deleted))).toEqual([409, 'post_ended']);
});

it('asks again after a client has changed an approved post, but not after its owner has', async () => {
  const id = await send('changed', { publish_at: inMinutes(60) });
  await approve(id);
  await gateway.manage('PATCH', `/posts/${id}`, { publish_at: inMinutes(70) });
  expect(await stateOf(id)).toBe('approved');
  const moved = await change('PATCH', id, { publish_at: null });
  expect([moved.status, moved.body.state]).toEqual([200, 'planned']);
  expect(await readPost(id)).toMatchObject({ approval: { state: 'pending', by: null, note: null }, released_at: null });
  await approve(id);
  await gateway.waitForText(channels[0]!.chatId, 'changed');
  expect(await typesOf(id)).toEqual([
    ...['PostAccepted', 'PostApprovalRequested', 'PostApproved', 'PostRescheduled', 'PostRescheduled'],
    ...['PostApprovalRequested', 'PostApproved', 'PostReleased'],
  ]);
});

it('asks for approval no longer once that is switched off, but releases nothing that waits', async () => {
  const ids = [await send('old'), await send('approved', { publish_at: inMinutes(60) })];
  await approve(ids[1]!);
  await setApproval(false);
  expect(await gateway.manage('GET', `/endpoints/${endpoint.id}`)).toMatchObject({ requires_approval: false });
  expect((await change('PATCH', ids[1]!, { publish_at: null })).body.state).toBe('released');
  expect((await endpoint.post('', { text: 'new' })).body).not.toHaveProperty('state');
  await gateway.waitForText(channels[0]!.chatId, 'new');
  expect(await wall()).toEqual(['approved', 'new']);
  expect((await change('PATCH', ids[0]!, { publish_at: null })).body.state).toBe('planned');
  expect(await stateOf(ids[0]!)).toBe('pending');
  await approve(ids[0]!);
  await gateway.waitForText(channels[0]!.chatId, 'old');
});

it('shows what waits for approval in the list of posts and the overview', async () => {
  const owner = await gateway.manage('POST', '/owners', { name: 'Editor', plan: 'business' });
  const project = await gateway.createProject(owner.id, [await gateway.createChannel(owner.id)]);
  const own = await gateway.createEndpoint(owner.id, [project], { requires_approval: true, name: 'Desk' });
  const post = async (text: string) => (await own.post('', { text })).body.id as string;
  const list = async () =>
    (await gateway.manage('GET', `/posts?owner_id=${owner.id}&approval=pending`)).items.map(
      ({ id }: { id: string }) => id,
    );
  const attention = async () =>
    (await gateway.manage('GET', `/overview?owner_id=${owner.id}`)).attention.find(
      ({ code }: { code: string }) => code === 'approval_needed',
    );
  const first = await post('first');
  expect(await attention()).toMatchObject({
    count: 1,
    ids: [first],
    text: expect.stringContaining('"first"'),
    action: { label_code: 'review', method: 'GET', path: `/posts/${first}` },
    subject: { id: first, post_id: first, name: 'Desk', owner_name: 'Editor', excerpt: 'first' },
  });
  const second = await post('second');
  expect(await list()).toEqual([second, first]);
  expect(await attention()).toMatchObject({
    count: 2,
    ids: [first, second],
    action: { label_code: 'view_all', path: `/posts?approval=pending&owner_id=${owner.id}` },
  });
  await approve(first);
  expect(await list()).toEqual([second]);
  await gateway.manage('POST', `/posts/${second}/cancel`, {});
  expect([await list(), await attention()]).toEqual([[], undefined]);
  expect((await gateway.callManagement('GET', '/posts?approval=approved')).status).toBe(422);
});

it('shows in discovery and the sandbox that posts wait for approval', async () => {
  expect((await endpoint.info()).body.endpoint).toMatchObject({ requires_approval: true });
  const waiting = { would_create_post: true, publish_at: null, requires_approval: true };
  expect((await endpoint.sandbox({ text: 'x' })).body).toMatchObject(waiting);
  const publish_at = inMinutes(9);
  expect((await endpoint.sandbox({ text: 'x', publish_at })).body).toMatchObject({ ...waiting, publish_at });
  await setApproval(false);
  expect((await endpoint.info()).body.endpoint).not.toHaveProperty('requires_approval');
  expect((await endpoint.sandbox({ text: 'x' })).body).not.toHaveProperty('publish_at');
});
