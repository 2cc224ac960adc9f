import {
  createEndpoint,
  createOwner,
  type ManagementHarness,
  OPERATOR_KEY,
  startHarness,
} from '../management/management-harness.js';

let harness: ManagementHarness;
beforeAll(async () => {
  harness = await startHarness({ CORS_ORIGINS: 'https://app.example.com' });
});
afterAll(() => harness.stop());

const call = async (
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ readonly headers: Headers; readonly body: Record<string, unknown> }> => {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(harness.url + path, {
    ...sent,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
};

const operator = { authorization: `Bearer ${OPERATOR_KEY}` };
const ru = { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' };

describe('Accept-Language (ADR-320)', () => {
  it('gives Russian sentences, with the same codes, paths and status', async () => {
    const english = await call('/manage/v1/owners', operator, { name: 7 });
    const russian = await call('/manage/v1/owners', { ...operator, ...ru }, { name: 7 });
    expect(english.body['errors']).toEqual([
      'name must be a string, not the number 7',
      'plan is missing: send one of free, mini, standard, pro, maxi, business',
    ]);
    expect(russian.body).toMatchObject({
      code: english.body['code'],
      errors: [
        'name должно быть: строка; получено: число 7',
        'plan отсутствует; нужно: одно из: free, mini, standard, pro, maxi, business',
      ],
      details: (english.body['details'] as { path: string; code: string }[]).map(({ path, code }) => ({ path, code })),
    });
    expect(russian.headers.get('content-language')).toBe('ru');
    expect(russian.headers.get('vary')).toBe('Origin, Accept-Language');
    expect(english.headers.get('content-language')).toBeNull();
    const named = await call('/manage/v1/owners', { ...operator, 'accept-language': 'de, en;q=0.8' }, { name: 7 });
    expect(named.body['errors']).toEqual(english.body['errors']);
    expect(named.headers.get('content-language')).toBe('en');
  });

  it('covers rejections by the gate, of unknown routes, and to a page of another origin', async () => {
    const { slug } = await createEndpoint(await createOwner(harness), []);
    const gate = await call(`/v1/webhooks/${slug}`, { ...ru, authorization: 'Bearer x' }, {});
    expect(gate.body['errors']).toEqual(['Нет доступа.']);
    const route = await call('/manage/v1/nothing', { ...ru, origin: 'https://app.example.com' });
    expect(route.body['errors']).toEqual(['Такого маршрута нет. Проверьте метод и путь.']);
    expect(route.headers.get('vary')).toBe('Origin, Accept-Language');
  });

  it('answers a repeated change in the language of each reader', async () => {
    const owner = await createOwner(harness);
    const headers = { authorization: `Bearer ${owner.caller.key}`, 'idempotency-key': 'one' };
    const body = { platform: 'telegram', name: 'x', credentials: {} };
    const first = await call('/manage/v1/channels', headers, body);
    const again = await call('/manage/v1/channels', { ...headers, ...ru }, body);
    expect(first.body['errors']).toContainEqual(expect.stringContaining("is missing: send the bot's token"));
    expect(again.body['errors']).toContainEqual(
      expect.stringContaining('отсутствует; нужно: токен бота от @BotFather'),
    );
  });
});
