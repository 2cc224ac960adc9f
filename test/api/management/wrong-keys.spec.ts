import type { Pool, QueryConfig } from 'pg';
import { FindKey } from '../../../src/projections/discovery/keys.queries.js';
import { hashToken } from '../../../src/secrets/tokens.js';
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

describe('wrong management keys (D-55, D-86)', () => {
  it('more than 100 a minute from one address: 429 for them, but not for right keys or other addresses', async () => {
    const owner = await gateway.manage('POST', '/owners', { name: 'Ada', plan: 'free' });
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
    for (let n = 0; n < 5; n++) expect((await call(guesser, `wrong-${n}`)).status).toBe(429);
    // Otherwise one client behind a proxy would lock out all others.
    expect((await call(guesser, RIGHT)).status).toBe(200);
    expect((await call(guesser, owner.key)).status).toBe(200);
    expect((await call(guesser, null)).status).toBe(401);
    expect((await call(guesser, 'wrong')).status).toBe(429);
    expect((await call('192.0.2.2', RIGHT)).status).toBe(200);
    expect((await call('192.0.2.2', 'wrong')).status).toBe(401);
  });

  it('a flood of them costs few queries, one at a time, and a right key is found among them', async () => {
    const owner = await gateway.manage('POST', '/owners', { name: 'Ada', plan: 'free' });
    let [queries, running, mostAtOnce] = [0, 0, 0];
    const pool = {
      query: async (config: QueryConfig) => {
        queries += 1;
        mostAtOnce = Math.max(mostAtOnce, ++running);
        try {
          return await gateway.pool.query(config);
        } finally {
          running -= 1;
        }
      },
    } as unknown as Pool;
    const findKey = new FindKey(pool);
    const keys = [...Array.from({ length: 400 }, (_, n) => `wrong-${n}`), owner.key as string, 'wrong-0'];
    const found = await Promise.all(keys.map((key) => findKey.execute(hashToken(key))));
    expect(found.map((row) => row?.owner_id ?? null)).toEqual(keys.map((key) => (key === owner.key ? owner.id : null)));
    expect([queries, mostAtOnce]).toEqual([1, 1]);
  });

  it('a missing key is not a wrong one', async () => {
    for (let n = 0; n < 110; n++) expect((await call('192.0.2.3', null)).status).toBe(401);
    expect((await call('192.0.2.3', RIGHT)).status).toBe(200);
  });
});
