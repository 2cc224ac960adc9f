import type { Verdict } from '../../src/limits/limiter.js';
import { LimitsDatabase } from './limits-database.js';
import { refused, type Scene, scenes, TAKEN } from './scene.js';

let database: LimitsDatabase;
beforeAll(async () => (database = await LimitsDatabase.start()));
afterAll(() => database.stop());

const scene = scenes(() => database);

describe('violations (publish-api.md: States; D-17)', () => {
  const violate = async (on: Scene, times: readonly string[]): Promise<Verdict[]> => {
    const verdicts = [];
    for (const time of times) verdicts.push(await on.postAt(time));
    return verdicts;
  };
  const counted = (verdicts: readonly Verdict[]) =>
    verdicts.map((verdict) =>
      verdict.outcome === 'refused' ? [verdict.violations, verdict.disables] : verdict.outcome,
    );
  const seconds = ['12:00:01', '12:00:02', '12:00:03', '12:00:04', '12:00:05'];

  it('the fifth is refused and switches off, once; from then on the endpoint is disabled', async () => {
    const on = await scene();
    await on.post();
    const verdicts = await violate(on, [...seconds, '12:00:06', '12:30:00', '14:00:00']);
    expect(counted(verdicts)).toEqual([
      ...[1, 2, 3, 4].map((n) => [n, false]),
      [5, true],
      ...['disabled', 'disabled', 'disabled'],
    ]);
  });

  it('count within a sliding hour: what is an hour old does not', async () => {
    const on = await scene({}, 60);
    const four = ['12:00:01', '12:00:02', '12:00:03', '12:00:04'];
    await on.post();
    expect(counted(await violate(on, four))).toEqual([1, 2, 3, 4].map((n) => [n, false]));
    await on.postAt('13:00:00');
    expect(counted(await violate(on, ['13:00:01', '13:00:02', '13:00:02.5']))).toEqual([
      ...[4, 4].map((n) => [n, false]),
      [5, true],
    ]);
  });

  it('are cleared by enabling (D-45), of which no clock is asked', async () => {
    const on = await scene();
    await on.post();
    await violate(on, seconds);
    on.endpoint = await database.change(on.endpoint, { enabled: true });
    expect(counted(await violate(on, [...seconds, '12:00:06']))).toEqual([
      ...[1, 2, 3, 4].map((n) => [n, false]),
      [5, true],
      'disabled',
    ]);
  });

  it('are not cleared by any other change', async () => {
    const on = await scene();
    await on.post();
    await violate(on, seconds.slice(0, 4));
    on.endpoint = await database.change(on.endpoint, { enabled: false });
    expect(counted(await violate(on, ['12:00:05']))).toEqual([[5, true]]);
  });

  it('of publishing, discovery and pauses count together', async () => {
    const on = await scene({ discoveryPerMinute: 1, pausesPerMinute: 1 });
    await on.post();
    await on.budget('discovery');
    await on.budget('pauses');
    const verdicts = [
      await on.post(),
      await on.budget('discovery'),
      await on.budget('pauses'),
      await on.budget('pauses'),
      await on.budget('discovery'),
    ];
    expect(counted(verdicts)).toEqual([...[1, 2, 3, 4].map((n) => [n, false]), [5, true]]);
    expect([await on.post(), await on.budget('discovery'), await on.budget('pauses')]).toEqual(
      Array(3).fill({ outcome: 'disabled' }),
    );
  });

  it('are none where replays or the sandbox are refused (D-17, D-45)', async () => {
    const on = await scene({ replaysPerMinute: 1, plan: { sandboxDaily: 1 } });
    for (let i = 0; i < 7; i++) {
      await on.budget('replays');
      await on.budget('sandbox');
    }
    expect([await on.budget('replays'), await on.budget('sandbox'), await on.post()]).toEqual([
      refused('replays', 60),
      refused('sandbox', 43_200),
      TAKEN,
    ]);
  });

  it('switch nothing off where the profile says so', async () => {
    const on = await scene({ violationsToDisable: null });
    await on.post();
    const verdicts = await violate(on, [...seconds, '12:00:06']);
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('refused'));
  });
});

describe('budgets by the minute (D-17, D-45)', () => {
  it.each(['discovery', 'pauses', 'replays'] as const)('%s: sixty in any sliding minute', async (budget) => {
    const on = await scene();
    for (let second = 0; second < 60; second++) {
      await on.at(`12:00:${String(second).padStart(2, '0')}.5`);
      expect(await on.budget(budget)).toEqual(TAKEN);
    }
    await on.at('12:01:00');
    expect(await on.budget(budget)).toEqual(refused(budget, 1));
    await on.at('12:01:00.5');
    expect(await on.budget(budget)).toEqual(TAKEN);
    expect(await on.budget(budget)).toEqual(refused(budget, 1));
  });

  it('are apart from each other and from publishing', async () => {
    const on = await scene({ discoveryPerMinute: 1, pausesPerMinute: 1, replaysPerMinute: 1 });
    const all = [on.post(), ...(['discovery', 'pauses', 'replays', 'sandbox'] as const).map((b) => on.budget(b))];
    expect(await Promise.all(all)).toEqual(Array(5).fill(TAKEN));
  });

  it('that are null are no limit; a changed endpoint is seen all the same', async () => {
    const on = await scene({ replaysPerMinute: null });
    for (let i = 0; i < 70; i++) expect(await on.budget('replays')).toEqual(TAKEN);
    await database.change(on.endpoint, { enabled: false });
    expect(await on.budget('replays')).toEqual({ outcome: 'stale' });
  });
});

describe('the sandbox by the day (publish-api.md: Limits; D-17)', () => {
  it.each([
    ['free', 100],
    ['mini', 1000],
  ] as const)('plan %s: %i until midnight UTC', async (plan, quota) => {
    const on = await scene({}, 0, plan);
    await database.pool.query(
      `insert into ops_budget (endpoint_id, budget, day, day_count) values ($1, 'sandbox', '2026-03-14', $2)`,
      [on.endpoint.endpoint_id, quota - 1],
    );
    expect(await on.budget('sandbox')).toEqual(TAKEN);
    await on.at('23:59:59.5');
    expect(await on.budget('sandbox')).toEqual(refused('sandbox', 1));
    await on.at('2026-03-15T00:00:00Z');
    expect(await on.budget('sandbox')).toEqual(TAKEN);
  });

  it.each(['standard', 'pro', 'maxi', 'business'] as const)('plan %s: unlimited', async (plan) => {
    const on = await scene({}, 0, plan);
    for (let i = 0; i < 3; i++) expect(await on.budget('sandbox')).toEqual(TAKEN);
    const { rows } = await database.pool.query('select 1 from ops_budget where endpoint_id = $1', [
      on.endpoint.endpoint_id,
    ]);
    expect(rows).toEqual([]);
  });
});
