import { until } from '../../e2e/until.js';
import { GatewayHarness, type Platform, type PublishingChannel } from './gateway-harness.js';

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
    await until('its channel is flagged', async () => (await readStatus(channel)) === 'needs_attention');
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

  it('that is replaced while the network refuses it fails no post, which is sent with the new one', async () => {
    const channel = await harness.createChannel('telegram');
    const refusal = { mode: 'answer', method: 'sendMessage', status: 401, delay_ms: 5_000 } as const;
    await channel.network.addFault({ ...refusal, channel: channel.chat });
    const id = await channel.publish({ text: 'a' });
    await channel.waitUntil(id, 'is under way', ({ state }) => state === 'publishing');
    const credentials = { bot_token: `2000:${'n'.repeat(35)}`, chat_id: channel.chat };
    await harness.gateway.manage('PATCH', `/channels/${channel.channelId}`, { credentials });
    const { attempts } = await channel.waitUntil(id, 'has ended', ({ state }) => /^(published|failed)$/.test(state));
    expect(attempts).toMatchObject([
      { outcome: 'postponed', error: { code: 'unauthorized', category: 'credentials' } },
      { outcome: 'published' },
    ]);
  });

  it('holds the queue while the schedule is behind, too', async () => {
    const channel = await harness.createChannel('telegram');
    await refuse(channel, 1);
    await waitsForAttention(channel, await channel.publish({ text: 'a' }));
    await harness.gateway.pool.query(
      'update publish_schedule.channel set attention_until = 0, next_due = 0 where channel_id = $1',
      [channel.channelId],
    );
    // Each post on another channel is published only after a claim of all due channels.
    const other = await harness.createChannel('telegram');
    for (const text of ['1', '2', '3']) await other.waitForState(await other.publish({ text }), 'published');
    expect(await channel.readWall()).toEqual([]);
  });

  it('fails all held posts after 24 hours', async () => {
    const channel = await harness.createChannel('telegram');
    await refuse(channel);
    const ids = [await channel.publish({ text: 'a' }), await channel.publish({ text: 'b' })];
    for (const id of ids) await waitsForAttention(channel, id);
    ahead += 23 * HOUR; // not so close to the end that a busy machine reaches it before the next lines
    const late = await channel.publish({ text: 'late' });
    await waitsForAttention(channel, late);
    ahead += HOUR + 1_000;
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

/** Controls of each network's stand-in that remove the bot or token from a chat, and restore it. */
const REMOVALS: readonly {
  readonly platform: Platform;
  readonly what: string;
  readonly code: string;
  readonly words: RegExp;
  readonly control: string;
  readonly removed: (chat: string) => object;
  readonly restored: (chat: string) => object;
}[] = [
  ...(
    [
      ['kicked', 'forbidden', /bot was kicked from the channel chat/],
      ['missing', 'chat_not_found', /chat not found/],
      ['no_rights', 'no_right_to_post', /need administrator rights/],
    ] as const
  ).map(([state, code, words]) => ({
    platform: 'telegram' as const,
    what: state,
    code,
    words,
    control: 'chats',
    removed: (chat_id: string) => ({ chat_id, state }),
    restored: (chat_id: string) => ({ chat_id, state: 'member' }),
  })),
  {
    platform: 'vk',
    what: 'no editor',
    code: 'access_denied',
    words: /Access denied/,
    control: 'groups',
    removed: (group_id) => ({ group_id, error_code: 15, error_msg: 'Access denied: user should be group editor' }),
    restored: (group_id) => ({ group_id, error_code: null }),
  },
  {
    platform: 'max',
    what: 'missing',
    code: 'chat_not_found',
    words: /chat\.not\.found/,
    control: 'chats',
    removed: (chat_id) => ({ chat_id, state: 'missing' }),
    restored: (chat_id) => ({ chat_id, state: 'admin' }),
  },
  {
    platform: 'ok',
    what: 'no member',
    code: 'access_denied',
    words: /ACCESS_DENIED/,
    control: 'groups',
    removed: (group_id) => ({ group_id, error_code: 50, error_msg: 'ACCESS_DENIED' }),
    restored: (group_id) => ({ group_id, error_code: null }),
  },
];

describe('a channel in which the network lets no one post (D-50)', () => {
  it.each(REMOVALS)(
    'on $platform ($what) waits, says what to do, and posts in order after a retry',
    async ({ platform, code, words, control, removed, restored }) => {
      const channel = await harness.createChannel(platform);
      const path = `/channels/${channel.channelId}`;
      await channel.network.request('POST', control, removed(channel.chat));
      const ids = [await channel.publish({ text: 'a' }), await channel.publish({ text: 'b' })];
      for (const id of ids) {
        // The rule and the network's words come from two read models.
        const { waiting_for } = await channel.waitUntil(
          id,
          'waits for a person, with the words of the network',
          ({ waiting_for }) => waiting_for?.rule === 'needs_attention' && words.test(waiting_for.text),
        );
        expect(waiting_for?.text).toContain(`POST /manage/v1${path}/retry`);
      }
      const { status, attention } = await harness.gateway.manage('GET', path);
      expect({ status, attention }).toMatchObject({
        status: 'needs_attention',
        attention: {
          code,
          message: expect.any(String),
          platform_says: expect.stringMatching(words),
          since: expect.stringMatching(/^\d{4}-.*Z$/),
          actions: expect.arrayContaining([
            expect.objectContaining({ code: 'retry', call: `POST /manage/v1${path}/retry` }),
          ]),
        },
      });

      // A retry before the cause is removed is refused again, and holds the queue as before.
      expect((await harness.gateway.callManagement('POST', `${path}/retry`, {})).status).toBe(200);
      await channel.waitUntil(ids[0]!, 'was tried again', ({ attempts }) => attempts.length === 2);
      for (const id of ids) await waitsForAttention(channel, id);

      await channel.network.request('POST', control, restored(channel.chat));
      const retried = await harness.gateway.callManagement('POST', `${path}/retry`, {});
      expect(retried).toMatchObject({ status: 200, body: { status: 'ok', attention: null } });
      for (const id of ids) await channel.waitForState(id, 'published');
      expect((await channel.readWall()).map(({ text }) => text)).toEqual(['a', 'b']);
      expect(await harness.readEventTypes(`channel-${channel.channelId}`)).toEqual([
        'ChannelConnected',
        ...['ChannelNeedsAttention', 'ChannelAttentionCleared', 'ChannelNeedsAttention', 'ChannelAttentionCleared'],
      ]);
    },
  );

  it('is found by its status, and cannot be retried in any other', async () => {
    const owner_id = await harness.gateway.createOwner();
    const [well, ill, off] = [
      await harness.createChannel('telegram', { owner_id }),
      await harness.createChannel('telegram', { owner_id }),
      await harness.createChannel('telegram', { owner_id }),
    ];
    await ill.network.request('POST', 'chats', { chat_id: ill.chat, state: 'missing' });
    await waitsForAttention(ill, await ill.publish({ text: 'a' }));
    await harness.gateway.manage('PATCH', `/channels/${off.channelId}`, { enabled: false });
    for (const [status, { channelId }] of [
      ['ok', well],
      ['needs_attention', ill],
      ['disabled', off],
    ] as const) {
      const { items } = await harness.gateway.manage('GET', `/channels?owner_id=${owner_id}&status=${status}`);
      expect(items.map(({ id }: { id: string }) => id)).toEqual([channelId]);
    }
    const retry = ({ channelId }: PublishingChannel) =>
      harness.gateway.callManagement('POST', `/channels/${channelId}/retry`, {});
    expect(await retry(well)).toMatchObject({ status: 409, body: { code: 'nothing_to_retry' } });
    expect(await retry(off)).toMatchObject({ status: 409, body: { code: 'channel_disabled' } });
    expect(await harness.gateway.callManagement('GET', '/channels?status=ill')).toMatchObject({
      status: 422,
      body: { errors: [expect.stringContaining('status must be ok, needs_attention or disabled')] },
    });
  });

  it('is retried once by requests with one Idempotency-Key', async () => {
    const channel = await harness.createChannel('telegram');
    const path = `/channels/${channel.channelId}/retry`;
    await refuse(channel, 1);
    await waitsForAttention(channel, await channel.publish({ text: 'a' }));
    const retry = () => harness.gateway.callManagement('POST', path, {}, { 'idempotency-key': 'once' });
    const first = await retry();
    expect(first.status).toBe(200);
    expect((await retry()).body).toEqual(first.body);
  });
});
