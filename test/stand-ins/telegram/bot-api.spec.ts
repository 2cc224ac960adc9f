import { callBot, fetchBot, startStandIn, TOKEN } from './stand-in.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  telegram = await startStandIn({ chats: [{ id: '-1009876543210', title: 'Harbour News', username: 'harbour' }] });
});
afterEach(() => telegram.stop());

const text = 'x';

describe('the Bot API', () => {
  it('returns its bot and its chats', async () => {
    expect((await telegram.call('getMe', {})).body.result).toMatchObject({ id: 123456, is_bot: true });
    const byName = (await telegram.call('getChat', { chat_id: '@HARBOUR' })).body.result;
    expect(byName).toMatchObject({ id: -1009876543210, type: 'channel', title: 'Harbour News', username: 'harbour' });
    expect((await telegram.call('getChat', { chat_id: -1009876543210 })).body.result).toEqual(byName);
  });

  it('numbers the messages of a chat in one sequence, whether it is addressed by id or name', async () => {
    const first = await telegram.call('sendMessage', { chat_id: '@harbour', text });
    const second = await telegram.call('sendMessage', { chat_id: '-1009876543210', text });
    expect([first.body.result.message_id, second.body.result.message_id]).toEqual([1, 2]);
    expect(await telegram.control.readLedger({ channel: '@Harbour' })).toHaveLength(2);
  });

  it.each([
    ['/', 404, 'Not Found'],
    [`/bot${TOKEN}`, 404, 'Not Found'],
    [`/bot${TOKEN}/sendPoll`, 404, 'Not Found: method not found'],
    ['/botnonsense/getMe', 401, 'Unauthorized: invalid token specified'],
    ['/bot:ABC/getMe', 401, 'Unauthorized: invalid token specified'],
  ])('answers %s with %i', async (path, status, description) => {
    const answer = await fetchBot(telegram.url + path);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ ok: false, error_code: status, description });
  });

  it('rejects a revoked token and accepts it when it is valid again', async () => {
    await telegram.control.request('POST', 'tokens', { token: TOKEN });
    expect((await telegram.call('getMe', {})).body).toEqual({
      ok: false,
      error_code: 401,
      description: 'Unauthorized',
    });
    expect((await callBot(telegram.url, 'getMe', {}, '7:other')).status).toBe(200);
    await telegram.control.request('POST', 'tokens', { token: TOKEN, revoked: false });
    expect((await telegram.call('getMe', {})).status).toBe(200);
  });

  it.each([
    ['', 'Bad Request: chat_id is empty'],
    ['nonsense', 'Bad Request: chat not found'],
    ['@1abc', 'Bad Request: chat not found'],
    ['0', 'Bad Request: chat not found'],
  ])('finds no chat for the address %p', async (chat_id, description) => {
    expect((await telegram.call('sendMessage', { chat_id, text })).body).toMatchObject({
      error_code: 400,
      description,
    });
  });

  it.each([
    ['-1001', { state: 'missing' }, 400, 'Bad Request: chat not found'],
    ['-1001', { state: 'kicked' }, 403, 'Forbidden: bot was kicked from the channel chat'],
    ['-1001', { state: 'left' }, 403, 'Forbidden: bot is not a member of the channel chat'],
    ['-55', { state: 'kicked' }, 403, 'Forbidden: bot was kicked from the group chat'],
    ['-1001', { state: 'no_rights' }, 400, 'Bad Request: need administrator rights in the channel chat'],
  ])(
    'rejects messages to chat %s in the state %p until it is a member again',
    async (chat_id, change, status, description) => {
      await telegram.control.request('POST', 'chats', { chat_id, ...change });
      const rejected = await telegram.call('sendMessage', { chat_id, text });
      expect([rejected.status, rejected.body.description]).toEqual([status, description]);
      expect(await telegram.control.readLedger()).toEqual([]);
      await telegram.control.request('POST', 'chats', { chat_id, state: 'member' });
      expect((await telegram.call('sendMessage', { chat_id, text })).status).toBe(200);
    },
  );

  it('returns the new id of a group that became a supergroup', async () => {
    await telegram.control.request('POST', 'chats', { chat_id: '-4321', migrated_to: -1004321 });
    expect((await telegram.call('sendMessage', { chat_id: '-4321', text })).body).toEqual({
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1004321 },
    });
  });

  it('rejects a body that does not match its content type', async () => {
    const post = (type: string, body: string | Buffer) =>
      fetchBot(`${telegram.url}/bot${TOKEN}/sendMessage`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
    expect((await post('application/json', '{"text":')).body.description).toBe("Bad Request: can't parse JSON object");
    expect((await post('application/json', '[1]')).body.description).toBe('Bad Request: JSON object expected');
    expect((await post('multipart/form-data; boundary=x', 'nothing')).status).toBe(400);
    expect((await post('application/json', Buffer.from([0x22, 0xff]))).body.description).toBe(
      'Bad Request: strings must be encoded in UTF-8',
    );
    const tooLarge = await post('application/octet-stream', Buffer.alloc(53 * 1_048_576));
    expect(tooLarge.body).toMatchObject({ error_code: 413 });
  });
});

describe('flood control (networks.md §3)', () => {
  const send = (chat_id: string, token = TOKEN) => callBot(telegram.url, 'sendMessage', { chat_id, text }, token);

  it('is off by default', async () => {
    for (let n = 0; n < 30; n++) expect((await send('-1001')).status).toBe(200);
  });

  it('limits one chat, returns the wait, does not count rejected messages, and does not affect other chats', async () => {
    await telegram.control.request('POST', 'rate-limit', { chat_per_minute: 2 });
    for (const expected of [200, 200, 429]) expect((await send('-1001')).status).toBe(expected);
    const rejected = await send('-1001');
    const retry_after = Number(rejected.headers.get('retry-after'));
    expect(rejected.body).toEqual({
      ok: false,
      error_code: 429,
      description: `Too Many Requests: retry after ${retry_after}`,
      parameters: { retry_after },
    });
    expect((await send('-1002')).status).toBe(200);
    expect(await telegram.control.readLedger()).toHaveLength(3);
    await telegram.control.request('POST', 'rate-limit', { on: false });
    expect((await send('-1001')).status).toBe(200);
  });

  it('rejects unknown and invalid limits', async () => {
    await expect(telegram.control.request('POST', 'rate-limit', { per_year: 1 })).rejects.toThrow(
      'unknown rate limit per_year',
    );
    await expect(telegram.control.request('POST', 'rate-limit', { chat_per_minute: 0 })).rejects.toThrow('above 0');
  });
});
