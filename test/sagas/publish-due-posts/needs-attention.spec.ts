import { type PublishingChannel, GatewayHarness } from './gateway-harness.js';

const HOUR = 3_600_000;

/** Lead of the worker's clock in ms: tests advance it by hours. */
let ahead = 0;
let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start({}, { now: () => Date.now() + ahead })));
afterAll(() => harness.stop());

const refuse = ({ network, chat }: PublishingChannel, times: number | null = null): Promise<void> =>
  network.addFault({ mode: 'answer', method: 'sendMessage', channel: chat, status: 401, times });
const waitsForAttention = (channel: PublishingChannel, postId: string) =>
  channel.waitUntil(postId, 'waits for a person', ({ waiting_for }) => waiting_for?.rule === 'needs_attention');
const readStatus = async ({ channelId }: PublishingChannel): Promise<string> =>
  (await harness.gateway.manage('GET', `/channels/${channelId}`)).status;

describe('an invalid credential (D-26)', () => {
  it('flags its channel and holds its queue, while other channels of the same project continue', async () => {
    const owner_id = await harness.gateway.createOwner();
    const channel = await harness.createChannel('telegram', { owner_id });
    const other = await harness.createChannel('telegram', { owner_id });
    await harness.gateway.manage('PATCH', `/projects/${channel.projectId}`, {
      channel_ids: [channel.channelId, other.channelId],
    });
    await refuse(channel);
    for (const text of ['a', 'b']) await channel.publish({ text });
    await harness.gateway.waitForText(other.chat, 'b');
    expect((await other.readWall()).map(({ text }) => text)).toEqual(['a', 'b']);
    expect(await readStatus(channel)).toBe('needs_attention');
    expect(await readStatus(other)).toBe('ok');
    expect(await channel.readWall()).toEqual([]);
    const { items } = await channel.network.listCalls({ method: 'sendMessage' });
    expect(items.filter((call) => call.channel === channel.chat)).toHaveLength(1);
  });

  it('is replaced over the management API: the held posts are published in order', async () => {
    const channel = await harness.createChannel('telegram');
    await refuse(channel, 1);
    const ids = [
      await channel.publish({ text: 'a' }),
      await channel.publish({ text: 'b' }),
      await channel.publish({ text: 'c' }),
    ];
    for (const id of ids) await waitsForAttention(channel, id);
    const credentials = { bot_token: `2000:${'n'.repeat(35)}`, chat_id: channel.chat };
    const updated = await harness.gateway.manage('PATCH', `/channels/${channel.channelId}`, { credentials });
    expect(updated.status).toBe('ok');
    for (const id of ids) await channel.waitForState(id, 'published');
    expect((await channel.readWall()).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  it('fails all held posts after 24 hours', async () => {
    const channel = await harness.createChannel('telegram');
    await refuse(channel);
    const ids = [await channel.publish({ text: 'a' }), await channel.publish({ text: 'b' })];
    for (const id of ids) await waitsForAttention(channel, id);
    ahead += 24 * HOUR - 60_000;
    const late = await channel.publish({ text: 'late' });
    await waitsForAttention(channel, late);
    ahead += 61_000;
    for (const id of [...ids, late]) {
      const { attempts } = await channel.waitForState(id, 'failed');
      expect(attempts.at(-1)).toMatchObject({
        outcome: 'failed',
        error: { code: 'unauthorized', category: 'credentials' },
      });
    }
    const flagged = (await harness.readEventTypes(`channel-${channel.channelId}`)).filter(
      (type) => type === 'ChannelNeedsAttention',
    );
    expect(flagged).toHaveLength(1);
  });
});
