import {
  type Caller,
  createChannel,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { listProblems } from './problem-details.js';

const MINUTE = 60_000;

describe('channels', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let owner: TestOwner;
  let other: TestOwner;
  beforeAll(async () => {
    harness = await startHarness();
    operator = operatorCaller(harness);
    owner = await createOwner(harness);
    other = await createOwner(harness);
  });
  afterAll(() => harness.stop());

  const telegram = { platform: 'telegram', name: 'News', credentials: { bot_token: '1:secret', chat_id: -100123 } };

  describe('are connected with the credentials that the network requires, which are never shown again', () => {
    it.each([
      ['telegram', { bot_token: '1:secret', chat_id: '@acme_news' }, { chat_id: '@acme_news' }, { on_doubt: 'hold' }],
      ['telegram', { bot_token: '1:secret', chat_id: -1001234567890 }, { chat_id: '-1001234567890' }, {}],
      ['vk', { access_token: 'secret', group_id: 123 }, { group_id: '123' }, {}],
      [
        'vk',
        { access_token: 'secret', upload_token: 'secret-2', group_id: '123' },
        { group_id: '123', uploads: 'user_token' },
        {},
      ],
      ['max', { access_token: 'secret', chat_id: '-70912345678901' }, { chat_id: '-70912345678901' }, {}],
      [
        'ok',
        { application_key: 'K', application_secret: 'secret', access_token: 'secret', group_id: '55' },
        { group_id: '55' },
        { on_doubt: 'hold', buttons: 'link', text_limit: 5000 },
      ],
    ])('%s %j', async (platform, credentials, address, settings) => {
      const { body, text } = await owner.caller.post('/channels', { platform, name: 'N', credentials }).expect(201);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^tgt_[0-9a-f]{32}$/),
        owner_id: owner.id,
        platform,
        name: 'N',
        address,
        settings,
        status: 'ok',
        attention: null,
        paused_until: null,
        pause_source: null,
        waiting: 0,
        last_published_at: null,
      });
      expect(text).not.toContain('secret');
      const { body: read } = await owner.caller.get(`/channels/${body.id}`).expect(200);
      expect(body).toMatchObject(read);
      const [event] = await harness.running.infrastructure.store.readStream(`channel-${body.id}`);
      expect(event).toMatchObject({ type: 'ChannelConnected', data: expect.not.stringContaining('secret') });
    });
  });

  it.each([
    ['telegram', {}, ['credentials.bot_token: missing', 'credentials.chat_id: missing']],
    [
      'telegram',
      { bot_token: 'a b', chat_id: 'news' },
      ['credentials.bot_token: bad_credential', 'credentials.chat_id: bad_form'],
    ],
    ['telegram', { bot_token: 'x', chat_id: 2 ** 60 }, ['credentials.chat_id: wrong_type']],
    ['telegram', { bot_token: 'x', chat_id: 1, token: 'y' }, ['credentials.token: unknown_field']],
    ['telegram', 'secret', ['credentials: wrong_type']],
    ['vk', { access_token: 'x', group_id: -5 }, ['credentials.group_id: bad_form']],
    ['vk', { upload_token: 'x', group_id: 5 }, ['credentials.access_token: missing']],
    ['max', { access_token: 'x', chat_id: 'news' }, ['credentials.chat_id: bad_form']],
    [
      'ok',
      { access_token: 'x', group_id: '5' },
      ['credentials.application_key: missing', 'credentials.application_secret: missing'],
    ],
  ])('are not connected to %s with %j', async (platform, credentials, expected) => {
    const { body } = await owner.caller.post('/channels', { platform, name: 'N', credentials }).expect(422);
    expect(listProblems(body).sort()).toEqual([...expected].sort());
  });

  it.each([
    [{ ...telegram, platform: 'icq' }, ['platform: unknown_value']],
    [{ ...telegram, name: undefined, credentials: undefined }, ['name: missing', 'credentials: missing']],
    [{ ...telegram, settings: { buttons: 'link' } }, ['settings.buttons: not_on_platform']],
    [
      { ...telegram, settings: { text_limit: 100, on_dubt: 'hold' } },
      ['settings.on_dubt: unknown_field', 'settings.text_limit: not_on_platform'],
    ],
    [{ ...telegram, settings: { on_doubt: 'ask' } }, ['settings.on_doubt: unknown_value']],
    [{ ...telegram, setings: {} }, ['setings: unknown_field']],
  ])('are not connected with %j', async (sent, expected) => {
    expect(listProblems((await owner.caller.post('/channels', sent).expect(422)).body)).toEqual(expected);
  });

  it('belong to their owner, whom the operator names', async () => {
    const { body } = await operator.post('/channels', { ...telegram, owner_id: owner.id }).expect(201);
    expect(body).toMatchObject((await owner.caller.get(`/channels/${body.id}`).expect(200)).body);
    expect(listProblems((await operator.post('/channels', telegram).expect(422)).body)).toEqual(['owner_id: missing']);
    const ofUnknownOwner = { ...telegram, owner_id: 'own_00000000000000000000000000000000' };
    const { body: refused } = await operator.post('/channels', ofUnknownOwner).expect(422);
    expect(listProblems(refused)).toEqual(['owner_id: unknown_id']);
    expect(refused.details[0].message).toBe(
      `${JSON.stringify(ofUnknownOwner.owner_id)} does not exist or belongs to another owner`,
    );
    await owner.caller.post('/channels', { ...telegram, owner_id: owner.id }).expect(201);
    await owner.caller.post('/channels', { ...telegram, owner_id: other.id }).expect(404);
  });

  it('are not found by other owners', async () => {
    const { id } = await createChannel(owner);
    await other.caller.get(`/channels/${id}`).expect(404);
    await other.caller.patch(`/channels/${id}`, { name: 'Mine' }).expect(404);
    await other.caller.post(`/channels/${id}/pause`, { minutes: 1 }).expect(404);
    await other.caller.post(`/channels/${id}/resume`).expect(404);
    await other.caller.get(`/channels/${id}/receipts`).expect(404);
    expect((await operator.get(`/channels/${id}`).expect(200)).body).toMatchObject({
      name: 'News',
      paused_until: null,
    });
  });

  it('change their name, settings and credentials, and are disabled and enabled', async () => {
    const { id } = await createChannel(owner);
    const change = (body: object) => owner.caller.patch(`/channels/${id}`, body);
    expect((await change({ name: 'Other' }).expect(200)).body.name).toBe('Other');
    expect((await change({ settings: { on_doubt: 'resend' } }).expect(200)).body.settings).toEqual({
      on_doubt: 'resend',
      statistics: 'on',
    });
    const credentials = { bot_token: '2:other', chat_id: '@other' };
    expect((await change({ credentials }).expect(200)).body.address).toEqual({ chat_id: '@other' });
    expect((await change({ enabled: false }).expect(200)).body.status).toBe('disabled');
    const { body, headers } = await change({ enabled: true }).expect(200);
    expect(body).toMatchObject({ name: 'Other', settings: { on_doubt: 'resend' }, status: 'ok' });
    expect(headers['x-position']).toMatch(/^\d+$/);
    // A request that changes nothing writes no event.
    expect((await change({ enabled: true }).expect(200)).headers['x-position']).toBe(headers['x-position']);
    expect((await owner.caller.get(`/channels/${id}`)).body).toEqual(body);
  });

  it.each([
    [{ platform: 'vk' }, ['platform: unknown_field']],
    [{ enabled: 'yes' }, ['enabled: wrong_type']],
    [{ credentials: { bot_token: 'x' } }, ['credentials.chat_id: missing']],
    [{ settings: { text_limit: 5 } }, ['settings.text_limit: not_on_platform']],
    [{ settings: [] }, ['settings: wrong_type']],
  ])('are not changed by %j', async (change, expected) => {
    const { id } = await createChannel(owner);
    expect(listProblems((await owner.caller.patch(`/channels/${id}`, change).expect(422)).body)).toEqual(expected);
  });

  it('accept the settings of ok within its limits', async () => {
    const credentials = { application_key: 'K', application_secret: 'S', access_token: 'T', group_id: 1 };
    const sent = { platform: 'ok', name: 'OK', credentials, settings: { buttons: 'drop', text_limit: 100 } };
    const { body } = await owner.caller.post('/channels', sent).expect(201);
    const video = { video_upload: 'account', video_wait_seconds: 60, video_check_seconds: 5 };
    const defaults = { on_doubt: 'hold', statistics: 'on', ...video };
    expect(body.settings).toEqual({ ...defaults, buttons: 'drop', text_limit: 100 });
    const tooMuch = await owner.caller.patch(`/channels/${body.id}`, { settings: { text_limit: 15_896 } }).expect(422);
    expect(listProblems(tooMuch.body)).toEqual(['settings.text_limit: out_of_range']);
  });

  describe('a pause', () => {
    it('lasts for some minutes, is never shortened, and ends when the channel is resumed', async () => {
      const { id } = await createChannel(owner);
      const before = Date.now();
      const { body } = await owner.caller.post(`/channels/${id}/pause`, { minutes: 60 }).expect(200);
      const until = Date.parse(body.paused_until);
      expect(until).toBeGreaterThanOrEqual(before + 60 * MINUTE);
      expect(until).toBeLessThanOrEqual(Date.now() + 60 * MINUTE);
      expect(body).toMatchObject({ id, pause_source: 'management', status: 'ok' });

      const shorter = await owner.caller.post(`/channels/${id}/pause`, { minutes: 1 }).expect(200);
      expect(shorter.body).toEqual(body);
      const longer = await owner.caller.post(`/channels/${id}/pause`, { minutes: 120 }).expect(200);
      expect(Date.parse(longer.body.paused_until)).toBeGreaterThan(until);

      const resumed = await owner.caller.post(`/channels/${id}/resume`).expect(200);
      expect(resumed.body).toMatchObject({ paused_until: null, pause_source: null });
      expect((await owner.caller.get(`/channels/${id}`)).body).toEqual(resumed.body);
    });

    it('is not needed for a resume', async () => {
      const { id } = await createChannel(owner);
      const { body, headers } = await owner.caller.post(`/channels/${id}/resume`, {}).expect(200);
      expect(body.paused_until).toBeNull();
      expect(headers['x-position']).toBeUndefined(); // no event was written
    });

    it.each([
      [{}, ['minutes: missing']],
      [{ minutes: 0 }, ['minutes: out_of_range']],
      [{ minutes: 1441 }, ['minutes: out_of_range']],
      [{ minutes: 1.5 }, ['minutes: wrong_type']],
      [{ minutes: '5' }, ['minutes: wrong_type']],
      [{ minutes: 5, hours: 1 }, ['hours: unknown_field']],
    ])('is not started by %j', async (body, expected) => {
      const { id } = await createChannel(owner);
      expect(listProblems((await owner.caller.post(`/channels/${id}/pause`, body).expect(422)).body)).toEqual(expected);
    });
  });
});
