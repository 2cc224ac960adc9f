import { GatewayHarness, type Platform, VK_COMMUNITY_TOKEN } from '../../sagas/publish-due-posts/gateway-harness.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly platform_says: string | null;
}

/** A change on a network's stand-in, and the check that fails because of it. */
interface Case {
  readonly platform: Platform;
  readonly what: string;
  readonly control: readonly [path: string, body: (chat: string) => object];
  readonly check: string;
  readonly message: RegExp;
  /** The network's own words; null if it did not refuse the call. */
  readonly says: RegExp | null;
}

const BOT_TOKEN = `1000:${'t'.repeat(35)}`;
const OK_TOKEN = '-s-84W-s3egarWUsbkq-IWTucuedzTKT8VUXIA.s4Xx8IW7';

/** Rows of one network: description, control, failing check, its message and the network's words. */
const on =
  (platform: Platform) =>
  (
    what: string,
    path: string,
    body: (chat: string) => object,
    check: string,
    message: RegExp,
    says: RegExp | null,
  ): Case => ({ platform, what, control: [path, body], check, message, says });

const telegram = on('telegram');
const vk = on('vk');
const max = on('max');
const ok = on('ok');
const CASES: readonly Case[] = [
  telegram('removed', 'chats', (chat_id) => ({ chat_id, state: 'kicked' }), 'chat', /add it to the chat/, /kicked/),
  telegram('no chat', 'chats', (chat_id) => ({ chat_id, state: 'missing' }), 'chat', /check chat_id/, /chat not found/),
  telegram('no right', 'chats', (chat_id) => ({ chat_id, state: 'no_rights' }), 'rights', /without the right/, null),
  vk(
    'no community',
    'groups',
    (group_id) => ({ group_id, state: 'missing' }),
    'chat',
    /check group_id/,
    /Invalid group/,
  ),
  vk(
    'no editor',
    'groups',
    (group_id) => ({ group_id, state: 'not_manager' }),
    'rights',
    /make the user an editor/,
    null,
  ),
  max('removed', 'chats', (chat_id) => ({ chat_id, state: 'removed' }), 'chat', /administrator/, /chat\.denied/),
  max('no chat', 'chats', (chat_id) => ({ chat_id, state: 'missing' }), 'chat', /check chat_id/, /chat\.not\.found/),
  max('no right', 'chats', (chat_id) => ({ chat_id, state: 'denied' }), 'rights', /not an administrator/, null),
  ok('no group', 'groups', (group_id) => ({ group_id, state: 'missing' }), 'chat', /check group_id/, null),
  ok('no place', 'groups', (group_id) => ({ group_id, state: 'no_member' }), 'rights', /make it a moderator/, null),
];

/** What networks do not offer, which does not count for the test. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['telegram statistics', 'ok edit']);

describe('the test of a channel (management-api.md: POST /channels/{id}/test)', () => {
  let harness: GatewayHarness;
  let owner: string;
  beforeAll(async () => {
    harness = await GatewayHarness.start();
    owner = await harness.gateway.createOwner();
  });
  afterAll(() => harness.stop());

  const post = (path: string, body: object = {}, headers?: Record<string, string>) =>
    harness.gateway.callManagement('POST', path, body, headers);
  const test = async (channelId: string): Promise<{ readonly ok: boolean; readonly checks: readonly Check[] }> => {
    const { status, body } = await post(`/channels/${channelId}/test`);
    expect(status).toBe(200);
    return body;
  };
  const create = (platform: Platform, credentials: object, headers?: Record<string, string>) =>
    post('/channels', { owner_id: owner, platform, name: 'Tested', credentials }, headers);
  const onTelegram = (chat_id: string, bot_token = BOT_TOKEN) => create('telegram', { bot_token, chat_id });

  it.each([
    ['telegram', ['credentials', 'chat', 'rights', 'withdraw', 'edit', 'statistics']],
    ['vk', ['credentials', 'chat', 'rights', 'uploads', 'withdraw', 'edit', 'statistics']],
    ['max', ['credentials', 'chat', 'rights', 'withdraw', 'edit', 'statistics']],
    ['ok', ['credentials', 'chat', 'rights', 'withdraw', 'edit', 'statistics']],
  ] as const)('names who posts and where, without posting: %s', async (platform, names) => {
    const channel = await harness.createChannel(platform, { owner_id: owner });
    const { ok, checks } = await test(channel.channelId);
    expect({ ok, names: checks.map(({ name }) => name) }).toEqual({ ok: true, names });
    expect(checks).toEqual(
      names.map((name) => ({
        name,
        ok: !UNAVAILABLE.has(`${platform} ${name}`),
        message: expect.stringMatching(/^[A-Z].*\.$/),
        platform_says: null,
      })),
    );
    expect(await channel.readWall()).toEqual([]);
  });

  it('says what cannot be changed after publishing, which does not concern posts', async () => {
    const [max, vk, vkOfUser] = await Promise.all([
      harness.createChannel('max', { owner_id: owner }),
      harness.createChannel('vk', { owner_id: owner, credentials: { upload_token: undefined } }),
      harness.createChannel('vk', {
        owner_id: owner,
        credentials: { access_token: 'vk1.a.user-token', upload_token: undefined },
      }),
    ]);
    const changes = async (channelId: string) => {
      const { ok, checks } = await test(channelId);
      expect(ok).toBe(true);
      return checks.filter(({ name }) => name === 'withdraw' || name === 'edit');
    };
    await max.network.request('POST', 'chats', { chat_id: max.chat, may_delete: false, may_edit: false });
    expect(await changes(max.channelId)).toMatchObject([
      { name: 'withdraw', ok: false, message: expect.stringContaining('right to delete') },
      { name: 'edit', ok: false, message: expect.stringContaining('right to edit') },
    ]);
    expect(await changes(vk.channelId)).toMatchObject([
      { name: 'withdraw', ok: false, message: expect.stringContaining('upload_token') },
      { name: 'edit', ok: false, message: expect.stringContaining('upload_token') },
    ]);
    expect(await changes(vkOfUser.channelId)).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it.each(CASES)('finds on $platform: $what', async ({ platform, control: [path, body], check, message, says }) => {
    const change = platform === 'vk' ? { credentials: { access_token: 'vk1.a.user-token' } } : {};
    const channel = await harness.createChannel(platform, { owner_id: owner, ...change });
    await channel.network.request('POST', path, body(channel.chat));
    const { ok, checks } = await test(channel.channelId);
    expect(ok).toBe(false);
    const failed = checks.filter(({ name, ok: isOk }) => !isOk && name !== 'statistics');
    expect(failed).toEqual([
      {
        name: check,
        ok: false,
        message: expect.stringMatching(message),
        platform_says: says === null ? null : expect.stringMatching(says),
      },
    ]);
  });

  it.each([
    ['telegram', { token: BOT_TOKEN, revoked: true }, { token: BOT_TOKEN, revoked: false }, 'credentials', /BotFather/],
    [
      'vk',
      { token: VK_COMMUNITY_TOKEN, kind: 'revoked' },
      { token: VK_COMMUNITY_TOKEN, kind: 'community' },
      'credentials',
      /new one/,
    ],
    [
      'vk',
      { token: VK_COMMUNITY_TOKEN, wall: false },
      { token: VK_COMMUNITY_TOKEN, wall: true },
      'rights',
      /right to post on the wall/,
    ],
    [
      'max',
      { token: 'max-token', revoked: true },
      { token: 'max-token', revoked: false },
      'credentials',
      /current one/,
    ],
    ['ok', { token: OK_TOKEN, state: 'expired' }, { token: OK_TOKEN, state: 'valid' }, 'credentials', /new one/],
  ] as const)('finds a refused token: %s %p', async (platform, taken, given, name, message) => {
    const channel = await harness.createChannel(platform, { owner_id: owner });
    await channel.network.request('POST', 'tokens', taken);
    const { ok, checks } = await test(channel.channelId);
    await channel.network.request('POST', 'tokens', given);
    expect(ok).toBe(false);
    expect(checks.find((one) => !one.ok)).toMatchObject({ name, message: expect.stringMatching(message) });
    expect(await test(channel.channelId)).toMatchObject({ ok: true });
  });

  it('runs at creation and refuses nothing: a token that cannot be one', async () => {
    const { status, body } = await onTelegram('-100200', 'abc');
    expect({ status, test: body.test, warnings: body.warnings }).toEqual({
      status: 201,
      test: {
        ok: false,
        checks: [
          {
            name: 'credentials',
            ok: false,
            platform_says: null,
            message: 'This is not a bot token: set the token that @BotFather issued, such as 123456:ABC-DEF….',
          },
        ],
      },
      warnings: [],
    });
    // A PATCH with credentials tests the channel as well; one without credentials does not.
    const credentials = { bot_token: BOT_TOKEN, chat_id: '-100200' };
    const patch = (change: object) => harness.gateway.manage('PATCH', `/channels/${body.id}`, change);
    expect(await patch({ credentials })).toMatchObject({ test: { ok: true }, warnings: [] });
    expect(await patch({ name: 'Renamed' })).not.toHaveProperty('test');
  });

  it('answers a repeat with an Idempotency-Key with the same body, whatever has changed since', async () => {
    const key = { 'idempotency-key': 'create-once' };
    const credentials = { bot_token: BOT_TOKEN, chat_id: '-100201' };
    const first = await create('telegram', credentials, key);
    expect(first).toMatchObject({ status: 201, body: { test: { ok: true } } });
    await harness.controls.telegram.request('POST', 'chats', { chat_id: '-100201', state: 'missing' });
    expect((await create('telegram', credentials, key)).body).toEqual(first.body);
    expect(await test(first.body.id)).toMatchObject({ ok: false });
  });

  it('warns of the owner’s other channels in the same chat, and of no one else’s', async () => {
    const first = await onTelegram('@Same_Chat');
    const other = await harness.gateway.createOwner();
    const credentials = { bot_token: '2000:other', chat_id: '@same_chat' };
    const elsewhere = { owner_id: other, platform: 'telegram', name: 'Foreign', credentials };
    expect((await post('/channels', elsewhere)).body.warnings).toEqual([]);
    const second = await onTelegram('@same_chat', '3000:another-bot');
    expect(second.status).toBe(201);
    expect(second.body.warnings).toEqual([
      { code: 'same_chat', channel_id: first.body.id, message: expect.stringContaining('"Tested"') },
    ]);
    // VK's address also says whether there is a second token; the community is the same with and without it.
    const community = { access_token: VK_COMMUNITY_TOKEN, group_id: '4711' };
    const plain = await create('vk', community);
    const withUploads = await create('vk', { ...community, upload_token: 'vk1.a.user' });
    expect(withUploads.body.warnings).toMatchObject([{ channel_id: plain.body.id }]);
  });

  it.each([
    ['does not answer', { mode: 'hang' }, /did not answer in time/],
    ['breaks the connection off', { mode: 'drop_before_accepting' }, /did not answer the call/],
    ['answers with a page of a proxy', { mode: 'answer', status: 502, body: '<p>Bad gateway</p>' }, /cannot be read/],
  ] as const)('does not hold the creation up if the network %s', async (_, fault, message) => {
    await harness.controls.telegram.addFault({ ...fault, method: 'getMe' });
    const { status, body } = await onTelegram('-100202');
    expect({ status, ok: body.test.ok }).toEqual({ status: 201, ok: false });
    expect(body.test.checks).toMatchObject([{ name: 'credentials', message: expect.stringMatching(message) }]);
    await harness.controls.telegram.clearFaults();
  });

  it('never shows a credential that the network repeats', async () => {
    const secret = '1000:a-secret-that-is-never-shown';
    const echo = { ok: false, error_code: 401, description: `Unauthorized: ${secret}` };
    await harness.controls.telegram.addFault({ mode: 'answer', status: 401, body: echo, method: 'getMe' });
    const { body } = await onTelegram('-100203', secret);
    expect(body.test).toMatchObject({ ok: false, checks: [{ platform_says: 'Unauthorized: ***' }] });
    expect(JSON.stringify(body)).not.toContain(secret);
  });
});
