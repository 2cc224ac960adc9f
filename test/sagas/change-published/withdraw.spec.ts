import { iso } from '../../../src/kernel/clock.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type Platform, type PublishingChannel } from '../publish-due-posts/gateway-harness.js';

const PLATFORMS: readonly Platform[] = ['telegram', 'vk', 'max', 'ok'];

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start();
});
afterAll(() => harness.stop());

const read = (postId: string) => harness.gateway.manage('GET', `/posts/${postId}`);
const withdraw = (channel: PublishingChannel, postId: string, body: object = {}) =>
  channel.endpoint.post(`posts/${postId}/withdraw`, body);
/** Lists the messages that were deleted in the channel's chat. */
const listDeleted = async ({ network, chat }: PublishingChannel): Promise<readonly unknown[]> =>
  ((await network.request('GET', `changes?channel=${chat}`)) as { items: unknown[] }).items;

describe.each(PLATFORMS)('a post that is taken back on %s', (platform) => {
  it('is deleted, once, and stays in the history', async () => {
    const channel = await harness.createChannel(platform);
    const postId = await channel.publish({ text: 'A wrong price' });
    const published = await channel.waitForState(postId, 'published');
    expect(await channel.readWall()).toHaveLength(1);
    const { status, body } = await withdraw(channel, postId, { reason: 'The price is wrong.' });
    expect([status, body]).toMatchObject([200, { ok: true, id: postId, withdrawing: 1, cancelled: 0, unchanged: 0 }]);
    expect(body.publications[0].withdrawal).not.toHaveProperty('by');
    await channel.waitForState(postId, 'withdrawn');
    expect(await listDeleted(channel)).toHaveLength(1);
    const [publication] = (await read(postId)).publications;
    expect(publication).toMatchObject({
      message_ids: published.message_ids,
      withdrawal: { reason: 'The price is wrong.', by: `endpoint:${channel.endpoint.id}`, remaining: [], error: null },
    });
    expect(publication.withdrawal.ended_at).not.toBeNull();
    expect((await withdraw(channel, postId)).body).toMatchObject({ withdrawing: 0, cancelled: 0, unchanged: 1 });
  });
});

describe('a post that is taken back', () => {
  it('is dismissed where nothing was published', async () => {
    const channel = await harness.createChannel('vk');
    await harness.gateway.manage('POST', `/channels/${channel.channelId}/pause`, { minutes: 10 });
    const postId = await channel.publish({ text: 'Not yet' });
    const { body } = await withdraw(channel, postId, { reason: 'No.' });
    expect(body).toMatchObject({ withdrawing: 0, cancelled: 1, unchanged: 0 });
    expect(body.publications[0]).toMatchObject({ state: 'dismissed', withdrawal: { reason: 'No.', error: null } });
    expect(body.publications[0].withdrawal.ended_at).not.toBeNull();
    await harness.gateway.manage('POST', `/channels/${channel.channelId}/resume`);
    const next = await channel.publish({ text: 'The next one' });
    await channel.waitForState(next, 'published');
    expect((await channel.readWall()).map(({ text }) => text)).toEqual(['The next one']);
  });

  it('is dismissed while it is planned', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Later', publish_at: iso(Date.now() + 3_600_000) });
    const { body } = await withdraw(channel, postId);
    expect(body).toMatchObject({ withdrawing: 0, cancelled: 1, unchanged: 0 });
    expect((await read(postId)).publications).toMatchObject([
      { state: 'dismissed', withdrawal: { by: expect.any(String) } },
    ]);
    expect((await withdraw(channel, postId)).body).toMatchObject({ cancelled: 0, unchanged: 1 });
  });

  it('waits for the attempt that is under way, whose message is deleted then', async () => {
    const channel = await harness.createChannel('telegram');
    await channel.network.addFault({ mode: 'delay', delay_ms: 1_500, channel: channel.chat });
    const postId = await channel.publish({ text: 'On its way' });
    await channel.waitForState(postId, 'publishing');
    const { body } = await withdraw(channel, postId);
    expect(body).toMatchObject({ withdrawing: 1, publications: [{ state: 'publishing' }] });
    await channel.waitForState(postId, 'withdrawn');
    expect([await channel.readWall(), await listDeleted(channel)]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  it('needs no pause to end and no queue to empty', async () => {
    const channel = await harness.createChannel('max');
    const postId = await channel.publish({ text: 'Wrong' });
    await channel.waitForState(postId, 'published');
    await harness.gateway.manage('POST', `/channels/${channel.channelId}/pause`, { minutes: 10 });
    const waiting = await channel.publish({ text: 'Waits' });
    await withdraw(channel, postId);
    await channel.waitForState(postId, 'withdrawn');
    expect((await channel.readPublication(waiting)).state).toBe('queued');
  });

  it('names what is not its channel, and does nothing then', async () => {
    const channel = await harness.createChannel('vk');
    const postId = await channel.publish({ text: 'Stays' });
    await channel.waitForState(postId, 'published');
    const wrong = await withdraw(channel, postId, { targets: [channel.channelId, 'tgt_other'] });
    expect([wrong.status, wrong.body.code]).toMatchObject([422, 'invalid_targets']);
    expect(wrong.body.details).toMatchObject([{ path: 'targets[1]' }]);
    for (const targets of [[], null]) expect((await withdraw(channel, postId, { targets })).status).toBe(422);
    expect((await channel.readPublication(postId)).state).toBe('published');
    expect((await withdraw(channel, postId, { targets: [channel.channelId] })).body.withdrawing).toBe(1);
  });

  it('says what to do where the network refuses, and can be tried again, or left', async () => {
    const channel = await harness.createChannel('vk');
    const postId = await channel.publish({ text: 'Refused' });
    const { id } = await channel.waitForState(postId, 'published');
    const body = { error: { error_code: 7, error_msg: 'Permission to perform this action is denied' } };
    await channel.network.addFault({ mode: 'answer', method: 'wall.delete', status: 200, body });
    await withdraw(channel, postId);
    await channel.waitForState(postId, 'withdraw_failed');
    const [failed] = (await read(postId)).publications;
    expect(failed.withdrawal).toMatchObject({ error: { code: 'no_right_to_delete' }, remaining: failed.message_ids });
    for (const verb of ['resend', 'cancel'])
      expect((await harness.gateway.callManagement('POST', `/publications/${id}/${verb}`)).status).toBe(409);
    expect((await harness.gateway.manage('POST', `/publications/${id}/dismiss`)).state).toBe('published');
    expect((await harness.gateway.callManagement('POST', `/publications/${id}/dismiss`)).status).toBe(409);
    await harness.gateway.manage('POST', `/publications/${id}/withdraw`, { reason: 'Again.' });
    await channel.waitForState(postId, 'withdrawn');
    expect(await harness.readEventTypes(`publication-${id}`)).toEqual(
      expect.arrayContaining(['PublicationWithdrawalDropped', 'PublicationWithdrawn']),
    );
  });

  it('is tried again after an outage', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Out' });
    await channel.waitForState(postId, 'published');
    const fault = { mode: 'drop_before_accepting', method: 'deleteMessage', channel: channel.chat } as const;
    await channel.network.addFault({ ...fault, times: 2 });
    await withdraw(channel, postId);
    await until('a failed try', async () => (await read(postId)).publications[0].withdrawal.attempts > 0);
    await channel.waitForState(postId, 'withdrawn');
    expect(await listDeleted(channel)).toHaveLength(1);
  });

  it('is tried at once if it is asked again while the network wants a long wait', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Wait' });
    await channel.waitForState(postId, 'published');
    const parameters = { retry_after: 3_600 };
    const body = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 3600', parameters };
    await channel.network.addFault({
      mode: 'answer',
      method: 'deleteMessage',
      channel: channel.chat,
      status: 429,
      body,
    });
    await withdraw(channel, postId);
    await until('it waits', async () => (await read(postId)).publications[0].withdrawal.waiting_for);
    expect((await withdraw(channel, postId)).body).toMatchObject({ withdrawing: 0, cancelled: 0, unchanged: 1 });
    await channel.waitForState(postId, 'withdrawn');
    expect((await withdraw(channel, postId)).body).toMatchObject({ withdrawing: 0, cancelled: 0, unchanged: 1 });
  });

  it('stops the channel where posts would be refused too, and goes on when it is mended', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'The bot was removed' });
    await channel.waitForState(postId, 'published');
    await channel.network.request('POST', 'chats', { chat_id: channel.chat, state: 'missing' });
    await withdraw(channel, postId);
    const readChannel = () => harness.gateway.manage('GET', `/channels/${channel.channelId}`);
    const [publication] = await until('it waits for the owner', async () => {
      const { publications } = await read(postId);
      return publications[0].withdrawal.waiting_for?.rule === 'needs_attention' && publications;
    });
    expect(publication).toMatchObject({ state: 'withdrawing', withdrawal: { error: { category: 'channel' } } });
    expect((await readChannel()).attention).not.toBeNull();
    await channel.network.request('POST', 'chats', { chat_id: channel.chat, state: 'member' });
    await channel.waitForState(postId, 'withdrawn');
  });
});
