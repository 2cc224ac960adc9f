import { Webhook } from 'standardwebhooks';
import { LIMITS_PROFILE } from '../../api/management/publishing-setup.js';
import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { whileHeld } from '../../support/held-projection.js';
import { verifyOwnSignature, WebhookReceiver } from '../../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

let gateway: TestGateway;
let receiver: WebhookReceiver;
beforeAll(async () => {
  gateway = await startWebhookGateway({ LIMITS_PROFILE });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

const headersOf = (headers: object) => headers as Record<string, string>;

it('tells of a published post, in the format of posts, with signatures that both kinds of receivers verify', async () => {
  const setup = await WebhookSetup.create(gateway);
  const signature = { text: '© News', entities: [{ type: 'italic', offset: 2, length: 4 }] };
  await gateway.manage('PATCH', `/projects/${setup.project}`, { processing: { signature } });
  const { secret, secret_whsec } = await setup.createOutput(receiver);
  const payload = {
    entities: [{ type: 'bold', offset: 0, length: 5 }],
    buttons: [[{ text: 'Read', url: 'https://example.org/' }]],
    metadata: { order: 7 },
    external_id: 'order-7',
    trace_id: 'trace-7',
  };
  const postId = await setup.sendPost('Hello <you> & all', payload);
  const delivery = await until('it arrives', () => receiver.received[0]);
  expect(delivery.problems).toEqual([]);
  expect(delivery.body).toMatchObject({
    kind: 'post.published',
    post_id: postId,
    text: 'Hello <you> & all\n\n© News',
    entities: [
      { type: 'bold', offset: 0, length: 5 },
      { type: 'italic', offset: 21, length: 4 },
    ],
    text_html: '<b>Hello</b> &lt;you&gt; &amp; all\n\n© <i>News</i>',
    project: { id: setup.project, name: 'Project' },
    target: { id: setup.channel.id, platform: 'telegram', name: 'News' },
    published_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    media: [],
    buttons: payload.buttons,
    metadata: payload.metadata,
    external_id: 'order-7',
    trace_id: 'trace-7',
  });
  const { raw, headers } = delivery;
  const standard = new Webhook(secret_whsec);
  expect(standard.verify(raw, headersOf(headers))).toEqual(delivery.body);
  expect(verifyOwnSignature(secret, raw, delivery)).toBe(true);
  for (const place of [0, Math.floor(raw.length / 2), raw.length - 1]) {
    const changed = Buffer.from(raw);
    changed[place]! ^= 1;
    expect(() => standard.verify(changed, headersOf(headers))).toThrow();
    expect(verifyOwnSignature(secret, changed, delivery)).toBe(false);
  }
  const [listed] = (await until('the post is shown', () => gateway.manage('GET', `/posts/${postId}`))).publications;
  expect(delivery.body.publication_id).toBe(listed.id);
});

it('sends every kind that an output wants, each once, in the order of events', async () => {
  const setup = await WebhookSetup.create(gateway);
  const kinds = [
    'post.published',
    'publication.succeeded',
    'publication.failed',
    'post.completed',
    'endpoint.disabled',
  ];
  await setup.createOutput(receiver, { kinds });
  const published = await setup.sendPost('published');
  await until('three arrive', () => receiver.received.length === 3 || null);
  await gateway.telegram.addFault({
    mode: 'answer',
    status: 400,
    body: { ok: false, error_code: 400, description: 'Bad Request' },
    channel: setup.channel.chatId,
    times: null,
  });
  const failed = await setup.sendPost('fails');
  await until('five arrive', () => receiver.received.length === 5 || null);
  await gateway.manage('POST', `/endpoints/${setup.endpoint.id}/disable`);
  await until('six arrive', () => receiver.received.length === 6 || null);
  expect(receiver.received.map(({ kind, body }) => [kind, body.post_id])).toEqual([
    ['post.published', published],
    ['publication.succeeded', published],
    ['post.completed', published],
    ['publication.failed', failed],
    ['post.completed', failed],
    ['endpoint.disabled', undefined],
  ]);
  expect(receiver.received[3]!.body.error).toMatchObject({ source: 'telegram' });
  expect(receiver.received[4]!.body.publications).toMatchObject([{ state: 'failed' }]);
  expect(receiver.received[5]!.body.endpoint).toEqual({ id: setup.endpoint.id, name: null, disabled_by: 'owner' });
  expect(receiver.received.flatMap(({ problems }) => problems)).toEqual([]);
});

it('says that a post is completed after each of its outcomes, also if all are known when the first is delivered (D-30)', async () => {
  const { owner, project } = await WebhookSetup.create(gateway);
  const channels = await Promise.all(['a', 'b', 'c'].map((name) => gateway.createChannel(owner, name)));
  await gateway.manage('PATCH', `/projects/${project}`, { channel_ids: channels.map(({ id }) => id) });
  const kinds = ['post.published', 'publication.succeeded', 'post.completed'];
  await gateway.manage('POST', '/webhook-outputs', { project_id: project, url: receiver.url, kinds });
  const endpoint = await gateway.createEndpoint(owner, [project]);
  // Nothing is delivered before the read model of the outputs shows the outcomes.
  await whileHeld(gateway.pool.options.connectionString, 'discovery', async () => {
    const { body } = await endpoint.post('', { text: 'on three channels' });
    await until('all are published', async () => {
      const { publications } = await gateway.manage('GET', `/posts/${body.id}`);
      return publications.every(({ state }: { state: string }) => state === 'published');
    });
  });
  await until('all arrive', () => receiver.received.length === 5);
  expect(receiver.received.map(({ kind }) => kind)).toEqual([
    ...['post.published', 'publication.succeeded', 'publication.succeeded', 'publication.succeeded'],
    'post.completed',
  ]);
});

it('signs with both secrets during an overlap, the new one first', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver);
  const rotated = await gateway.manage('POST', `/webhook-outputs/${output.id}/rotate-secret`, {
    overlap_minutes: 10_080,
  });
  expect(rotated.secret).not.toBe(output.secret);
  await setup.ping(output.id);
  const ping = await until('it arrives', () => receiver.received[0]);
  const headers = headersOf(ping.headers);
  for (const { secret_whsec } of [output, rotated])
    expect(new Webhook(secret_whsec).verify(ping.raw, headers)).toMatchObject({ kind: 'test.ping' });
  const [first] = headers['webhook-signature']!.split(' ');
  expect(new Webhook(rotated.secret_whsec).verify(ping.raw, { ...headers, 'webhook-signature': first! })).toBeTruthy();
  expect(verifyOwnSignature(rotated.secret, ping.raw, ping)).toBe(true);
  expect(verifyOwnSignature(output.secret, ping.raw, ping)).toBe(false);
});

it('repeats a failed delivery under its id, holds back none behind it, and logs every attempt', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver);
  let refused = '';
  receiver.answer = ({ id }) => (id === (refused ||= id) ? { status: 422, body: 'unknown\0 order' } : {});
  const first = await setup.ping(output.id);
  await setup.waitForDelivery(first, ({ attempts }) => attempts.length > 0);
  const second = await setup.ping(output.id);
  await setup.waitForDelivery(second, ({ state }) => state === 'delivered');
  receiver.answer = () => ({ status: 200, body: 'thanks' });
  const { attempts, next_attempt_at } = await setup.waitForDelivery(first, ({ state }) => state === 'delivered');
  expect(next_attempt_at).toBeNull();
  expect(attempts[0]).toMatchObject({ status: 422, answer: 'unknown order' });
  expect(attempts.at(-1)).toMatchObject({ status: 200, answer: 'thanks' });
  const ofFirst = receiver.received.filter(({ id }) => id === receiver.received[0]!.id);
  expect(ofFirst).toHaveLength(attempts.length);
  expect(new Set(ofFirst.map(({ raw }) => raw.toString())).size).toBe(1);
  expect(first.slice('dlv_'.length)).toBe(receiver.received[0]!.id.replaceAll('-', ''));
});

it('gives up after eight attempts, and sends again what is asked for', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver);
  // Even with a minute of 60 ms, the schedule of 27.6 hours takes 99 s, so the test does not wait for its end.
  receiver.answer = () => ({ status: 400 });
  const since = new Date().toISOString();
  const [one, two] = [await setup.ping(output.id), await setup.ping(output.id)];
  await setup.waitForDelivery(two, ({ attempts }) => attempts.length > 0);
  await setup.waitForDelivery(one, ({ attempts }) => attempts.length > 0);
  const { retried } = await gateway.manage('POST', `/webhook-outputs/${output.id}/retry-failed`, { since });
  expect(retried).toBe(2);
  receiver.answer = () => ({});
  for (const id of [one, two]) await setup.waitForDelivery(id, ({ state }) => state === 'delivered');
  receiver.answer = () => ({ status: 400 }); // the answer may be read after the next attempt
  const { state } = await gateway.manage('POST', `/deliveries/${one}/retry`);
  expect(state).toBe('pending');
  receiver.answer = () => ({});
  await setup.waitForDelivery(one, (delivery) => delivery.state === 'delivered');
  const { items } = await gateway.manage('GET', `/webhook-outputs/${output.id}/deliveries?state=delivered`);
  expect(items.map(({ id }: { id: string }) => id)).toEqual([two, one]);
});

it('is disabled by an answer of 410, with a notice, and goes on when it is enabled', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver);
  receiver.answer = () => ({ status: 410 });
  await setup.sendPost('gone');
  await until('it is disabled', async () => {
    const { disabled_by } = await gateway.manage('GET', `/webhook-outputs/${output.id}`);
    return disabled_by === 'gone' || null;
  });
  await until('there is a notice', async () =>
    (await gateway.readAllEvents()).some(
      ({ type, data }) => type === 'NoticeRaised' && JSON.stringify(data).includes(output.id),
    ),
  );
  receiver.answer = () => ({});
  await gateway.manage('POST', `/webhook-outputs/${output.id}/enable`);
  await setup.sendPost('back');
  await until('it arrives', () => receiver.received.find(({ body }) => body.text === 'back'));
});

it('answers 402 for a plan without webhook output, and delivers nothing after a downgrade', async () => {
  const setup = await WebhookSetup.create(gateway);
  const output = await setup.createOutput(receiver);
  await gateway.manage('PATCH', `/owners/${setup.owner}`, { plan: 'mini' });
  const { is_active, disabled_by } = await gateway.manage('GET', `/webhook-outputs/${output.id}`);
  expect({ is_active, disabled_by }).toEqual({ is_active: false, disabled_by: 'plan' });
  for (const [path, body] of [
    ['/webhook-outputs', { project_id: setup.project, url: receiver.url }],
    [`/webhook-outputs/${output.id}/test`, undefined],
    [`/webhook-outputs/${output.id}/enable`, undefined],
  ] as const) {
    const answer = await gateway.callManagement('POST', path, body);
    expect([path, answer.status, answer.body.code]).toEqual([path, 402, 'plan_not_allowed']);
  }
});

it('completes a post that is taken back once it is deleted or not, and tells of its publication once', async () => {
  const setup = await WebhookSetup.create(gateway);
  const other = await gateway.createChannel(setup.owner, 'Other');
  const both = await gateway.createProject(setup.owner, [setup.channel, other]);
  await setup.createOutput(receiver, { project_id: both, kinds: ['post.published', 'post.completed'] });
  const endpoint = await gateway.createEndpoint(setup.owner, [both]);
  const waitFor = (kind: string, postId: string) =>
    until(`${kind} arrives`, () => receiver.received.find((one) => one.kind === kind && one.body.post_id === postId));
  await gateway.manage('POST', `/channels/${other.id}/pause`, { minutes: 1_440 });
  const post_id = (await endpoint.post('', { text: 'Wrong' })).body.id;
  await waitFor('post.published', post_id);
  const readStates = async (): Promise<string[]> =>
    (await gateway.manage('GET', `/posts/${post_id}`)).publications.map(({ state }: { state: string }) => state);
  await endpoint.post(`posts/${post_id}/withdraw`, { targets: [setup.channel.id] });
  await until('it is taken back', async () => (await readStates())[0] === 'withdrawn' || null);
  await gateway.manage('POST', `/channels/${other.id}/resume`);
  const { body } = await waitFor('post.completed', post_id);
  expect(body.publications).toMatchObject([
    { state: 'withdrawn', message_ids: [expect.any(String)] },
    { state: 'published' },
  ]);
  await endpoint.post(`posts/${post_id}/withdraw`, {});
  await until('all is taken back', async () => (await readStates())[1] === 'withdrawn' || null);
  const marker = (await endpoint.post('', { text: 'next' })).body.id;
  await waitFor('post.completed', marker);
  const kinds = receiver.received.filter((one) => one.body.post_id === post_id).map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(['post.completed', 'post.published']);
});
