import { until } from '../../e2e/until.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import {
  GatewayHarness,
  type Platform,
  type PublishingChannel,
  VK_COMMUNITY_TOKEN,
} from '../publish-due-posts/gateway-harness.js';

/** The first sample is due 50 ms after publishing, the last after seven minutes. */
const MINUTE_MS = '10';
const COUNTS = { views: 120, likes: 7, comments: 3, shares: 0 };
const ALL = { views: 120, reactions: 7, comments: 3, shares: 0 };
const NONE = { views: null, reactions: null, comments: null, shares: null };

let harness: GatewayHarness;
let receiver: WebhookReceiver;
beforeAll(async () => {
  harness = await GatewayHarness.start({ MINUTE_MS, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await harness.stop();
  await receiver.close();
});

const manage = (method: string, path: string, body?: object) => harness.gateway.manage(method, path, body);
const read = (postId: string) => manage('GET', `/posts/${postId}/statistics`);
const set = (channel: PublishingChannel, id: string, counts: object) =>
  channel.network.request('POST', 'statistics', { channel: channel.chat, message_id: id, ...counts });
/** Publishes a post with some numbers. */
const publish = async (channel: PublishingChannel, counts: object = COUNTS) => {
  const postId = await channel.publish({ text: 'How many?' });
  const { message_ids } = await channel.waitForState(postId, 'published');
  await set(channel, message_ids[0]!, counts);
  return { postId, messageId: message_ids[0]! };
};
const waitFor = (postId: string, what: string, isMet: (statistics: typeof ALL & { state: string }) => boolean) =>
  until(`${postId}: ${what}`, async () => {
    const found = await read(postId);
    return isMet(found.publications[0].statistics) && found;
  });
const methods = async ({ network, chat }: PublishingChannel) =>
  (await network.listCalls()).items.filter(({ channel }) => channel === chat).map(({ method }) => method);

describe.each<Platform>(['vk', 'max', 'ok'])('the numbers of a post on %s', (platform) => {
  const expected = platform === 'max' ? { ...NONE, views: 120 } : ALL;

  it('are read, sample by sample, and shown to owner and client', async () => {
    const channel = await harness.createChannel(platform);
    const { postId, messageId } = await publish(channel);
    const first = await waitFor(postId, 'is counted', ({ state, views }) => state === 'ok' && views === 120);
    expect(first).toMatchObject({ id: postId, totals: expected, publications: [{ platform, statistics: expected }] });
    await set(channel, messageId, { views: 150 });
    const later = await waitFor(postId, 'has grown', ({ views }) => views === 150);
    const views = later.publications[0].samples.map((sample: { views: number }) => sample.views);
    expect([views.at(-1), views.includes(120)]).toEqual([150, true]);
    const times = later.publications[0].samples.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort());
    const { publications } = await manage('GET', `/posts/${postId}`);
    expect(publications[0].statistics).toMatchObject({ ...expected, views: 150, state: 'ok', text: null });
    const { body } = await channel.endpoint.readPost(postId);
    expect(body.publications[0].statistics).toMatchObject({ ...expected, views: 150 });
  });

  it('stay when it is taken back, and it is gone', async () => {
    const channel = await harness.createChannel(platform);
    const { postId } = await publish(channel);
    await waitFor(postId, 'is counted', ({ views }) => views === 120);
    await manage('POST', `/posts/${postId}/withdraw`, {});
    const found = await waitFor(postId, 'is gone', ({ state }) => state === 'gone');
    expect(found.publications[0].statistics).toMatchObject(expected);
  });

  it('are not there for a message that the network lacks', async () => {
    const channel = await harness.createChannel(platform);
    const { postId } = await publish(channel);
    await waitFor(postId, 'is counted', ({ views }) => views === 120);
    const call = {
      vk: { status: 200, body: { response: { items: [] } } },
      max: { status: 200, body: { messages: [] } },
      ok: { status: 200, body: { error_code: 300, error_msg: 'NOT_FOUND : Topic not found' } },
    }[platform as 'vk'];
    const fault = { mode: 'answer', channel: platform === 'ok' ? null : channel.chat, times: null, ...call } as const;
    const method = { vk: 'wall.getById', max: 'GET /messages', ok: 'group.getStatTopic' }[platform as 'vk'];
    await channel.network.addFault({ ...fault, method });
    const found = await waitFor(postId, 'is gone', ({ state }) => state === 'gone');
    await channel.network.clearFaults();
    expect(found.publications[0].statistics).toMatchObject(expected);
  });
});

it('are unavailable on Telegram at once, without a call', async () => {
  const channel = await harness.createChannel('telegram');
  const postId = await channel.publish({ text: 'How many?' });
  const text = "Telegram's Bot API gives bots no numbers for a post.";
  expect((await read(postId)).publications[0].statistics).toEqual({ state: 'unavailable', as_of: null, ...NONE, text });
  await channel.waitForState(postId, 'published');
  expect(await read(postId)).toMatchObject({ totals: NONE, publications: [{ statistics: { text }, samples: [] }] });
  const { counts } = await channel.network.listCalls();
  expect(Object.keys(counts).filter((method) => !/^(send|get(Me|Chat|ChatMember)$)/.test(method))).toEqual([]);
});

it('are unavailable with a reason where the network refuses, and no channel is flagged', async () => {
  const channel = await harness.createChannel('vk', {
    credentials: { access_token: VK_COMMUNITY_TOKEN, upload_token: undefined },
  });
  const postId = await channel.publish({ text: 'Refused' });
  await channel.waitForState(postId, 'published');
  const found = await waitFor(postId, 'is unavailable', ({ state }) => state === 'unavailable');
  expect(found).toMatchObject({
    totals: NONE,
    publications: [{ statistics: { text: expect.stringMatching(/upload_token/) } }],
  });
  expect(await manage('GET', `/channels/${channel.channelId}`)).toMatchObject({ status: 'ok', attention: null });
  const next = await channel.publish({ text: 'Goes on' });
  await channel.waitForState(next, 'published');
});

it('are tried again where the network does not answer, which delays and flags nothing', async () => {
  const channel = await harness.createChannel('max');
  await channel.network.addFault({
    mode: 'answer',
    status: 503,
    method: 'GET /messages',
    channel: channel.chat,
    times: 2,
  });
  const { postId } = await publish(channel);
  await waitFor(postId, 'is counted', ({ views }) => views === 120);
  expect(await manage('GET', `/channels/${channel.channelId}`)).toMatchObject({ status: 'ok', attention: null });
});

it('are off where the channel says so, and no call is made', async () => {
  const channel = await harness.createChannel('vk', { settings: { statistics: 'off' } });
  const { postId } = await publish(channel);
  await manage('POST', `/posts/${postId}/statistics`);
  expect((await read(postId)).publications[0].statistics).toMatchObject({ state: 'off', ...NONE });
  expect(await methods(channel)).not.toContain('wall.getById');
  const changed = await manage('PATCH', `/channels/${channel.channelId}`, { settings: { statistics: 'on' } });
  expect(changed.settings).toMatchObject({ statistics: 'on' });
  const next = await publish(channel);
  await waitFor(next.postId, 'is counted', ({ views }) => views === 120);
});

it('are not read from another chat than the one that it was published to', async () => {
  const channel = await harness.createChannel('vk');
  const { postId } = await publish(channel);
  await waitFor(postId, 'is counted', ({ views }) => views === 120);
  const credentials = { access_token: VK_COMMUNITY_TOKEN, group_id: '4242' };
  await manage('PATCH', `/channels/${channel.channelId}`, { credentials });
  const found = await waitFor(postId, 'is unavailable', ({ state }) => state === 'unavailable');
  expect(found.publications[0].statistics).toMatchObject({ ...ALL, text: expect.stringMatching(/another chat/) });
});

it('survive a rebuild of the read models', async () => {
  const channel = await harness.createChannel('vk');
  const { postId } = await publish(channel);
  const before = await waitFor(postId, 'is counted', ({ views }) => views === 120);
  const { id } = await manage('POST', '/projections/posts/rebuild', { promote: 'auto' });
  await until('the rebuild has ended', async () => (await manage('GET', `/jobs/${id}`)).state === 'done');
  const after = await read(postId);
  expect(after.publications[0].samples.slice(0, before.publications[0].samples.length)).toEqual(
    before.publications[0].samples,
  );
  await waitFor(postId, 'is still counted', ({ views }) => views === 120);
});

it('reach webhook outputs that want them, when they have changed', async () => {
  const channel = await harness.createChannel('vk');
  const output = { project_id: channel.projectId, url: receiver.url, kinds: ['post.statistics'] };
  await manage('POST', '/webhook-outputs', output);
  const { postId, messageId } = await publish(channel);
  const bodies = () => receiver.received.map(({ body }) => body).filter(({ post_id }) => post_id === postId);
  const last = (views: number) =>
    until(`a delivery of ${views}`, () => bodies().find(({ totals }) => totals.views === views));
  expect(await last(120)).toMatchObject({
    kind: 'post.statistics',
    post_id: postId,
    project: { id: channel.projectId },
    totals: ALL,
    publications: [{ target: { id: channel.channelId, platform: 'vk' }, statistics: { ...ALL, state: 'ok' } }],
  });
  await set(channel, messageId, { views: 160 });
  await last(160);
});

describe('asking for numbers', () => {
  it('reads them at once, but only once a minute', async () => {
    const channel = await harness.createChannel('ok');
    const { postId, messageId } = await publish(channel);
    await set(channel, messageId, { views: 999 });
    expect(await manage('POST', `/posts/${postId}/statistics`)).toMatchObject({ totals: { views: 999 } });
    const again = await harness.gateway.callManagement('POST', `/posts/${postId}/statistics`);
    expect([again.status, again.body.code]).toEqual([429, 'too_soon']);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('many posts', () => {
  it('are compared by a number, shown over time, and exported', async () => {
    const channel = await harness.createChannel('vk', {});
    const few = await publish(channel, { ...COUNTS, views: 10, likes: 9 });
    const many = await publish(channel, { ...COUNTS, views: 1_000, likes: 1 });
    await waitFor(few.postId, 'is counted', ({ views }) => views === 10);
    await waitFor(many.postId, 'is counted', ({ views }) => views === 1_000);
    const { channelId } = channel;
    const ids = async (query: string) =>
      (await manage('GET', `/statistics/top?channel_id=${channelId}${query}`)).items.map(
        (one: { post_id: string }) => one.post_id,
      );
    expect(await ids('')).toEqual([many.postId, few.postId]);
    expect(await ids('&by=reactions')).toEqual([few.postId, many.postId]);
    expect(await ids('&by=comments')).toEqual([many.postId, few.postId]); // equal: newest first
    expect(await ids('&limit=1')).toEqual([many.postId]);
    const { items } = await manage('GET', `/statistics/top?channel_id=${channelId}`);
    expect(items[0]).toMatchObject({
      excerpt: 'How many?',
      totals: { views: 1_000, reactions: 1, comments: 3, shares: 0 },
    });

    const overTime = await manage('GET', `/channels/${channelId}/statistics`);
    expect(overTime).toMatchObject({ id: channelId, bucket: 'day' });
    expect([30, 31]).toContain(overTime.buckets.length);
    const filled = overTime.buckets.filter(({ published }: { published: number }) => published > 0);
    const sum = (name: string) =>
      filled.reduce((total: number, each: Record<string, number>) => total + each[name]!, 0);
    expect([sum('published'), sum('views'), sum('reactions')]).toEqual([2, 1_010, 10]);
    expect(overTime.buckets[0]).toMatchObject({ published: 0, ...NONE });

    const csv = await fetch(`${harness.gateway.url}/manage/v1/statistics.csv?channel_id=${channelId}`, {
      headers: { authorization: 'Bearer service_operator_http_tests' },
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await csv.text()).trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'post_id,publication_id,target_id,platform,channel,url,published_at,as_of,views,reactions,comments,shares',
    );
    expect(lines.slice(1).map((line) => line.split(',').slice(8).join())).toEqual(['10,9,3,0', '1000,1,3,0']);
    expect(lines[1]).toContain(`${few.postId},`);
    expect(lines[1]).toContain(',vk,On vk,https://');
  });

  it('protects spreadsheets from formulas', async () => {
    const channel = await harness.createChannel('max');
    await manage('PATCH', `/channels/${channel.channelId}`, { name: '=1+1, "quoted"' });
    const { postId } = await publish(channel);
    await waitFor(postId, 'is counted', ({ views }) => views === 120);
    const csv = await fetch(`${harness.gateway.url}/manage/v1/statistics.csv?channel_id=${channel.channelId}`, {
      headers: { authorization: 'Bearer service_operator_http_tests' },
    });
    expect(await csv.text()).toContain(`,max,"'=1+1, ""quoted""",`);
  });

  it.each([
    ['/channels/ID/statistics?since=2020-01-01T00:00:00Z', 'too_many_buckets'],
    ['/channels/ID/statistics?bucket=week', 'invalid'],
    ['/statistics/top?by=luck', 'invalid'],
    ['/statistics/top?limit=51', 'invalid'],
    ['/statistics.csv?since=yesterday', 'invalid'],
  ])('refuses %s', async (path, code) => {
    const { channelId } = await harness.createChannel('max');
    const { status, body } = await harness.gateway.callManagement('GET', path.replace('ID', channelId));
    expect([status, body.code]).toEqual([422, code]);
  });
});

it('are counted for operators', async () => {
  const channel = await harness.createChannel('vk');
  const { postId } = await publish(channel);
  await waitFor(postId, 'is counted', ({ views }) => views === 120);
  const page = await (await fetch(`${harness.gateway.url}/metrics`)).text();
  expect(page).toMatch(/crosspost_statistics_samples_total\{platform="vk",state="ok"\} [1-9]/);
});
