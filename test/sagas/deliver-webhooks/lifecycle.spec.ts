// More than 20 s: an output fails for five days, shortened to 8 s, and a deleted secret is erased only after 15 s.
import { DELIVERIES } from '../../../src/projections/webhook-deliveries/webhook-deliveries.tables.js';
import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

let gateway: TestGateway;
let receiver: WebhookReceiver;
/** A minute lasts a millisecond: five days are 7.2 s. */
beforeAll(async () => {
  gateway = await startWebhookGateway({ MINUTE_MS: '1' });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

const ALL_KINDS = [
  ...['post.published', 'publication.succeeded', 'publication.failed', 'publication.in_doubt', 'post.completed'],
  ...['publication.withdrawn', 'publication.withdraw_failed'],
  ...['endpoint.disabled', 'channel.needs_attention', 'test.ping'],
];
const ID = (prefix: string): unknown => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{32}$`));
const waitFor = (kind: string, postId?: string) =>
  until(`${kind} arrives`, () => receiver.received.find((one) => one.kind === kind && one.body.post_id === postId));
const countDeliveries = async (output: string): Promise<number> =>
  (await gateway.pool.query(`select from ${DELIVERIES}.delivery where output_id = $1`, [output])).rowCount ?? 0;
const readSecretIds = async (): Promise<string[]> =>
  (await gateway.pool.query<{ secret_id: string }>('select secret_id from ops_secret')).rows.map(
    (row) => row.secret_id,
  );

it('says that a post waits for approval, and completes one that is rejected or cancelled (D-62)', async () => {
  const setup = await WebhookSetup.create(gateway);
  await setup.createOutput(receiver, { kinds: ['post.approval_needed', 'post.completed'] });
  const desk = await gateway.createEndpoint(setup.owner, [setup.project], { requires_approval: true, name: 'Desk' });
  const publish_at = new Date(Date.now() + 3_600_000).toISOString();
  const send = async (more: object): Promise<string> => (await desk.post('', more)).body.id;
  const [rejected, cancelled] = [await send({ text: 'A', publish_at }), await send({ text: 'B' })];
  const endpoint = { id: desk.id, name: 'Desk' };
  const kind = 'post.approval_needed';
  expect((await waitFor(kind, rejected)).body).toEqual({ kind, post_id: rejected, endpoint, publish_at, text: 'A' });
  expect((await waitFor(kind, cancelled)).body).toEqual({
    kind,
    post_id: cancelled,
    endpoint,
    publish_at: null,
    text: 'B',
  });
  await gateway.manage('POST', `/posts/${rejected}/reject`, { reason: 'No.' });
  await gateway.manage('POST', `/posts/${cancelled}/cancel`, {});
  for (const post_id of [rejected, cancelled]) {
    const { publications } = await gateway.manage('GET', `/posts/${post_id}`);
    const target = { id: setup.channel.id, platform: 'telegram' };
    expect((await waitFor('post.completed', post_id)).body).toEqual({
      kind: 'post.completed',
      post_id,
      project: { id: setup.project, name: 'Project' },
      publications: [{ id: publications[0].id, target, state: 'dismissed', message_ids: [], urls: [] }],
    });
  }
  for (const { problems } of receiver.received) expect(problems).toEqual([]);
});

it('completes a released post in every project, including publications cancelled before its release', async () => {
  const setup = await WebhookSetup.create(gateway);
  const { owner, project } = setup;
  const channels = [await gateway.createChannel(owner), await gateway.createChannel(owner)];
  const other = await gateway.createProject(owner, channels);
  for (const project_id of [project, other])
    await setup.createOutput(receiver, { project_id, kinds: ['post.completed'] });
  const endpoint = await gateway.createEndpoint(owner, [project, other]);
  const publish_at = new Date(Date.now() + 3_600_000).toISOString();
  const post_id = (await endpoint.post('', { text: 'in part', publish_at })).body.id;
  const { publications } = await until('the post is shown', () => gateway.manage('GET', `/posts/${post_id}`));
  const [inFirst, kept, cancelled] = publications.map(({ id }: { id: string }) => id);
  for (const id of [inFirst, cancelled]) await gateway.manage('POST', `/publications/${id}/cancel`);
  await gateway.manage('PATCH', `/posts/${post_id}`, { publish_at: null });
  const states = await until('it is completed in both projects', () => {
    const completed = receiver.received.filter(({ body }) => body.post_id === post_id);
    const listed = completed.map(({ body }) => [
      (body.project as { id: string }).id,
      (body.publications as { id: string; state: string }[]).map(({ id, state }) => [id, state]),
    ]);
    return completed.length === 2 && listed;
  });
  expect(Object.fromEntries(states)).toEqual({
    [project]: [[inFirst, 'dismissed']],
    [other]: [
      [kept, 'published'],
      [cancelled, 'dismissed'],
    ],
  });
});

it('sends every kind with exactly the fields that are documented (D-29)', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver, { kinds: ALL_KINDS });
  const { id: channel, chatId } = setup.channel;
  const project = { id: setup.project, name: 'Project' };
  const target = { id: channel, platform: 'telegram', name: 'News' };
  const fail = (fault: object) =>
    gateway.telegram.addFault({ method: 'sendMessage', channel: chatId, ...fault } as never);
  const publications = (state: string) => [
    {
      id: ID('pub'),
      target: { id: channel, platform: 'telegram' },
      state,
      message_ids: expect.any(Array),
      urls: expect.any(Array),
    },
  ];

  await setup.ping(output.id);
  const ping = { kind: 'test.ping', webhook_output_id: output.id, project_id: setup.project, at: expect.any(String) };
  expect((await waitFor('test.ping')).body).toEqual(ping);

  const post_id = await setup.sendPost('Hello');
  const outcome = { post_id, publication_id: ID('pub'), project, target };
  const sent = { message_ids: [expect.any(String)], urls: expect.any(Array) };
  expect((await waitFor('post.published', post_id)).body).toEqual({
    kind: 'post.published',
    ...outcome,
    ...sent,
    text: 'Hello',
    entities: [],
    text_html: 'Hello',
    media: [],
    buttons: [],
    metadata: null,
    external_id: null,
    trace_id: null,
    is_advertisement: false,
    published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect((await waitFor('publication.succeeded', post_id)).body).toEqual({
    kind: 'publication.succeeded',
    ...outcome,
    ...sent,
  });
  const completed = { kind: 'post.completed', post_id, project, publications: publications('published') };
  expect((await waitFor('post.completed', post_id)).body).toEqual(completed);

  const error = expect.objectContaining({ code: expect.any(String), message: expect.any(String), source: 'telegram' });
  await fail({ mode: 'answer', status: 400 });
  const failed = await setup.sendPost('refused');
  expect((await waitFor('publication.failed', failed)).body).toEqual({
    kind: 'publication.failed',
    ...outcome,
    post_id: failed,
    error,
  });
  await fail({ mode: 'accept_then_drop' });
  const doubtful = await setup.sendPost('in doubt');
  expect((await waitFor('publication.in_doubt', doubtful)).body).toEqual({
    kind: 'publication.in_doubt',
    ...outcome,
    post_id: doubtful,
    error: expect.any(Object),
  });

  const refusal = { ok: false, error_code: 400, description: "Bad Request: message can't be deleted" };
  await gateway.telegram.addFault({
    mode: 'answer',
    method: 'deleteMessage',
    channel: chatId,
    status: 400,
    body: refusal,
  } as never);
  for (const kind of ['publication.withdraw_failed', 'publication.withdrawn']) {
    await setup.endpoint.post(`posts/${post_id}/withdraw`, {});
    const { message_ids } = sent;
    const why = kind === 'publication.withdrawn' ? {} : { error };
    expect((await waitFor(kind, post_id)).body).toEqual({ kind, ...outcome, message_ids, ...why });
  }

  await fail({ mode: 'answer', status: 401, times: null });
  await setup.sendPost('held');
  expect((await waitFor('channel.needs_attention')).body).toEqual({
    kind: 'channel.needs_attention',
    channel: { id: channel, name: 'News', platform: 'telegram' },
    reason: expect.any(String),
    code: expect.any(String),
  });
  await gateway.manage('POST', `/endpoints/${setup.endpoint.id}/disable`);
  expect((await waitFor('endpoint.disabled')).body).toEqual({
    kind: 'endpoint.disabled',
    reason: expect.any(String),
    endpoint: { id: setup.endpoint.id, name: null, disabled_by: 'owner' },
  });
  expect(receiver.received.flatMap(({ problems }) => problems)).toEqual([]);
  expect(new Set(receiver.received.map(({ kind }) => kind))).toEqual(new Set(ALL_KINDS));
});

it('sends and shows a body over 64 KB as it is, and leaves it out of lists', async () => {
  const setup = await WebhookSetup.create(gateway);
  const { id: output } = await setup.createOutput(receiver);
  const metadata = { large: 'ж'.repeat(60_000) };
  const postId = await setup.sendPost('large', { metadata });
  const { raw, body, id } = await waitFor('post.published', postId);
  expect(raw.length).toBeGreaterThan(100_000);
  expect(body.metadata).toEqual(metadata);
  const shown = await setup.waitForDelivery(`dlv_${id.replaceAll('-', '')}`, ({ state }) => state === 'delivered');
  expect(shown.body).toEqual(body);
  expect(shown).not.toHaveProperty('body_truncated');
  const { items } = await gateway.manage('GET', `/webhook-outputs/${output}/deliveries`);
  expect(items).toEqual([{ ...shown, body: null, body_truncated: true }]);
});

it.each([
  ['cannot be decrypted', "update ops_secret set sealed = decode(md5('other'), 'hex') where secret_id = $1"],
  ['was erased', 'delete from ops_secret where secret_id = $1'],
])('says at once if its signing secret %s, and delivers what waits once there is another', async (state, change) => {
  const setup = await WebhookSetup.create(gateway);
  const before = new Set(await readSecretIds());
  const output = await setup.createOutput(receiver);
  const [secret] = (await readSecretIds()).filter((id) => !before.has(id));
  await gateway.pool.query(change, [secret]);

  const postId = await setup.sendPost('waits');
  const read = () => gateway.manage('GET', `/webhook-outputs/${output.id}`);
  await until('it is disabled', async () => (await read()).disabled_by === 'secret' || null);
  const list = async () => (await gateway.manage('GET', `/webhook-outputs/${output.id}/deliveries`)).items;
  const [delivery] = await until('its delivery shows why', async () => {
    const items = await list();
    return items[0]?.attempts.length > 0 ? items : null;
  });
  expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status: null }] });
  expect(JSON.stringify(delivery.attempts)).toContain(`${state}: rotate it, then enable the webhook output.`);
  await until('there is a notice', async () => {
    const notices = (await gateway.readAllEvents()).filter(({ type }) => type === 'NoticeRaised');
    return notices.some(({ data }) => JSON.stringify(data).includes(output.id)) || null;
  });
  expect(receiver.received).toEqual([]);

  await gateway.manage('POST', `/webhook-outputs/${output.id}/rotate-secret`, {});
  await gateway.manage('POST', `/webhook-outputs/${output.id}/enable`);
  expect(await waitFor('post.published', postId)).toMatchObject({ kind: 'post.published' });
  expect(receiver.received).toHaveLength(1);
});

it('is disabled after five days of failures alone, with a notice', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver);
  receiver.answer = () => ({ status: 500 });
  const read = () => gateway.manage('GET', `/webhook-outputs/${output.id}`);
  const startedAt = performance.now();
  await until('it is disabled', async () => {
    if ((await read()).disabled_by !== null) return true;
    await setup.ping(output.id);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return null;
  });
  expect(await read()).toMatchObject({ is_active: false, disabled_by: 'failures' });
  expect(performance.now() - startedAt).toBeGreaterThan(7_000);
  await until('there is a notice', async () => {
    const notices = (await gateway.readAllEvents()).filter(({ type }) => type === 'NoticeRaised');
    return notices.some(({ data }) => JSON.stringify(data).includes(output.id));
  });
});

it('is deleted with its owner: nothing is sent any more, and its secret is erased', async () => {
  const setup = await WebhookSetup.create(gateway);
  const before = new Set(await readSecretIds());
  const output = await setup.createOutput(receiver);
  const secrets = (await readSecretIds()).filter((id) => !before.has(id));
  expect(secrets).toHaveLength(1);
  // An answer that makes the delivery wait for longer than the test lasts.
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
  const waiting = await setup.ping(output.id);
  await setup.waitForDelivery(waiting, ({ attempts }) => attempts.length > 0);
  await gateway.manage('DELETE', `/owners/${setup.owner}`);
  await until('the output is gone', async () => {
    const answer = await gateway.callManagement('GET', `/webhook-outputs/${output.id}`);
    return answer.status === 404 || null;
  });
  await until('its delivery is gone', async () => {
    const answer = await gateway.callManagement('GET', `/deliveries/${waiting}`);
    return answer.status === 404;
  });
  await until('its deliveries are gone', async () => (await countDeliveries(output.id)) === 0 || null);
  await until('its secret is erased', async () => {
    const known = await readSecretIds();
    return !secrets.some((id) => known.includes(id)) || null;
  });
  expect(receiver.received).toHaveLength(1);
});
