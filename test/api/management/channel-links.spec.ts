import { GatewayHarness, type Platform } from '../../sagas/publish-due-posts/gateway-harness.js';

const CREDENTIALS: Readonly<Record<Platform, object>> = {
  telegram: { bot_token: `1000:${'t'.repeat(35)}` },
  vk: { access_token: 'vk1.a.user-token' },
  max: { access_token: 'max-token' },
  ok: {
    application_key: 'DEMODEMODEMODEMO',
    application_secret: 'DEMODEMODEMODEMODEMODEMO',
    access_token: '-s-84W-s3egarWUsbkq-IWTucuedzTKT8VUXIA',
  },
};
const FIELD: Readonly<Record<Platform, string>> = {
  telegram: 'chat_id',
  vk: 'group_id',
  max: 'chat_id',
  ok: 'group_id',
};

describe('a link in place of the id of a chat (ADR-400)', () => {
  let harness: GatewayHarness;
  let owner: string;
  beforeAll(async () => {
    harness = await GatewayHarness.start();
    owner = await harness.gateway.createOwner();
  });
  afterAll(() => harness.stop());

  const connect = (platform: Platform, chat: string, more: object = {}, headers?: Record<string, string>) => {
    const credentials = { ...CREDENTIALS[platform], [FIELD[platform]]: chat, ...more };
    const body = { owner_id: owner, platform, name: 'Linked', credentials };
    return harness.gateway.callManagement('POST', '/channels', body, headers);
  };

  it.each([
    ['telegram', 'https://t.me/acme_news/7', '@acme_news'],
    ['vk', 'https://vk.com/club220000009', '220000009'],
    ['vk', 'https://vk.com/harbour_news', '220000001'],
    ['vk', '@club220000009', '220000009'],
    ['max', 'https://web.max.ru/-70912345678902', '-70912345678902'],
    ['max', 'https://max.ru/harbour_news', '-70912345678901'],
    ['ok', 'https://ok.ru/group/70000000000002', '70000000000002'],
    ['ok', 'https://ok.ru/harbour.news', '70000000000001'],
  ] as const)('%s: %s is stored as %s', async (platform, link, id) => {
    const { status, body } = await connect(platform, link);
    expect({ status, address: body.address, ok: body.test?.ok }).toEqual({
      status: 201,
      address: { [FIELD[platform]]: id },
      ok: true,
    });
    // A correction takes links, too.
    const credentials = { ...CREDENTIALS[platform], [FIELD[platform]]: link };
    const changed = await harness.gateway.callManagement('PATCH', `/channels/${body.id}`, { credentials });
    expect(changed).toMatchObject({ status: 200, body: { address: { [FIELD[platform]]: id } } });
  });

  it.each([
    ['vk', 'VK knows no such name.'],
    ['max', 'MAX knows no such name.'],
    ['ok', 'OK knows no such name.'],
  ] as const)(
    '%s: a name that the network does not know is refused, and nothing is created',
    async (platform, reason) => {
      const host = { vk: 'vk.com', max: 'max.ru', ok: 'ok.ru' }[platform];
      const before = await harness.gateway.callManagement('GET', `/channels?owner_id=${owner}&limit=100`);
      const key = { 'idempotency-key': `unknown-${platform}` };
      const { status, body } = await connect(platform, `https://${host}/nosuchname`, {}, key);
      expect({ status, details: body.details }).toEqual({
        status: 422,
        details: [
          {
            path: `credentials.${FIELD[platform]}`,
            code: 'unknown_id',
            message: `The id of @nosuchname cannot be looked up. ${reason} Check the name and the credentials, or send the id instead.`,
          },
        ],
      });
      const after = await harness.gateway.callManagement('GET', `/channels?owner_id=${owner}&limit=100`);
      expect(after.body.items).toEqual(before.body.items);
    },
  );

  it('says that the credentials are wrong if that is why a name cannot be looked up', async () => {
    await harness.controls.vk.request('POST', 'tokens', { token: 'vk1.a.gone', kind: 'revoked' });
    const { status, body } = await connect('vk', 'vk.com/harbour_news', { access_token: 'vk1.a.gone' });
    expect(status).toBe(422);
    expect(body.details).toMatchObject([{ path: 'credentials.group_id', message: expect.stringMatching(/token/) }]);
  });

  it('answers in Russian', async () => {
    const { body } = await connect('vk', 'vk.com/nosuchname', {}, { 'accept-language': 'ru' });
    expect(body.details[0].message).toMatch(/^Не удаётся узнать номер @nosuchname\. VK не знает такого имени\./);
  });

  it.each([
    ['telegram', 'https://t.me/+AbCdEf'],
    ['telegram', 'https://example.com/acme'],
    ['vk', 'https://vk.com/id1'],
    ['vk', 'acme'],
    ['max', 'https://max.ru/join/AbC'],
    ['ok', 'https://ok.ru/profile/5700'],
  ] as const)('%s: refuses %s, which leads to no chat', async (platform, link) => {
    const { status, body } = await connect(platform, link);
    expect({ status, code: body.details?.[0]?.code }).toEqual({ status: 422, code: 'bad_form' });
    expect(body.details[0].message).toContain('or a link such as');
  });
});
