import type { Verdict } from '../../src/limits/limiter.js';
import { ADMITTED, harnessOn, type LimitedEndpointHarness, rejected } from './limited-endpoint-harness.js';
import { LimitsDatabase } from './limits-database.js';

let database: LimitsDatabase;
beforeAll(async () => (database = await LimitsDatabase.start()));
afterAll(() => database.stop());

const createHarness = harnessOn(() => database);

describe('violations (publish-api.md: States; D-17)', () => {
  const violate = async (harness: LimitedEndpointHarness, times: readonly string[]): Promise<Verdict[]> => {
    const verdicts = [];
    for (const time of times) verdicts.push(await harness.postAt(time));
    return verdicts;
  };
  const counted = (verdicts: readonly Verdict[]) =>
    verdicts.map((verdict) =>
      verdict.outcome === 'rejected' ? [verdict.violations, verdict.disables] : verdict.outcome,
    );
  const seconds = ['12:00:01', '12:00:02', '12:00:03', '12:00:04', '12:00:05'];

  it('the fifth is rejected and disables the endpoint once; from then on it is disabled', async () => {
    const harness = await createHarness();
    await harness.post();
    const verdicts = await violate(harness, [...seconds, '12:00:06', '12:30:00', '14:00:00']);
    expect(counted(verdicts)).toEqual([
      ...[1, 2, 3, 4].map((n) => [n, false]),
      [5, true],
      ...['disabled', 'disabled', 'disabled'],
    ]);
  });

  it('count within a sliding hour: older ones do not count', async () => {
    const harness = await createHarness({}, 60);
    const four = ['12:00:01', '12:00:02', '12:00:03', '12:00:04'];
    await harness.post();
    expect(counted(await violate(harness, four))).toEqual([1, 2, 3, 4].map((n) => [n, false]));
    await harness.postAt('13:00:00');
    expect(counted(await violate(harness, ['13:00:01', '13:00:02', '13:00:02.5']))).toEqual([
      ...[4, 4].map((n) => [n, false]),
      [5, true],
    ]);
  });

  it('are cleared by enabling (D-45), independently of the clock', async () => {
    const harness = await createHarness();
    await harness.post();
    await violate(harness, seconds);
    harness.endpoint = await database.changeEndpoint(harness.endpoint, { enabled: true });
    expect(counted(await violate(harness, [...seconds, '12:00:06']))).toEqual([
      ...[1, 2, 3, 4].map((n) => [n, false]),
      [5, true],
      'disabled',
    ]);
  });

  it('are cleared by enabling if the first request afterwards exceeds a budget, too', async () => {
    const harness = await createHarness({ discoveryPerMinute: 1 });
    await harness.consumeBudget('discovery');
    await harness.post();
    await violate(harness, seconds);
    harness.endpoint = await database.changeEndpoint(harness.endpoint, { enabled: true });
    const verdicts: Verdict[] = [];
    for (let i = 0; i < 6; i++) verdicts.push(await harness.consumeBudget('discovery'));
    expect(counted(verdicts)).toEqual([...[1, 2, 3, 4].map((n) => [n, false]), [5, true], 'disabled']);
  });

  it('are not cleared by any other change', async () => {
    const harness = await createHarness();
    await harness.post();
    await violate(harness, seconds.slice(0, 4));
    harness.endpoint = await database.changeEndpoint(harness.endpoint, { enabled: false });
    expect(counted(await violate(harness, ['12:00:05']))).toEqual([[5, true]]);
  });

  it('of publishing, discovery and pauses count together', async () => {
    const harness = await createHarness({ discoveryPerMinute: 1, pausesPerMinute: 1 });
    await harness.post();
    await harness.consumeBudget('discovery');
    await harness.consumeBudget('pauses');
    const verdicts = [
      await harness.post(),
      await harness.consumeBudget('discovery'),
      await harness.consumeBudget('pauses'),
      await harness.consumeBudget('pauses'),
      await harness.consumeBudget('discovery'),
    ];
    expect(counted(verdicts)).toEqual([...[1, 2, 3, 4].map((n) => [n, false]), [5, true]]);
    expect([
      await harness.post(),
      await harness.consumeBudget('discovery'),
      await harness.consumeBudget('pauses'),
    ]).toEqual(Array(3).fill({ outcome: 'disabled' }));
  });

  it('do not include rejections of replays or the sandbox (D-17, D-45)', async () => {
    const harness = await createHarness({ replaysPerMinute: 1, plan: { sandboxDaily: 1 } });
    for (let i = 0; i < 7; i++) {
      await harness.consumeBudget('replays');
      await harness.consumeBudget('sandbox');
    }
    expect([
      await harness.consumeBudget('replays'),
      await harness.consumeBudget('sandbox'),
      await harness.post(),
    ]).toEqual([rejected('replays', 60), rejected('sandbox', 43_200), ADMITTED]);
  });

  it('disable neither the sandbox nor replays (D-12, D-17)', async () => {
    const harness = await createHarness({ plan: { sandboxDaily: 5 } });
    await harness.post();
    await violate(harness, seconds);
    expect([
      await harness.consumeBudget('discovery'),
      await harness.consumeBudget('sandbox'),
      await harness.consumeBudget('replays'),
    ]).toEqual([{ outcome: 'disabled' }, ADMITTED, ADMITTED]);
  });

  it('disable nothing if the profile says so', async () => {
    const harness = await createHarness({ violationsToDisable: null });
    await harness.post();
    const verdicts = await violate(harness, [...seconds, '12:00:06']);
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('rejected'));
  });
});

describe('budgets per minute (D-17, D-45)', () => {
  it.each(['discovery', 'pauses', 'replays'] as const)('%s: sixty in any sliding minute', async (budget) => {
    const harness = await createHarness();
    for (let second = 0; second < 60; second++) {
      await harness.setClock(`12:00:${String(second).padStart(2, '0')}.5`);
      expect(await harness.consumeBudget(budget)).toEqual(ADMITTED);
    }
    await harness.setClock('12:01:00');
    expect(await harness.consumeBudget(budget)).toEqual(rejected(budget, 1));
    await harness.setClock('12:01:00.5');
    expect(await harness.consumeBudget(budget)).toEqual(ADMITTED);
    expect(await harness.consumeBudget(budget)).toEqual(rejected(budget, 1));
  });

  it('are separate from each other and from publishing', async () => {
    const harness = await createHarness({ discoveryPerMinute: 1, pausesPerMinute: 1, replaysPerMinute: 1 });
    const all = [
      harness.post(),
      ...(['discovery', 'pauses', 'replays', 'sandbox'] as const).map((b) => harness.consumeBudget(b)),
    ];
    expect(await Promise.all(all)).toEqual(Array(5).fill(ADMITTED));
  });

  it('of null are no limit, but a changed endpoint is still stale', async () => {
    const harness = await createHarness({ replaysPerMinute: null });
    for (let i = 0; i < 70; i++) expect(await harness.consumeBudget('replays')).toEqual(ADMITTED);
    await database.changeEndpoint(harness.endpoint, { enabled: false });
    expect(await harness.consumeBudget('replays')).toEqual({ outcome: 'stale' });
  });
});

describe('the sandbox per day (publish-api.md: Limits; D-17)', () => {
  it.each([
    ['free', 100],
    ['mini', 1000],
  ] as const)('plan %s: %i until midnight UTC', async (plan, quota) => {
    const harness = await createHarness({}, 0, plan);
    await database.pool.query(
      `insert into ops_budget (payer_id, budget, day, day_count) values ($1, 'sandbox', '2026-03-14', $2)`,
      [harness.endpoint.owner_id, quota - 1],
    );
    expect(await harness.consumeBudget('sandbox')).toEqual(ADMITTED);
    await harness.setClock('23:59:59.5');
    expect(await harness.consumeBudget('sandbox')).toEqual(rejected('sandbox', 1));
    await harness.setClock('2026-03-15T00:00:00Z');
    expect(await harness.consumeBudget('sandbox')).toEqual(ADMITTED);
  });

  it('is one quota for all endpoints of an owner (D-51)', async () => {
    const harness = await createHarness({ plan: { sandboxDaily: 3 } }, 0, 'free');
    const second = await database.createEndpoint('free', 0, harness.endpoint.owner_id);
    const other = await database.createEndpoint('free', 0);
    expect(await harness.consumeBudget('sandbox')).toEqual(ADMITTED);
    const both = [harness.endpoint, second, second].map((endpoint) =>
      harness.limiter.consumeBudget(endpoint, 'sandbox'),
    );
    expect(await Promise.all(both)).toEqual([ADMITTED, ADMITTED, rejected('sandbox', 43_200)]);
    expect(await harness.limiter.consumeBudget(other, 'sandbox')).toEqual(ADMITTED);
  });

  it.each(['standard', 'pro', 'maxi', 'business'] as const)('plan %s: unlimited', async (plan) => {
    const harness = await createHarness({}, 0, plan);
    for (let i = 0; i < 3; i++) expect(await harness.consumeBudget('sandbox')).toEqual(ADMITTED);
    const { rows } = await database.pool.query('select 1 from ops_budget where payer_id = $1', [
      harness.endpoint.owner_id,
    ]);
    expect(rows).toEqual([]);
  });
});
