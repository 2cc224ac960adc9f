// More than 20 s: look-ups are repeated only after several seconds, and one call times out only after 15 s.
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayHarness, type PublishingChannel, VK_COMMUNITY_TOKEN } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start({ MINUTE_MS: '1000' })));
afterAll(() => harness.stop());

const texts = async (channel: PublishingChannel): Promise<string[]> =>
  (await channel.readWall()).map(({ text }) => text);
/** Makes the network accept the next post and lose its answer. */
const loseAnswer = (channel: PublishingChannel, method: string): Promise<void> =>
  channel.network.addFault({ mode: 'accept_then_drop', method, channel: channel.chat });
const loseCall = (channel: PublishingChannel, method: string, delay_ms = 0): Promise<void> =>
  channel.network.addFault({ mode: 'drop_before_accepting', method, channel: channel.chat, delay_ms });

const POST = { max: 'POST /messages', vk: 'wall.post', ok: 'mediatopic.post', telegram: 'sendMessage' };
const LOOK_UP = { max: 'GET /messages', vk: 'wall.get' };

describe('a send in doubt (D-25) on a network with a look-up', () => {
  it.concurrent.each(['max', 'vk'] as const)('%s: is found and published once, in one attempt', async (platform) => {
    const channel = await harness.createChannel(platform);
    await loseAnswer(channel, POST[platform]);
    const [first, next] = [await channel.publish({ text: 'first' }), await channel.publish({ text: 'next' })];
    const { attempts, message_ids } = await channel.waitForState(first, 'published');
    expect(attempts).toMatchObject([{ outcome: 'published', error: null }]);
    await channel.waitForState(next, 'published');
    expect(await texts(channel)).toEqual(['first', 'next']);
    expect(message_ids).toEqual([(await channel.readWall())[0]!.message_id]);
  });

  it.concurrent(
    'is sent again if the network confirms that it is not there, although an older post has the same text',
    async () => {
      const onNetwork = async (platform: 'max' | 'vk'): Promise<void> => {
        const channel = await harness.createChannel(platform);
        const older = await channel.waitForState(await channel.publish({ text: 'the same' }), 'published');
        await loseCall(channel, POST[platform]);
        const id = await channel.publish({ text: 'the same' });
        const { attempts, message_ids } = await channel.waitForState(id, 'published');
        expect(attempts).toMatchObject([{ outcome: 'postponed' }, { outcome: 'published' }]);
        expect(attempts[0]!.error).toMatchObject({ code: 'connection_lost', category: 'network' });
        const wall = await channel.readWall();
        expect(wall.map(({ text }) => text)).toEqual(['the same', 'the same']);
        expect([older.message_ids, message_ids]).toEqual(wall.map(({ message_id }) => [message_id]));
      };
      await Promise.all([onNetwork('max'), onNetwork('vk')]);
    },
  );

  it.concurrent('is not sent again because the first look-up comes before the network shows it', async () => {
    const channel = await harness.createChannel('max');
    await loseAnswer(channel, POST.max);
    const nothing = { mode: 'answer', status: 200, body: { messages: [] } } as const;
    await channel.network.addFault({ ...nothing, method: LOOK_UP.max, channel: channel.chat });
    const { attempts } = await channel.waitForState(await channel.publish({ text: 'once' }), 'published');
    expect(attempts).toMatchObject([{ outcome: 'published', error: null }]);
    expect(await texts(channel)).toEqual(['once']);
  });

  it.concurrent('keeps its attempt open and its channel held while the look-up fails', async () => {
    const channel = await harness.createChannel('max');
    await loseAnswer(channel, POST.max);
    // Three failures last until 15 s after the send: time enough to see that it is open, also on a busy machine.
    await channel.network.addFault({
      mode: 'answer',
      status: 503,
      method: LOOK_UP.max,
      channel: channel.chat,
      times: 3,
    });
    const [first, next] = [await channel.publish({ text: 'first' }), await channel.publish({ text: 'next' })];
    await channel.waitUntil(first, 'is open', ({ state }) => state === 'publishing');
    await channel.waitUntil(next, 'waits', ({ waiting_for }) => waiting_for?.rule === 'earlier_publication');
    await channel.waitForState(next, 'published');
    expect(await texts(channel)).toEqual(['first', 'next']);
    expect((await channel.readPublication(first)).attempts).toHaveLength(1);
  });

  it.concurrent('stays in doubt if the network does not allow the look-up; its owner can send it again', async () => {
    const channel = await harness.createChannel('max');
    await loseAnswer(channel, POST.max);
    await channel.network.addFault({ mode: 'answer', status: 403, method: LOOK_UP.max, channel: channel.chat });
    const id = await channel.publish({ text: 'unknown' });
    const { id: publication } = await channel.waitForState(id, 'in_doubt');
    await harness.gateway.manage('POST', `/publications/${publication}/resend`);
    await channel.waitForState(id, 'published');
    expect(await texts(channel)).toEqual(['unknown', 'unknown']);
  });

  it.concurrent('applies its pauses before its success is recorded', async () => {
    const channel = await harness.createChannel('max');
    await loseAnswer(channel, POST.max);
    const id = await channel.publish({ text: 'ad', ad_pause_minutes: 5, ad_target_pause_minutes: 5 });
    const { id: publication } = await channel.waitForState(id, 'published');
    const success = (await harness.gateway.readEvents(`publication-${publication}`)).at(-1)!;
    for (const stream of [`channelPause-${channel.channelId}`, `projectPause-${channel.projectId}`]) {
      const [pause] = await harness.gateway.readEvents(stream);
      expect(pause!.position).toBeLessThan(success.position);
    }
  });
});

describe('a send in doubt on a network with idempotency keys', () => {
  it.concurrent('is sent again with its key and appears once', async () => {
    const channel = await harness.createChannel('vk', {
      credentials: { access_token: VK_COMMUNITY_TOKEN, upload_token: undefined },
    });
    await loseAnswer(channel, POST.vk);
    const id = await channel.publish({ text: 'once' });
    const { attempts } = await channel.waitForState(id, 'published');
    expect(attempts).toHaveLength(1);
    expect(await texts(channel)).toEqual(['once']);
    const { items } = await channel.network.listCalls({ method: POST.vk });
    const guids = items.filter((call) => call.channel === channel.chat).map(({ request }) => request['guid']);
    expect(guids).toHaveLength(2);
    expect(new Set(guids).size).toBe(1);
  });
});

describe('a send in doubt while its channel is paused', () => {
  it.concurrent('waits for the end of the pause and is then sent again with its key', async () => {
    const channel = await harness.createChannel('vk', {
      credentials: { access_token: VK_COMMUNITY_TOKEN, upload_token: undefined },
    });
    // The call breaks late, and the pause is longer, so that it begins before the send is repeated.
    await loseCall(channel, POST.vk, 15_000);
    const id = await channel.publish({ text: 'once' });
    await channel.waitUntil(id, 'is open', ({ state }) => state === 'publishing');
    expect((await channel.endpoint.post('temp-pause', { target_minutes: 18 })).status).toBe(200);
    const { attempts } = await channel.waitForState(id, 'published');
    expect(attempts).toHaveLength(1);
    expect(await texts(channel)).toEqual(['once']);
    const [pause] = await harness.gateway.readEvents(`channelPause-${channel.channelId}`);
    const success = (await harness.gateway.readEvents(`publication-${(await channel.readPublication(id)).id}`)).at(-1)!;
    expect((success.data as { at: number }).at).toBeGreaterThan((pause!.data as { until: number }).until);
  });
});

describe('a send in doubt while its channel is disabled', () => {
  it.concurrent('is sent again with its key only once the channel is enabled', async () => {
    const channel = await harness.createChannel('vk', {
      credentials: { access_token: VK_COMMUNITY_TOKEN, upload_token: undefined },
    });
    const enable = (enabled: boolean) => harness.gateway.manage('PATCH', `/channels/${channel.channelId}`, { enabled });
    await loseCall(channel, POST.vk, 8_000);
    const id = await channel.publish({ text: 'once' });
    await channel.waitUntil(id, 'is open', ({ state }) => state === 'publishing');
    await enable(false);
    await sleep(14_000); // the first attempts to send it again come two and five seconds after the call breaks
    expect(await texts(channel)).toEqual([]);
    await enable(true);
    const { attempts } = await channel.waitForState(id, 'published');
    expect(attempts).toHaveLength(1);
    expect(await texts(channel)).toEqual(['once']);
  });
});

/** Number of look-ups that fail: five take 45 s, and the next follows after two minutes. */
const FAILED_LOOK_UPS = process.env.TEST_LONG ? 5 : 2;

describe('a send in doubt while the network is down', () => {
  it.concurrent.each(['max', 'vk'] as const)(
    '%s: is resolved when the network is back, and the order is kept',
    async (platform) => {
      const channel = await harness.createChannel(platform);
      const fault = { channel: channel.chat, mode: 'answer', status: 503 } as const;
      await loseAnswer(channel, POST[platform]);
      await channel.network.addFault({ ...fault, method: LOOK_UP[platform], times: FAILED_LOOK_UPS });
      const [first, next] = [await channel.publish({ text: 'first' }), await channel.publish({ text: 'next' })];
      await channel.waitForState(next, 'published');
      expect((await channel.readPublication(first)).attempts).toMatchObject([{ outcome: 'published' }]);
      expect(await texts(channel)).toEqual(['first', 'next']);
    },
    300_000,
  );
});

describe('a send in doubt on a network with neither look-up nor keys', () => {
  it.concurrent.each(['ok', 'telegram'] as const)(
    '%s: waits for the owner’s decision and does not hold back later posts',
    async (platform) => {
      const channel = await harness.createChannel(platform);
      await loseAnswer(channel, POST[platform]);
      const [first, next] = [await channel.publish({ text: 'first' }), await channel.publish({ text: 'next' })];
      await channel.waitForState(next, 'published');
      expect((await channel.readPublication(first)).state).toBe('in_doubt');
      expect(await texts(channel)).toEqual(['first', 'next']);
    },
  );

  it.concurrent('is sent again automatically on a channel with `on_doubt: resend`', async () => {
    const channel = await harness.createChannel('ok', { settings: { on_doubt: 'resend' } });
    await loseAnswer(channel, POST.ok);
    const id = await channel.publish({ text: 'twice if need be' });
    const { attempts } = await channel.waitForState(id, 'published');
    expect(attempts).toMatchObject([{ outcome: 'postponed' }, { outcome: 'published' }]);
    expect(await texts(channel)).toEqual(['twice if need be', 'twice if need be']);
  });
});
