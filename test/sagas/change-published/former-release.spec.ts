import { newCommandContext } from '../../../src/commands/command.js';
import { EventCodec } from '../../../src/event-store/codec.js';
import type { DomainEvent } from '../../../src/kernel/events.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type Platform, type PublishingChannel } from '../publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start();
});
afterAll(() => harness.stop());

/** Encodes as releases before take-backs and edits did. */
const formerCodec = new EventCodec({ PublicationStarted: { version: 1 }, PublicationSucceeded: { version: 1 } });
const UNSEEN = { telegram: '987654', vk: '987654', max: 'mid.ffffffffffffffffffffffffffffffff', ok: '98765432101234' };

/** Publishes a post, and returns the ids of its messages. */
const publishNow = async (channel: PublishingChannel, text: string): Promise<readonly string[]> =>
  (await channel.waitForState(await channel.publish({ text }), 'published')).message_ids;

/** Returns a post whose publication has the events of a former release, which say neither who sent it nor where. */
const publishFormerly = async (
  channel: PublishingChannel,
  messageIds: readonly string[],
  text: string,
  at = Date.now(),
) => {
  const { gateway } = harness;
  await gateway.manage('POST', `/channels/${channel.channelId}/pause`, { minutes: 10 });
  const postId = await channel.publish({ text });
  const { id: publicationId } = await channel.waitForState(postId, 'queued');
  const ids = { publicationId, postId, channelId: channel.channelId };
  const events: readonly DomainEvent[] = [
    { type: 'PublicationStarted', data: { ...ids, attempt: 1, worker: 'former', sending: 'send', at } },
    { type: 'PublicationSucceeded', data: { ...ids, attempt: 1, at, messageIds, urls: [], warnings: [] } },
  ];
  const stream = `publication-${publicationId}`;
  const origin = { actor: 'system:publish-due-posts', requestId: '', causationId: '', correlationId: '' } as const;
  const context = newCommandContext({ ...origin, clientAddress: null }, publicationId, at);
  let previousHash = '';
  const encoded = events.map((event, index) => {
    const location = { stream, revision: BigInt(index), previousHash };
    const { event: stored, hash } = formerCodec.encode(event, index, location, context);
    previousHash = hash;
    return stored;
  });
  await gateway.infrastructure.store.append(stream, 'noStream', encoded);
  await channel.waitForState(postId, 'published');
  return postId;
};

const takeBack = (channel: PublishingChannel, postId: string) => channel.endpoint.post(`posts/${postId}/withdraw`, {});
const withdrawalOf = async (postId: string) =>
  (await harness.gateway.manage('GET', `/posts/${postId}`)).publications[0].withdrawal;
const listChanges = async ({ network, chat }: PublishingChannel): Promise<readonly { readonly kind: string }[]> =>
  ((await network.request('GET', `changes?channel=${chat}`)) as { items: { kind: string }[] }).items;

describe.each<Platform>(['telegram', 'vk', 'max', 'ok'])('a publication of a former release on %s', (platform) => {
  it('is taken back', async () => {
    const channel = await harness.createChannel(platform);
    const postId = await publishFormerly(channel, await publishNow(channel, 'Old'), 'Old');
    await takeBack(channel, postId);
    await channel.waitForState(postId, 'withdrawn');
    expect(await listChanges(channel)).toMatchObject([{ kind: 'deleted' }]);
  });

  it('is not said to be gone where another account may only not see it (D-70)', async () => {
    const channel = await harness.createChannel(platform);
    const postId = await publishFormerly(channel, [UNSEEN[platform]], 'Not seen');
    await takeBack(channel, postId);
    await channel.waitForState(postId, 'withdraw_failed');
    expect(await withdrawalOf(postId)).toMatchObject({ error: { code: 'not_seen' }, remaining: [UNSEEN[platform]] });
  });

  it('is left alone once the channel has another chat, where its number is of another message (D-70)', async () => {
    const channel = await harness.createChannel(platform);
    const messageIds = await publishNow(channel, 'Stays');
    const other = await harness.createChannel(platform);
    const postId = await publishFormerly(other, messageIds, 'Elsewhere');
    const { credentials } = channel;
    await harness.gateway.manage('PATCH', `/channels/${other.channelId}`, { credentials });
    await takeBack(other, postId);
    await other.waitForState(postId, 'withdraw_failed');
    expect(await withdrawalOf(postId)).toMatchObject({ error: { code: 'chat_changed' } });
    expect(await listChanges(channel)).toEqual([]);
  });
});

it.each<Platform>(['telegram', 'vk', 'max'])('is edited on %s', async (platform) => {
  const channel = await harness.createChannel(platform);
  const postId = await publishFormerly(channel, await publishNow(channel, 'Old'), 'Old');
  const { status } = await channel.endpoint.send('PUT', `posts/${postId}/content`, { text: 'New' });
  expect(status).toBe(200);
  await until('readers see it', async () => (await listChanges(channel)).some(({ kind }) => kind === 'edited'));
});

it("has no numbers once the channel has another chat, where its number is of another chat's message (D-70)", async () => {
  const channel = await harness.createChannel('vk');
  const messageIds = await publishNow(channel, 'Elsewhere, with views');
  await channel.network.request('POST', 'statistics', { channel: channel.chat, message_id: messageIds[0], views: 120 });
  const other = await harness.createChannel('vk');
  const postId = await publishFormerly(other, messageIds, 'Without', Date.now() - 120_000);
  await harness.gateway.manage('PATCH', `/channels/${other.channelId}`, { credentials: channel.credentials });
  const found = await harness.gateway.manage('POST', `/posts/${postId}/statistics`);
  expect(found.publications[0].statistics).toMatchObject({ state: 'unavailable', views: null });
});
