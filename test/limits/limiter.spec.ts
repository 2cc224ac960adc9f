import type { LimitedEndpoint, Verdict } from '../../src/limits/limiter.js';
import { LimitsDatabase } from './limits-database.js';
import { refused, scenes, TAKEN } from './scene.js';

let database: LimitsDatabase;
beforeAll(async () => (database = await LimitsDatabase.start()));
afterAll(() => database.stop());

const scene = scenes(() => database);

/** Numbers from 0 to 1 that are the same in every run. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

describe('min-interval (publish-api.md: Limits; D-16)', () => {
  it('counts from the last accepted post, to the microsecond', async () => {
    const on = await scene();
    expect(await on.postAt('12:00:00')).toEqual(TAKEN);
    expect(await on.postAt('12:00:09.999999')).toEqual(refused('min_interval', 1));
    expect(await on.postAt('12:00:10')).toEqual(TAKEN);
  });

  it.each([
    ['12:00:00', 10],
    ['12:00:00.000001', 10],
    ['12:00:01', 9],
    ['12:00:08.5', 2],
    ['12:00:09', 1],
  ])('refused at %s says to wait %i s, rounded up', async (time, seconds) => {
    const on = await scene();
    await on.post();
    expect(await on.postAt(time)).toEqual(refused('min_interval', seconds));
  });

  it('is not extended by what was refused', async () => {
    const on = await scene();
    await on.post();
    await on.postAt('12:00:05');
    expect(await on.postAt('12:00:10')).toEqual(TAKEN);
  });

  it('of 0 does not exist', async () => {
    const on = await scene({}, 0);
    expect([await on.post(), await on.post()]).toEqual([TAKEN, TAKEN]);
  });

  it('does not hold anybody for longer where the clock is set back', async () => {
    const on = await scene();
    await on.postAt('18:00:00');
    expect(await on.postAt('12:00:00')).toEqual(TAKEN);
    expect(await on.postAt('12:00:05')).toEqual(refused('min_interval', 5));
  });
});

describe('burst: a sliding window (publish-api.md: Limits; D-15)', () => {
  it('takes ten a second and no eleventh before the first is a second old', async () => {
    const on = await scene({ violationsToDisable: null }, 0);
    for (let i = 0; i < 10; i++) expect(await on.postAt(`12:00:00.${i}`)).toEqual(TAKEN);
    expect(await on.postAt('12:00:00.999999')).toEqual(refused('burst', 1));
    expect(await on.postAt('12:00:01')).toEqual(TAKEN);
    expect(await on.postAt('12:00:01.099999')).toEqual(refused('burst', 1));
    expect(await on.postAt('12:00:01.1')).toEqual(TAKEN);
  });

  it('is not used up by what was refused', async () => {
    const on = await scene({ violationsToDisable: null }, 0);
    for (let i = 0; i < 25; i++) await on.post();
    await on.at('12:00:01');
    const again = [];
    for (let i = 0; i < 11; i++) again.push(await on.post());
    expect(again).toEqual([...Array<unknown>(10).fill(TAKEN), refused('burst', 1)]);
  });

  // Lists of times are let grow and cut in several ways, which have to come to the same.
  it.each([
    [3, 1],
    [10, 1],
    [12, 2],
    [100, 20],
  ])('of %i in %i s takes what counting every time would, at 400 random moments', async (requests, perSeconds) => {
    const on = await scene({ violationsToDisable: null, plan: { burst: { requests, perSeconds }, hourly: null } }, 0);
    const random = seeded(requests);
    const taken: number[] = [];
    const [expected, verdicts] = [[] as string[], [] as string[]];
    for (let i = 0, ms = 0; i < 400; i++) {
      ms += Math.floor(random() * (random() < 0.05 ? 3 : 0.25) * (perSeconds / requests) * 4_000);
      const recent = taken.filter((at) => at > ms - perSeconds * 1_000).length;
      expected.push(recent < requests ? 'taken' : 'refused');
      if (recent < requests) taken.push(ms);
      verdicts.push((await on.postAt(new Date(ms).toISOString().replace('1970-01-01', '2026-03-14'))).outcome);
    }
    expect(verdicts).toEqual(expected);
    expect(new Set(verdicts).size).toBe(2);
  });

  it('of version B is one in five seconds for the plan Pro', async () => {
    const on = await scene('B', 0);
    expect(await on.postAt('12:00:00')).toEqual(TAKEN);
    expect(await on.postAt('12:00:03.2')).toEqual(refused('burst', 2));
    expect(await on.postAt('12:00:05')).toEqual(TAKEN);
  });
});

describe('hourly quota (publish-api.md: Limits)', () => {
  const two = { plan: { hourly: 2, burst: null } };

  it('resets at the UTC hour, exactly', async () => {
    const on = await scene(two, 0);
    expect(await on.postAt('12:59:59.9')).toEqual(TAKEN);
    expect(await on.postAt('12:59:59.99')).toEqual(TAKEN);
    expect(await on.postAt('12:59:59.999999')).toEqual(refused('hourly_quota', 1));
    expect(await on.postAt('13:00:00')).toEqual(TAKEN);
    expect(await on.postAt('13:00:00')).toEqual(TAKEN);
    expect(await on.postAt('13:00:00')).toEqual(refused('hourly_quota', 3600));
  });

  it.each([
    ['pro', 100, 300],
    ['maxi', 300, 1000],
    ['business', 1000, 5000],
  ] as const)('of the plan %s is %i in version A and %i in version B', async (plan, a, b) => {
    for (const [version, quota] of Object.entries({ A: a, B: b })) {
      const on = await scene(version === 'B' ? 'B' : {}, 0, plan);
      await database.pool.query(
        `insert into ops_limit (endpoint_id, hour, hour_count) values ($1, '2026-03-14T12:00Z', $2)`,
        [on.endpoint.endpoint_id, quota - 1],
      );
      expect(await on.postAt('12:30:00')).toEqual(TAKEN);
      expect(await on.postAt('12:30:30')).toEqual(refused('hourly_quota', 1770));
    }
  });

  it('of 0 takes nothing', async () => {
    const on = await scene({ plan: { hourly: 0 } }, 0);
    expect(await on.post()).toEqual(refused('hourly_quota', 3600));
  });
});

describe('of several limits that are exceeded at once (D-16)', () => {
  // Ten seconds after a post at 12:59:35, which used up the hour: its end is 15 s away.
  it.each([
    ['hourly_quota', 15, 20, 21],
    ['min_interval', 20, 30, 21],
    ['burst', 44, 30, 54],
  ])('%s is told where it has the longest wait: %i s', async (reason, seconds, minInterval, perSeconds) => {
    const on = await scene({ plan: { hourly: 1, burst: { requests: 1, perSeconds } } }, minInterval);
    await on.postAt('12:59:35');
    expect(await on.postAt('12:59:45')).toEqual(refused(reason, seconds));
  });
});

describe('a request that is only asked about, because its content will be refused (D-16)', () => {
  it('uses nothing up', async () => {
    const on = await scene();
    expect(await on.post({ take: false })).toEqual({ outcome: 'free' });
    expect(await on.post()).toEqual(TAKEN);
  });

  it('is refused by the limits like any other', async () => {
    const on = await scene();
    await on.post();
    expect(await on.post({ take: false })).toEqual(refused('min_interval', 10));
  });
});

describe('a request that was judged by an outdated picture', () => {
  it('is stale, and neither takes nor violates anything', async () => {
    const on = await scene();
    const now = await database.change(on.endpoint, { enabled: false });
    expect(await on.post()).toEqual({ outcome: 'stale' });
    expect(await on.budget('discovery')).toEqual({ outcome: 'stale' });
    on.endpoint = now;
    expect(await on.post()).toEqual(TAKEN);
  });

  it('is stale also where the endpoint is gone', async () => {
    const on = await scene();
    on.endpoint = { ...on.endpoint, endpoint_id: 'ep_nobody' };
    expect(await on.post()).toEqual({ outcome: 'stale' });
  });
});

describe('idempotency keys that were let through just now (D-19)', () => {
  const KEY = '00112233445566ff';
  const OTHER = 'ffeeddccbbaa9988';

  it('are in flight, whatever the limits say, and use nothing up', async () => {
    const on = await scene();
    expect(await on.post({ keys: [KEY] })).toEqual(TAKEN);
    expect(await on.post({ keys: [KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await on.post({ keys: [OTHER, KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await on.post({ keys: [OTHER] })).toEqual(refused('min_interval', 10));
  });

  it('are in flight by either of two keys', async () => {
    const on = await scene({}, 0);
    await on.post({ keys: [KEY, OTHER] });
    expect(await on.post({ keys: [OTHER] })).toEqual({ outcome: 'in_flight' });
    expect(await on.post({ keys: [KEY] })).toEqual({ outcome: 'in_flight' });
  });

  it('are forgotten after ten seconds, and never remembered of what was not taken', async () => {
    const on = await scene({}, 1);
    await on.post({ keys: [KEY], take: false });
    expect(await on.post({ keys: [KEY] })).toEqual(TAKEN);
    expect(await on.postAt('12:00:09.9', { keys: [KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await on.postAt('12:00:10', { keys: [KEY] })).toEqual(TAKEN);
  });

  it('are remembered for at least five seconds, whenever others are taken', async () => {
    const on = await scene({}, 0);
    await on.postAt('12:00:00', { keys: [OTHER] });
    await on.postAt('12:00:04.9', { keys: [KEY] });
    await on.postAt('12:00:05');
    expect(await on.postAt('12:00:09.9', { keys: [KEY] })).toEqual({ outcome: 'in_flight' });
    expect(await on.postAt('12:00:10', { keys: [KEY] })).toEqual(TAKEN);
  });

  it('are remembered no longer once the clock has been set back', async () => {
    const on = await scene({}, 0);
    await on.postAt('12:00:00', { keys: [KEY] });
    expect(await on.postAt('11:59:59', { keys: [KEY] })).toEqual(TAKEN);
  });
});

describe('keys that are taken to be new (D-9)', () => {
  const KNOWN = { outcome: 'known' };
  const written = async (): Promise<string> => {
    const stream = `post-${Math.random()}`;
    await database.write(stream);
    return stream;
  };

  it.each([
    ['with limits', {}],
    ['without any', { plan: { burst: null, hourly: null }, violationsToDisable: null }],
  ])('are known where something is written, and use nothing up: %s', async (_, change) => {
    const on = await scene(change, 0);
    const stream = await written();
    expect(await on.post({ newStreams: [stream] })).toEqual(KNOWN);
    expect(await on.post({ newStreams: ['post-other', stream] })).toEqual(KNOWN);
    expect(await on.post({ newStreams: [stream, stream] })).toEqual(KNOWN);
    expect(await on.post({ newStreams: [stream], take: false })).toEqual(KNOWN);
    expect(await on.post({ newStreams: ['post-other'] })).toEqual(TAKEN);
  });

  it('are known before any limit is asked', async () => {
    const on = await scene();
    const stream = await written();
    expect(await on.post()).toEqual(TAKEN);
    expect(await on.post({ newStreams: [stream] })).toEqual(KNOWN);
    expect(await on.post({ newStreams: ['post-other'] })).toMatchObject({ outcome: 'refused', violations: 1 });
    expect(await on.post({ newStreams: [stream] })).toEqual(KNOWN);
    expect(await on.post()).toMatchObject({ outcome: 'refused', violations: 2 });
  });

  it('are known or not each for itself, among many that are judged together', async () => {
    const on = await scene({}, 10);
    const stream = await written();
    const endpoints = await Promise.all(Array.from({ length: 9 }, () => database.endpoint()));
    const judged = async (newStreams: readonly (readonly string[])[]) =>
      Promise.all(newStreams.map((streams, i) => on.post({ endpoint: endpoints[i]!, newStreams: streams })));
    const first = await judged([[stream], ['a'], [], ['b', stream], ['c', 'd'], [stream], ['e'], [], [stream]]);
    expect(first).toEqual([KNOWN, TAKEN, TAKEN, KNOWN, TAKEN, KNOWN, TAKEN, TAKEN, KNOWN]);
    const refusal = refused('min_interval', 10);
    const second = await judged([[], ['a'], [stream], [], ['c', stream], ['f'], [], ['g'], [stream]]);
    expect(second).toEqual([TAKEN, refusal, KNOWN, TAKEN, KNOWN, TAKEN, refusal, refusal, KNOWN]);
  });

  it('are told of beside endpoints that have changed', async () => {
    const unlimited = { plan: { burst: null, hourly: null }, violationsToDisable: null };
    for (const on of [await scene({}, 0), await scene(unlimited, 0)]) {
      const stream = await written();
      const [changed, same] = [await database.endpoint('pro', 0), await database.endpoint('pro', 0)];
      await database.change(changed, { enabled: false });
      const asks = [
        { endpoint: changed, newStreams: [stream] },
        { endpoint: same, newStreams: ['post-other'] },
        { endpoint: on.endpoint, newStreams: [stream] },
      ];
      expect(await Promise.all(asks.map((ask) => on.post(ask)))).toEqual([KNOWN, TAKEN, KNOWN]);
      expect(await on.post({ endpoint: changed, newStreams: ['post-other'] })).toEqual({ outcome: 'stale' });
    }
  });
});

describe('the month (D-18)', () => {
  const left = { month: '2026-03', used: 0, left: 0, resetsAt: 0, lastEvent: null };
  const month = (usedUpAt: number, ownerMonth = 'own_1/2026-03') => ({ ownerMonth, usedUpAt, left });
  beforeAll(async () => {
    await database.pool.query(
      `insert into posts.usage (owner_month, owner_id, month, published, last_event) values ('own_1/2026-03', 'own_1', '2026-03', 7, 'e')`,
    );
  });

  it('is used up when as many were published as it has; that comes before the limits and uses nothing up', async () => {
    const on = await scene();
    expect(await on.post({ month: month(7) })).toEqual({ outcome: 'quota' });
    expect(await on.post({ month: month(8) })).toEqual(TAKEN);
    expect(await on.post({ month: month(7) })).toEqual({ outcome: 'quota' });
  });

  it('is not begun where nothing was published in it', async () => {
    const on = await scene();
    expect(await on.post({ month: month(1, 'own_1/2026-04') })).toEqual(TAKEN);
  });

  it('of 0 posts is used up from its start', async () => {
    const on = await scene();
    expect(await on.post({ month: month(0, 'own_1/2026-04') })).toEqual({ outcome: 'quota' });
  });
});

describe('a post that was taken and not accepted after all', () => {
  const atOf = (verdict: Verdict): string => (verdict.outcome === 'taken' ? verdict.at! : 'not taken');
  const KEY = '00112233445566ff';

  it('gives back what it took: interval, burst, hour and key', async () => {
    const on = await scene({ plan: { hourly: 1, burst: { requests: 1, perSeconds: 30 } } });
    await on.limiter.giveBack(on.endpoint, atOf(await on.post({ keys: [KEY] })), [KEY]);
    expect(await on.post({ keys: [KEY] })).toEqual(TAKEN);
    expect(await on.postAt('12:00:30')).toEqual(refused('hourly_quota', 3570));
  });

  it('gives back nothing of what others took since', async () => {
    const on = await scene({ plan: { hourly: 2, burst: null } }, 10);
    const first = atOf(await on.post());
    await on.postAt('12:00:10');
    await on.limiter.giveBack(on.endpoint, first, []);
    expect(await on.postAt('12:00:15')).toEqual(refused('min_interval', 5));
    expect(await on.postAt('12:00:20')).toEqual(TAKEN);
    expect(await on.postAt('12:00:30')).toEqual(refused('hourly_quota', 3570));
  });

  it('gives back nothing of another hour', async () => {
    const on = await scene({ plan: { hourly: 1, burst: null } }, 0);
    const first = atOf(await on.postAt('12:59:59'));
    await on.postAt('13:00:00');
    await on.limiter.giveBack(on.endpoint, first, []);
    expect(await on.post()).toEqual(refused('hourly_quota', 3600));
  });
});

describe('concurrent requests', () => {
  it('to one endpoint are judged in their order, to others beside it', async () => {
    const on = await scene();
    const others = await Promise.all(Array.from({ length: 20 }, () => database.endpoint()));
    const ask = (endpoint: LimitedEndpoint) => on.post({ endpoint });
    const verdicts = await Promise.all([...[on.endpoint, on.endpoint, on.endpoint].map(ask), ...others.map(ask)]);
    expect(verdicts.slice(0, 3)).toEqual([
      TAKEN,
      { outcome: 'refused', reason: 'min_interval', retryAfter: 10, violations: 1, disables: false },
      { outcome: 'refused', reason: 'min_interval', retryAfter: 10, violations: 2, disables: false },
    ]);
    expect(verdicts.slice(3)).toEqual(Array(20).fill(TAKEN));
  });

  it('meet no limit where there is none, and are seen to be stale all the same', async () => {
    const on = await scene({ plan: { hourly: null, burst: null }, violationsToDisable: null }, 0);
    expect([await on.post(), await on.post({ take: false })]).toEqual([TAKEN, { outcome: 'free' }]);
    await database.change(on.endpoint, { enabled: false });
    expect(await on.post()).toEqual({ outcome: 'stale' });
  });

  it('are judged also where the rows they had are gone', async () => {
    const on = await scene();
    await on.post();
    await database.pool.query('delete from ops_limit');
    expect(await on.post()).toEqual(TAKEN);
  });
});
