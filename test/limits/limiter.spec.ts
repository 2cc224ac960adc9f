import type { LimitedEndpoint, Verdict } from '../../src/limits/limiter.js';
import { ADMITTED, harnessOn, rejected } from './limited-endpoint-harness.js';
import { LimitsDatabase } from './limits-database.js';

let database: LimitsDatabase;
beforeAll(async () => (database = await LimitsDatabase.start()));
afterAll(() => database.stop());

const createHarness = harnessOn(() => database);

/** Returns a generator of numbers from 0 to 1 that are the same in every run. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

describe('min-interval (publish-api.md: Limits; D-16)', () => {
  it('counts from the last accepted post, to the microsecond', async () => {
    const harness = await createHarness();
    expect(await harness.postAt('12:00:00')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:09.999999')).toEqual(rejected('min_interval', 1));
    expect(await harness.postAt('12:00:10')).toEqual(ADMITTED);
  });

  it.each([
    ['12:00:00', 10],
    ['12:00:00.000001', 10],
    ['12:00:01', 9],
    ['12:00:01.7', 9],
    ['12:00:08.5', 2],
    ['12:00:09', 1],
  ])('a rejection at %s says to wait %i s, rounded up', async (time, seconds) => {
    const harness = await createHarness();
    await harness.post();
    expect(await harness.postAt(time)).toEqual(rejected('min_interval', seconds));
  });

  it('is not extended by rejected posts', async () => {
    const harness = await createHarness();
    await harness.post();
    await harness.postAt('12:00:05');
    expect(await harness.postAt('12:00:10')).toEqual(ADMITTED);
  });

  it('of 0 s is no limit', async () => {
    const harness = await createHarness({}, 0);
    expect([await harness.post(), await harness.post()]).toEqual([ADMITTED, ADMITTED]);
  });

  it('does not delay posts for longer if the clock is set back', async () => {
    const harness = await createHarness();
    await harness.postAt('18:00:00');
    expect(await harness.postAt('12:00:00')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:05')).toEqual(rejected('min_interval', 5));
  });
});

describe('burst: a sliding window (publish-api.md: Limits; D-15)', () => {
  it('admits ten posts per second and no eleventh before the first is a second old', async () => {
    const harness = await createHarness({ violationsToDisable: null }, 0);
    for (let i = 0; i < 10; i++) expect(await harness.postAt(`12:00:00.${i}`)).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:00.999999')).toEqual(rejected('burst', 1));
    expect(await harness.postAt('12:00:01')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:01.099999')).toEqual(rejected('burst', 1));
    expect(await harness.postAt('12:00:01.1')).toEqual(ADMITTED);
  });

  it('is not used up by rejected posts', async () => {
    const harness = await createHarness({ violationsToDisable: null }, 0);
    for (let i = 0; i < 25; i++) await harness.post();
    await harness.setClock('12:00:01');
    const again = [];
    for (let i = 0; i < 11; i++) again.push(await harness.post());
    expect(again).toEqual([...Array<unknown>(10).fill(ADMITTED), rejected('burst', 1)]);
  });

  // The function shortens its lists of times in several ways, which must all give the same result.
  it.each([
    [3, 1],
    [10, 1],
    [12, 2],
    [100, 20],
  ])('of %i in %i s admits the same posts as a full count at 400 random moments', async (requests, perSeconds) => {
    const harness = await createHarness(
      { violationsToDisable: null, plan: { burst: { requests, perSeconds }, hourly: null } },
      0,
    );
    const random = createRandom(requests);
    const admitted: number[] = [];
    const [expected, verdicts] = [[] as string[], [] as string[]];
    for (let i = 0, ms = 0; i < 400; i++) {
      ms += Math.floor(random() * (random() < 0.05 ? 3 : 0.25) * (perSeconds / requests) * 4_000);
      const recent = admitted.filter((at) => at > ms - perSeconds * 1_000).length;
      expected.push(recent < requests ? 'admitted' : 'rejected');
      if (recent < requests) admitted.push(ms);
      verdicts.push((await harness.postAt(new Date(ms).toISOString().replace('1970-01-01', '2026-03-14'))).outcome);
    }
    expect(verdicts).toEqual(expected);
    expect(new Set(verdicts).size).toBe(2);
  });

  it('of version B is one post in five seconds for the plan Pro', async () => {
    const harness = await createHarness('B', 0);
    expect(await harness.postAt('12:00:00')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:03.2')).toEqual(rejected('burst', 2));
    expect(await harness.postAt('12:00:05')).toEqual(ADMITTED);
  });
});

describe('hourly quota (publish-api.md: Limits)', () => {
  const two = { plan: { hourly: 2, burst: null } };

  it('resets at the UTC hour, exactly', async () => {
    const harness = await createHarness(two, 0);
    expect(await harness.postAt('12:59:59.9')).toEqual(ADMITTED);
    expect(await harness.postAt('12:59:59.99')).toEqual(ADMITTED);
    expect(await harness.postAt('12:59:59.999999')).toEqual(rejected('hourly_quota', 1));
    expect(await harness.postAt('13:00:00')).toEqual(ADMITTED);
    expect(await harness.postAt('13:00:00')).toEqual(ADMITTED);
    expect(await harness.postAt('13:00:00')).toEqual(rejected('hourly_quota', 3600));
  });

  it.each([
    ['pro', 100, 300],
    ['maxi', 300, 1000],
    ['business', 1000, 5000],
  ] as const)('of the plan %s is %i in version A and %i in version B', async (plan, a, b) => {
    for (const [version, quota] of Object.entries({ A: a, B: b })) {
      const harness = await createHarness(version === 'B' ? 'B' : {}, 0, plan);
      await database.pool.query(
        `insert into ops_limit (endpoint_id, hour, hour_count) values ($1, '2026-03-14T12:00Z', $2)`,
        [harness.endpoint.endpoint_id, quota - 1],
      );
      expect(await harness.postAt('12:30:00')).toEqual(ADMITTED);
      expect(await harness.postAt('12:30:30')).toEqual(rejected('hourly_quota', 1770));
    }
  });

  it('counts a post that only the full evaluation admits, because its burst has expired times', async () => {
    const harness = await createHarness({ plan: { hourly: 2, burst: { requests: 1, perSeconds: 1 } } }, 0);
    expect(await harness.postAt('12:00:00')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:05')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:10')).toEqual(rejected('hourly_quota', 3590));
  });

  it('of 0 admits nothing', async () => {
    const harness = await createHarness({ plan: { hourly: 0 } }, 0);
    expect(await harness.post()).toEqual(rejected('hourly_quota', 3600));
  });
});

describe('if several limits are exceeded at once (D-16)', () => {
  // Ten seconds after a post at 12:59:35, which used up the hourly quota. The hour ends in 15 s.
  it.each([
    ['hourly_quota', 15, 20, 21],
    ['min_interval', 20, 30, 21],
    ['burst', 44, 30, 54],
  ])('%s is the reason if it has the longest wait: %i s', async (reason, seconds, minInterval, perSeconds) => {
    const harness = await createHarness({ plan: { hourly: 1, burst: { requests: 1, perSeconds } } }, minInterval);
    await harness.postAt('12:59:35');
    expect(await harness.postAt('12:59:45')).toEqual(rejected(reason, seconds));
  });
});

describe('a request that will be rejected for its content (D-16)', () => {
  it('takes no tokens', async () => {
    const harness = await createHarness();
    expect(await harness.post({ consume: false })).toEqual({ outcome: 'admissible' });
    expect(await harness.post()).toEqual(ADMITTED);
  });

  it('is rejected by the limits like any other', async () => {
    const harness = await createHarness();
    await harness.post();
    expect(await harness.post({ consume: false })).toEqual(rejected('min_interval', 10));
  });
});

describe('a request with an outdated endpoint snapshot', () => {
  it('is stale, and neither takes tokens nor counts as a violation', async () => {
    const harness = await createHarness();
    const now = await database.changeEndpoint(harness.endpoint, { enabled: false });
    expect(await harness.post()).toEqual({ outcome: 'stale' });
    expect(await harness.consumeBudget('discovery')).toEqual({ outcome: 'stale' });
    harness.endpoint = now;
    expect(await harness.post()).toEqual(ADMITTED);
  });

  it('is stale if the endpoint no longer exists', async () => {
    const harness = await createHarness();
    harness.endpoint = { ...harness.endpoint, endpoint_id: 'ep_unknown' };
    expect(await harness.post()).toEqual({ outcome: 'stale' });
  });
});

describe('idempotency keys of posts that were just admitted (D-19)', () => {
  const KEY = '00112233445566ff';
  const OTHER = 'ffeeddccbbaa9988';

  it('are in flight, even if a limit is exceeded, and take no tokens', async () => {
    const harness = await createHarness();
    expect(await harness.post({ keys: [KEY] })).toEqual(ADMITTED);
    expect(await harness.post({ keys: [KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await harness.post({ keys: [OTHER, KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await harness.post({ keys: [OTHER] })).toEqual(rejected('min_interval', 10));
  });

  it('are in flight if either of two keys is', async () => {
    const harness = await createHarness({}, 0);
    await harness.post({ keys: [KEY, OTHER] });
    expect(await harness.post({ keys: [OTHER] })).toEqual({ outcome: 'in_flight' });
    expect(await harness.post({ keys: [KEY] })).toEqual({ outcome: 'in_flight' });
  });

  it('expire after ten seconds, and are not stored for posts that were not admitted', async () => {
    const harness = await createHarness({}, 1);
    await harness.post({ keys: [KEY], consume: false });
    expect(await harness.post({ keys: [KEY] })).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:09.9', { keys: [KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await harness.postAt('12:00:10', { keys: [KEY] })).toEqual(ADMITTED);
  });

  it('are stored for at least five seconds, whenever other posts are admitted', async () => {
    const harness = await createHarness({}, 0);
    await harness.postAt('12:00:00', { keys: [OTHER] });
    await harness.postAt('12:00:04.9', { keys: [KEY] });
    await harness.postAt('12:00:05');
    expect(await harness.postAt('12:00:09.9', { keys: [KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await harness.postAt('12:00:10', { keys: [KEY] })).toEqual(ADMITTED);
  });

  it('expire when the clock is set back', async () => {
    const harness = await createHarness({}, 0);
    await harness.postAt('12:00:00', { keys: [KEY] });
    expect(await harness.postAt('11:59:59', { keys: [KEY] })).toEqual(ADMITTED);
  });
});

describe('keys whose streams are presumed empty (D-9)', () => {
  const STORED = { outcome: 'stored' };
  const createStream = async (): Promise<string> => {
    const stream = `post-${Math.random()}`;
    await database.writeStream(stream);
    return stream;
  };

  it.each([
    ['with limits', {}],
    ['without any', { plan: { burst: null, hourly: null }, violationsToDisable: null }],
  ])('are stored if a stream has events, and take no tokens: %s', async (_, change) => {
    const harness = await createHarness(change, 0);
    const stream = await createStream();
    expect(await harness.post({ newStreams: [stream] })).toEqual(STORED);
    expect(await harness.post({ newStreams: ['post-other', stream] })).toEqual(STORED);
    expect(await harness.post({ newStreams: [stream, stream] })).toEqual(STORED);
    expect(await harness.post({ newStreams: [stream], consume: false })).toEqual(STORED);
    expect(await harness.post({ newStreams: ['post-other'] })).toEqual(ADMITTED);
  });

  it('are found to be stored before any limit is checked', async () => {
    const harness = await createHarness();
    const stream = await createStream();
    expect(await harness.post()).toEqual(ADMITTED);
    expect(await harness.post({ newStreams: [stream] })).toEqual(STORED);
    expect(await harness.post({ newStreams: ['post-other'] })).toMatchObject({ outcome: 'rejected', violations: 1 });
    expect(await harness.post({ newStreams: [stream] })).toEqual(STORED);
    expect(await harness.post()).toMatchObject({ outcome: 'rejected', violations: 2 });
  });

  it('are found to be stored or not, each by itself, in a batch of posts', async () => {
    const harness = await createHarness({}, 10);
    const stream = await createStream();
    const endpoints = await Promise.all(Array.from({ length: 9 }, () => database.createEndpoint()));
    const admitAll = async (newStreams: readonly (readonly string[])[]) =>
      Promise.all(newStreams.map((streams, i) => harness.post({ endpoint: endpoints[i]!, newStreams: streams })));
    const first = await admitAll([[stream], ['a'], [], ['b', stream], ['c', 'd'], [stream], ['e'], [], [stream]]);
    expect(first).toEqual([STORED, ADMITTED, ADMITTED, STORED, ADMITTED, STORED, ADMITTED, ADMITTED, STORED]);
    const rejection = rejected('min_interval', 10);
    const second = await admitAll([[], ['a'], [stream], [], ['c', stream], ['f'], [], ['g'], [stream]]);
    expect(second).toEqual([ADMITTED, rejection, STORED, ADMITTED, STORED, ADMITTED, rejection, rejection, STORED]);
  });

  it('are found to be stored beside endpoints that have changed', async () => {
    const unlimited = { plan: { burst: null, hourly: null }, violationsToDisable: null };
    for (const harness of [await createHarness({}, 0), await createHarness(unlimited, 0)]) {
      const stream = await createStream();
      const [changed, same] = [await database.createEndpoint('pro', 0), await database.createEndpoint('pro', 0)];
      await database.changeEndpoint(changed, { enabled: false });
      const checks = [
        { endpoint: changed, newStreams: [stream] },
        { endpoint: same, newStreams: ['post-other'] },
        { endpoint: harness.endpoint, newStreams: [stream] },
      ];
      expect(await Promise.all(checks.map((check) => harness.post(check)))).toEqual([STORED, ADMITTED, STORED]);
      expect(await harness.post({ endpoint: changed, newStreams: ['post-other'] })).toEqual({ outcome: 'stale' });
    }
  });
});

describe('the monthly quota (D-18)', () => {
  const left = { month: '2026-03', used: 0, left: 0, resetsAt: 0, lastEvent: null };
  const month = (usedUpAt: number, ownerMonth = 'own_1/2026-03') => ({ ownerMonth, usedUpAt, left });
  beforeAll(async () => {
    await database.pool.query(
      `insert into posts.usage (owner_month, owner_id, month, published, last_event) values ('own_1/2026-03', 'own_1', '2026-03', 7, 'e')`,
    );
  });

  it('is used up when as many posts were published; it is checked before the limits, and takes no tokens', async () => {
    const harness = await createHarness();
    expect(await harness.post({ month: month(7) })).toEqual({ outcome: 'quota' });
    expect(await harness.post({ month: month(8) })).toEqual(ADMITTED);
    expect(await harness.post({ month: month(7) })).toEqual({ outcome: 'quota' });
  });

  it('is unused in a month without publications', async () => {
    const harness = await createHarness();
    expect(await harness.post({ month: month(1, 'own_1/2026-04') })).toEqual(ADMITTED);
  });

  it('of 0 posts is used up from the start', async () => {
    const harness = await createHarness();
    expect(await harness.post({ month: month(0, 'own_1/2026-04') })).toEqual({ outcome: 'quota' });
  });
});

describe('a post that was admitted but not accepted', () => {
  const admissionTime = (verdict: Verdict): string => (verdict.outcome === 'admitted' ? verdict.at! : 'not admitted');
  const KEY = '00112233445566ff';

  it('releases its tokens: interval, burst, hour and key', async () => {
    const harness = await createHarness({ plan: { hourly: 1, burst: { requests: 1, perSeconds: 30 } } });
    await harness.limiter.releaseTokens(harness.endpoint, admissionTime(await harness.post({ keys: [KEY] })), [KEY]);
    expect(await harness.post({ keys: [KEY] })).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:30')).toEqual(rejected('hourly_quota', 3570));
  });

  it('does not release the tokens of later posts', async () => {
    const harness = await createHarness({ plan: { hourly: 2, burst: null } }, 10);
    const first = admissionTime(await harness.post());
    await harness.postAt('12:00:10');
    await harness.limiter.releaseTokens(harness.endpoint, first, []);
    expect(await harness.postAt('12:00:15')).toEqual(rejected('min_interval', 5));
    expect(await harness.postAt('12:00:20')).toEqual(ADMITTED);
    expect(await harness.postAt('12:00:30')).toEqual(rejected('hourly_quota', 3570));
  });

  it('does not release tokens of another hour', async () => {
    const harness = await createHarness({ plan: { hourly: 1, burst: null } }, 0);
    const first = admissionTime(await harness.postAt('12:59:59'));
    await harness.postAt('13:00:00');
    await harness.limiter.releaseTokens(harness.endpoint, first, []);
    expect(await harness.post()).toEqual(rejected('hourly_quota', 3600));
  });
});

describe('concurrent requests', () => {
  it('to one endpoint are evaluated in order, and those to other endpoints at the same time', async () => {
    const harness = await createHarness();
    const others = await Promise.all(Array.from({ length: 20 }, () => database.createEndpoint()));
    const admit = (endpoint: LimitedEndpoint) => harness.post({ endpoint });
    const verdicts = await Promise.all([
      ...[harness.endpoint, harness.endpoint, harness.endpoint].map(admit),
      ...others.map(admit),
    ]);
    expect(verdicts.slice(0, 3)).toEqual([
      ADMITTED,
      { outcome: 'rejected', reason: 'min_interval', retryAfter: 10, violations: 1, disables: false },
      { outcome: 'rejected', reason: 'min_interval', retryAfter: 10, violations: 2, disables: false },
    ]);
    expect(verdicts.slice(3)).toEqual(Array(20).fill(ADMITTED));
  });

  it('are always admitted without limits, but still found to be stale', async () => {
    const harness = await createHarness({ plan: { hourly: null, burst: null }, violationsToDisable: null }, 0);
    expect([await harness.post(), await harness.post({ consume: false })]).toEqual([
      ADMITTED,
      { outcome: 'admissible' },
    ]);
    await database.changeEndpoint(harness.endpoint, { enabled: false });
    expect(await harness.post()).toEqual({ outcome: 'stale' });
  });

  it('are evaluated even if their rows were deleted', async () => {
    const harness = await createHarness();
    await harness.post();
    await database.pool.query('delete from ops_limit');
    expect(await harness.post()).toEqual(ADMITTED);
  });
});
