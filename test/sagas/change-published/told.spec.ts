import type { NoticeRaised } from '../../../src/domain/notice/notice.events.js';
import { POSTS } from '../../../src/projections/posts/posts.tables.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type PublishingChannel } from '../publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start();
});
afterAll(() => harness.stop());

const manage = (method: string, path: string, body?: object) => harness.gateway.manage(method, path, body);
const withdraw = (channel: PublishingChannel, postId: string) => channel.endpoint.post(`posts/${postId}/withdraw`, {});
/** Refuses the next deletion. */
const refuse = (channel: PublishingChannel, error: object) =>
  channel.network.addFault({
    mode: 'answer',
    method: 'deleteMessage',
    channel: channel.chat,
    status: 400,
    body: { ok: false, error_code: 400, description: "Bad Request: message can't be deleted", ...error },
  });
const DELAYED = {
  error_code: 429,
  description: 'Too Many Requests: retry after 3600',
  parameters: { retry_after: 3_600 },
};
const publish = async (channel: PublishingChannel): Promise<{ readonly postId: string; readonly id: string }> => {
  const postId = await channel.publish({ text: 'Wrong' });
  const { id } = await channel.waitForState(postId, 'published');
  return { postId, id };
};

it('raises a notice of what is not deleted yet or not at all, which needs attention until it ends', async () => {
  const owner = await harness.gateway.createOwner();
  const [slow, refused] = await Promise.all([1, 2].map(() => harness.createChannel('telegram', { owner_id: owner })));
  const readAttention = async () => (await manage('GET', `/overview?owner_id=${owner}`)).attention;
  const readNotices = async (id: string): Promise<NoticeRaised['data'][]> =>
    (await harness.gateway.readAllEvents())
      .filter(({ type }) => type === 'NoticeRaised')
      .map(({ data }) => data as NoticeRaised['data'])
      .filter(({ subject }) => subject.publicationId === id);
  const waitForNotice = (id: string) => until('the notice', async () => (await readNotices(id))[0]);

  const delayed = await publish(slow!);
  await refuse(slow!, DELAYED);
  await withdraw(slow!, delayed.postId);
  expect(await waitForNotice(delayed.id)).toMatchObject({
    ownerId: owner,
    kind: 'withdraw_failed',
    subject: { channelId: slow!.channelId, postId: delayed.postId, publicationId: delayed.id },
    text: expect.stringContaining('is still to be taken back from "On telegram" (telegram)'),
  });
  expect(await readAttention()).toEqual([]);
  // The same after 15 minutes.
  await harness.gateway.pool.query(
    `update ${POSTS}.publication set withdrawal = withdrawal || '{"requested_at": 0}' where publication_id = $1`,
    [delayed.id],
  );
  expect(await readAttention()).toMatchObject([{ code: 'withdraw_failed', count: 1, ids: [delayed.id] }]);

  const kept = await publish(refused!);
  await refuse(refused!, {});
  await withdraw(refused!, kept.postId);
  await refused!.waitForState(kept.postId, 'withdraw_failed');
  const { text } = await waitForNotice(kept.id);
  expect(text).toContain('could not be taken back from "On telegram" (telegram)');
  const [item] = await readAttention();
  expect(item).toMatchObject({ code: 'withdraw_failed', count: 2, ids: [delayed.id, kept.id] });
  expect(item.action).toEqual({
    label_code: 'view_all',
    method: 'GET',
    path: `/posts?state=withdraw_failed&owner_id=${owner}`,
  });
  await manage('POST', `/publications/${kept.id}/dismiss`);
  expect(await readAttention()).toMatchObject([
    {
      ids: [delayed.id],
      text: expect.stringContaining('"Wrong" is not taken back from Telegram'),
      action: { label_code: 'resolve', path: `/publications/${delayed.id}` },
      subject: { publication_id: delayed.id, post_id: delayed.postId, excerpt: 'Wrong' },
    },
  ]);
  expect(await readNotices(kept.id)).toHaveLength(1);
});

it('counts outcomes, and how long the successful ones took', async () => {
  const channel = await harness.createChannel('telegram');
  const read = async (series: string): Promise<number> => {
    const text = await (await fetch(`${harness.gateway.url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? 0);
  };
  const of = (outcome: string) => `crosspost_withdrawals_total{platform="telegram",outcome="${outcome}"}`;
  const readAll = () =>
    Promise.all([of('withdraw_failed'), of('withdrawn'), 'crosspost_withdraw_seconds_count'].map(read));
  const before = await readAll();
  const { postId } = await publish(channel);
  await refuse(channel, {});
  for (const state of ['withdraw_failed', 'withdrawn']) {
    await withdraw(channel, postId);
    await channel.waitForState(postId, state);
  }
  await until('both are counted', async () => (await readAll()).every((count, n) => count === before[n]! + 1) || null);
});

it('is listed by its state, and no longer counts as what was in doubt', async () => {
  const owner_id = await harness.gateway.createOwner();
  const channel = await harness.createChannel('telegram', { owner_id });
  await channel.network.addFault({ mode: 'accept_then_drop', method: 'sendMessage', channel: channel.chat });
  const doubtful = await channel.publish({ text: 'Perhaps' });
  const { id } = await channel.waitForState(doubtful, 'in_doubt');
  const readAttention = async () => (await manage('GET', `/overview?owner_id=${owner_id}`)).attention;
  await until('it needs attention', async () => (await readAttention())[0]?.code === 'in_doubt' || null);
  await withdraw(channel, doubtful);
  await channel.waitForState(doubtful, 'withdraw_failed');
  await until('it needs attention for another reason', async () => {
    const codes = (await readAttention()).map(({ code }: { code: string }) => code);
    return codes.join() === 'withdraw_failed' || null;
  });
  const gone = await publish(channel);
  await withdraw(channel, gone.postId);
  await channel.waitForState(gone.postId, 'withdrawn');
  for (const [state, postId] of [
    ['withdraw_failed', doubtful],
    ['withdrawn', gone.postId],
  ]) {
    const listed = [
      (await manage('GET', `/posts?owner_id=${owner_id}&state=${state}`)).items,
      (await channel.endpoint.listPosts(`?state=${state}`)).body.items,
    ];
    for (const items of listed) expect(items.map((post: { id: string }) => post.id)).toEqual([postId]);
  }
  const { items } = await manage('GET', `/history/events?owner_id=${owner_id}&type=PublicationWithdrawalRequested`);
  expect(items).toMatchObject([{ actor: `endpoint:${channel.endpoint.id}` }, { data: { publicationId: id } }]);
});

it('is forecast: by the network where something is published, and from the state elsewhere', async () => {
  const [telegram, vk, vkWithUser] = await Promise.all([
    harness.createChannel('telegram'),
    harness.createChannel('vk', { credentials: { upload_token: undefined } }),
    harness.createChannel('vk'),
  ]);
  const readCan = async (channel: PublishingChannel, postId: string) => {
    const [publication] = (await channel.endpoint.readPost(postId)).body.publications;
    const [full] = (await manage('GET', `/posts/${postId}`)).publications;
    expect(full.can).toEqual(publication.can);
    return publication.can;
  };
  const CAN = { withdraw: true, withdraw_until: null, edit: ['text', 'buttons', 'media'], text: null };
  const TEXT = { edit: ['text', 'buttons'], text: expect.stringContaining('no media') };
  const ON_VK = { ...CAN, edit: ['text', 'media'], text: expect.stringContaining('buttons') };
  const CANNOT = { ...CAN, withdraw: false, edit: [], text: expect.stringContaining('nothing to take back') };
  const { postId } = await publish(telegram);
  const [{ published_at }] = (await manage('GET', `/posts/${postId}`)).publications;
  const until48 = new Date(Date.parse(String(published_at)) + 48 * 3_600_000).toISOString();
  expect(await readCan(telegram, postId)).toEqual({ ...CAN, ...TEXT, withdraw_until: until48 });
  await withdraw(telegram, postId);
  await telegram.waitForState(postId, 'withdrawn');
  expect(await readCan(telegram, postId)).toEqual(CANNOT);

  const ofVk = await publish(vk);
  const unsure = { ...CAN, withdraw: null, edit: ['text'], text: expect.stringContaining('upload_token') };
  expect(await readCan(vk, ofVk.postId)).toEqual(unsure);
  expect(await readCan(vkWithUser, (await publish(vkWithUser)).postId)).toEqual(ON_VK);
  const waiting = await vk.publish({ text: 'Later', publish_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await readCan(vk, waiting)).toEqual(CAN);
  await withdraw(vk, waiting);
  expect(await readCan(vk, waiting)).toEqual(CANNOT);
  expect((await vk.endpoint.sandbox({ text: 'New' })).body.preview).toMatchObject({
    telegram: { can: { ...CAN, ...TEXT } },
    vk: { can: unsure },
  });
});
