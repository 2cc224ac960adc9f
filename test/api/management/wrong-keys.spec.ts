import { until } from '../../e2e/until.js';
import { TestGateway } from '../public/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ TRUSTED_PROXIES: '127.0.0.0/8' });
  await until('the read models are built', async () => (await call('192.0.2.9', 'wrong')).status === 401);
});
afterAll(() => gateway.stop());

/** Calls the management API from an address, with a key if one is given. */
const call = (ip: string, key: string | null) =>
  gateway.call('GET', '/manage/v1/owners', {
    headers: { 'x-forwarded-for': ip, ...(key !== null && { authorization: `Bearer ${key}` }) },
  });

const RIGHT = 'service_operator_http_tests';

describe('wrong management keys (D-55)', () => {
  it('more than 100 a minute from one address: 429 for it, whatever its key, and nothing for other addresses', async () => {
    const guesser = '192.0.2.1';
    // All at once, because one after the other they might take more than the minute on a busy machine.
    const guesses = await Promise.all(Array.from({ length: 100 }, (_, n) => call(guesser, `wrong-${n}`)));
    for (const { status } of guesses) expect(status).toBe(401);
    expect((await call(guesser, RIGHT)).status).toBe(200); // 100 are allowed
    const refused = await call(guesser, 'wrong-100');
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ ok: false, code: 'too_many_wrong_keys' });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await call(guesser, RIGHT)).status).toBe(429);
    expect((await call('192.0.2.2', RIGHT)).status).toBe(200);
    expect((await call('192.0.2.2', 'wrong')).status).toBe(401);
  });

  it('a missing key is not a wrong one', async () => {
    for (let n = 0; n < 110; n++) expect((await call('192.0.2.3', null)).status).toBe(401);
    expect((await call('192.0.2.3', RIGHT)).status).toBe(200);
  });
});
