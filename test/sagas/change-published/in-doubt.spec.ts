import { mp3 } from '../../media/make-videos.js';
import { TestHost } from '../../media/test-host.js';
import { GatewayHarness, type Platform, type PublishingChannel } from '../publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
let host: TestHost;
beforeAll(async () => {
  harness = await GatewayHarness.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
  host = await TestHost.start();
});
afterAll(async () => {
  await host.stop();
  await harness.stop();
});

const POST = { max: 'POST /messages', vk: 'wall.post', ok: 'mediatopic.post', telegram: 'sendMessage' };
const REFUSED = {
  max: { status: 403 },
  vk: { status: 200, body: { error: { error_code: 15, error_msg: 'Access denied' } } },
};
const LOOK_UP = { max: 'GET /messages', vk: 'wall.get' };

const refuse = (channel: PublishingChannel, platform: 'max' | 'vk', method: string, times = 1) =>
  channel.network.addFault({ mode: 'answer', ...REFUSED[platform], method, channel: channel.chat, times });

/** Publishes a post that stays in doubt: its answer, or its call, is lost, and the network does not say what it is. */
const publishInDoubt = async (
  platform: Platform,
  lost: 'accept_then_drop' | 'drop_before_accepting',
  payload: object = { text: 'A wrong price' },
  settings: object = {},
): Promise<PublishingChannel & { readonly postId: string }> => {
  const channel = await harness.createChannel(platform, { settings });
  await channel.network.addFault({ mode: lost, method: POST[platform], channel: channel.chat });
  if (platform === 'max' || platform === 'vk') await refuse(channel, platform, LOOK_UP[platform]);
  if (platform === 'vk') await refuse(channel, platform, POST.vk, 3); // repeated with its key
  const postId = await channel.publish(payload);
  await channel.waitForState(postId, 'in_doubt');
  return { ...channel, postId };
};

const withdraw = async ({ endpoint }: PublishingChannel, postId: string): Promise<void> => {
  expect((await endpoint.post(`posts/${postId}/withdraw`, {})).body).toMatchObject({ withdrawing: 1 });
};
/** Waits for the end of the take-back, whatever it is. */
const waitForEnd = async (channel: PublishingChannel, postId: string, state: string) => {
  const ends = ['withdrawn', 'dismissed', 'withdraw_failed'];
  const found = await channel.waitUntil(postId, 'has ended', (publication) => ends.includes(publication.state));
  expect(found.state).toBe(state);
  return found;
};
const readWithdrawal = async (postId: string) =>
  (await harness.gateway.manage('GET', `/posts/${postId}`)).publications[0].withdrawal;
const countSends = async (channel: PublishingChannel, platform: Platform): Promise<number> => {
  const { items } = await channel.network.listCalls({ method: POST[platform] });
  return items.filter((call) => call.channel === channel.chat).length;
};
/** Lists the messages that readers still see. */
const readVisible = async (channel: PublishingChannel): Promise<readonly string[]> => {
  const changes = await channel.network.listChanges({ channel: channel.chat });
  const gone = new Set(changes.map(({ message_id }) => message_id));
  return (await channel.readWall()).filter(({ message_id }) => !gone.has(message_id)).map(({ text }) => text);
};

describe.each(['max', 'vk'] as const)('a post in doubt that is taken back on %s', (platform) => {
  it('is looked up once more: found, it is deleted', async () => {
    const channel = await publishInDoubt(platform, 'accept_then_drop');
    // The same words in another post are another post's.
    const again = await channel.publish({ text: 'A wrong price' });
    await channel.waitForState(again, 'published');
    const sends = await countSends(channel, platform);
    await withdraw(channel, channel.postId);
    const { id, message_ids } = await waitForEnd(channel, channel.postId, 'withdrawn');
    expect(message_ids).toEqual([(await channel.readWall())[0]!.message_id]);
    expect(await readVisible(channel)).toEqual(['A wrong price']);
    expect((await channel.readPublication(again)).state).toBe('published');
    expect(await countSends(channel, platform)).toBe(sends);
    expect((await harness.readEventTypes(`publication-${id}`)).slice(-4)).toEqual([
      'PublicationWithdrawalRequested',
      'PublicationSucceeded',
      'PublicationMessageDeleted',
      'PublicationWithdrawn',
    ]);
  });

  it('is dismissed if the network does not have it', async () => {
    const channel = await publishInDoubt(platform, 'drop_before_accepting');
    const sends = await countSends(channel, platform);
    await withdraw(channel, channel.postId);
    await waitForEnd(channel, channel.postId, 'dismissed');
    expect(await readWithdrawal(channel.postId)).toMatchObject({ error: null, ended_at: expect.any(String) });
    expect([await readVisible(channel), await countSends(channel, platform)]).toEqual([[], sends]);
  });

  it('is asked for again while the network does not answer', async () => {
    const channel = await publishInDoubt(platform, 'accept_then_drop');
    const down = { mode: 'answer', status: 503, method: LOOK_UP[platform], channel: channel.chat } as const;
    await channel.network.addFault({ ...down, times: 2 });
    await withdraw(channel, channel.postId);
    await waitForEnd(channel, channel.postId, 'withdrawn');
    expect(await readWithdrawal(channel.postId)).toMatchObject({ attempts: 2 });
    expect(await readVisible(channel)).toEqual([]);
  });

  it('says that its outcome is unknown if the network does not tell, and is looked up when asked again', async () => {
    const channel = await publishInDoubt(platform, 'accept_then_drop');
    await refuse(channel, platform, LOOK_UP[platform]);
    await withdraw(channel, channel.postId);
    await waitForEnd(channel, channel.postId, 'withdraw_failed');
    expect(await readWithdrawal(channel.postId)).toMatchObject({ error: { code: 'outcome_unknown' }, remaining: [] });
    await withdraw(channel, channel.postId);
    await waitForEnd(channel, channel.postId, 'withdrawn');
    expect(await readVisible(channel)).toEqual([]);
  });
});

describe('a post in doubt of which a part is known', () => {
  it.each([
    ['accept_then_drop', 2],
    ['drop_before_accepting', 1],
  ] as const)('is withdrawn once readers see neither part: %s', async (mode, messages) => {
    const channel = await harness.createChannel('max');
    const { network, chat } = channel;
    await network.addFault({ mode: 'delay', method: POST.max, channel: chat });
    await network.addFault({ mode, method: POST.max, channel: chat });
    await refuse(channel, 'max', LOOK_UP.max);
    const media = [{ type: 'audio', url: host.serve('/a.mp3', mp3()) }];
    const postId = await channel.publish({ text: 'A wrong song', media });
    expect((await channel.waitForState(postId, 'in_doubt')).message_ids).toHaveLength(1);
    await withdraw(channel, postId);
    expect((await waitForEnd(channel, postId, 'withdrawn')).message_ids).toHaveLength(messages);
    expect([await readVisible(channel), await countSends(channel, 'max')]).toEqual([[], 2]);
  });
});

describe.each(['telegram', 'ok'] as const)(
  'a post in doubt that is taken back on %s, which has no look-up',
  (platform) => {
    it('stays unknown, and is left by the owner', async () => {
      const channel = await publishInDoubt(platform, 'accept_then_drop');
      await withdraw(channel, channel.postId);
      const { id } = await waitForEnd(channel, channel.postId, 'withdraw_failed');
      expect(await readWithdrawal(channel.postId)).toMatchObject({ error: { code: 'outcome_unknown' }, remaining: [] });
      expect(await countSends(channel, platform)).toBe(1);
      expect((await harness.gateway.manage('POST', `/publications/${id}/dismiss`)).state).toBe('dismissed');
    });

    it('is not sent again, although its channel resends what is in doubt', async () => {
      const channel = await harness.createChannel(platform, { settings: { on_doubt: 'resend' } });
      const slow = { delay_ms: 1_500, method: POST[platform], channel: channel.chat } as const;
      await channel.network.addFault({ mode: 'accept_then_drop', ...slow });
      const postId = await channel.publish({ text: 'A wrong price' });
      await channel.waitForState(postId, 'publishing');
      await withdraw(channel, postId);
      await waitForEnd(channel, postId, 'withdraw_failed');
      expect(await readWithdrawal(postId)).toMatchObject({ error: { code: 'outcome_unknown' } });
      expect(await countSends(channel, platform)).toBe(1);
    });
  },
);
