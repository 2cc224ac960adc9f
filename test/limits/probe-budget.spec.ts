import type { Pool } from 'pg';
import { ProbeBudget, type ProbePayer, type ProbeVerdict } from '../../src/limits/budgets.js';
import { LimitsDatabase } from './limits-database.js';

let database: LimitsDatabase;
beforeAll(async () => (database = await LimitsDatabase.start()));
afterAll(() => database.stop());

const MB = 1_048_576;
const FIGURES = { probesPerMinute: 600, probeBytesPerMinute: 200 * MB };
const paid: unknown = expect.objectContaining({ outcome: 'paid' });
const refused = (retryAfter: number, scope = 'endpoint'): unknown => ({ outcome: 'refused', retryAfter, scope });

let count = 0;
const newOwner = (): string => `own_probes_${++count}`;
const newEndpoint = (owner_id = newOwner()): ProbePayer => ({ endpoint_id: `ep_probes_${++count}`, owner_id });

/** A budget whose clock stays at noon until it is set. */
const createBudget = async (figures: { probesPerMinute?: number | null; probeBytesPerMinute?: number } = {}) => {
  const { pool, setClock } = await database.newPoolAtNoon();
  const budget = new ProbeBudget(pool, { ...FIGURES, ...figures });
  const pay = (payer: ProbePayer, probes: number, bytes = 0): Promise<ProbeVerdict> =>
    budget.pay(payer, { probes, bytes });
  const payAt = async (time: string, ...payment: Parameters<typeof pay>): Promise<ProbeVerdict> => {
    await setClock(time);
    return pay(...payment);
  };
  return { pay, payAt, setClock };
};

describe('the probe budget (D-51)', () => {
  it('is 600 probes in any sliding minute, and Retry-After says when the next ones fit', async () => {
    const { payAt } = await createBudget();
    const endpoint = newEndpoint();
    expect(await payAt('12:00:00', endpoint, 300)).toEqual(paid);
    expect(await payAt('12:00:20.5', endpoint, 300)).toEqual(paid);
    expect(await payAt('12:00:30', endpoint, 1)).toEqual(refused(30));
    expect(await payAt('12:00:30', endpoint, 301)).toEqual(refused(51));
    expect(await payAt('12:00:59.999', endpoint, 300)).toEqual(refused(1));
    expect(await payAt('12:01:00', endpoint, 300)).toEqual(paid);
    expect(await payAt('12:01:00', endpoint, 1)).toEqual(refused(21));
  });

  it('is 200 MB of 1,048,576 bytes', async () => {
    const { payAt } = await createBudget();
    const endpoint = newEndpoint();
    expect(await payAt('12:00:00', endpoint, 1, 200 * MB - 1)).toEqual(paid);
    expect(await payAt('12:00:10', endpoint, 1, 2)).toEqual(refused(50));
    expect(await payAt('12:00:10', endpoint, 1, 1)).toEqual(paid);
  });

  it('is twice as large for an owner, over all endpoints', async () => {
    const { payAt } = await createBudget({ probesPerMinute: 10 });
    const owner = newOwner();
    const endpoints = [newEndpoint(owner), newEndpoint(owner), newEndpoint(owner)] as const;
    expect(await payAt('12:00:00', endpoints[0], 10)).toEqual(paid);
    expect(await payAt('12:00:05', endpoints[1], 8)).toEqual(paid);
    expect(await payAt('12:00:10', endpoints[2], 3)).toEqual(refused(50, 'owner'));
    expect(await payAt('12:00:10', endpoints[2], 2)).toEqual(paid);
    expect(await payAt('12:00:10', newEndpoint(), 10)).toEqual(paid);
  });

  it('gives back what was paid and not used', async () => {
    const { pay } = await createBudget({ probesPerMinute: 10, probeBytesPerMinute: MB });
    const endpoint = newEndpoint();
    const first = await pay(endpoint, 10, MB);
    expect(await pay(endpoint, 1, 1)).toEqual(refused(60));
    if (first.outcome === 'paid') await first.settle({ probes: 4, bytes: 1_000 });
    expect(await pay(endpoint, 7)).toEqual(refused(60));
    expect(await pay(endpoint, 6, MB - 1_000)).toEqual(paid);
  });

  it('covers the whole request with Retry-After where its second payment is refused', async () => {
    const { pool, setClock } = await database.newPoolAtNoon();
    const budget = new ProbeBudget(pool, { ...FIGURES, probesPerMinute: 10 });
    const endpoint = newEndpoint();
    await budget.pay(endpoint, { probes: 3, bytes: 0 });
    await setClock('12:00:30');
    await budget.pay(endpoint, { probes: 5, bytes: 0 }); // the request's first payment
    const second = await budget.pay(endpoint, { probes: 3, bytes: 0 }, { probes: 8, bytes: 0 });
    expect(second).toEqual(refused(60)); // 30 s would be enough for the second payment, but not for a repetition of both
    await setClock('12:01:30');
    expect(await budget.pay(endpoint, { probes: 5, bytes: 0 })).toEqual(paid);
    expect(await budget.pay(endpoint, { probes: 3, bytes: 0 })).toEqual(paid);
  });

  it('covers the whole request with Retry-After where its owner’s budget refuses the second payment', async () => {
    const { pool, setClock } = await database.newPoolAtNoon();
    const budget = new ProbeBudget(pool, { ...FIGURES, probesPerMinute: 10 });
    const owner = newOwner();
    const endpoint = newEndpoint(owner);
    await budget.pay(newEndpoint(owner), { probes: 4, bytes: 0 });
    await setClock('12:00:20');
    await budget.pay(newEndpoint(owner), { probes: 10, bytes: 0 });
    await budget.pay(newEndpoint(owner), { probes: 4, bytes: 0 });
    await setClock('12:00:30');
    await budget.pay(endpoint, { probes: 2, bytes: 0 }); // the request's first payment
    const second = await budget.pay(endpoint, { probes: 3, bytes: 0 }, { probes: 5, bytes: 0 });
    expect(second).toEqual(refused(50, 'owner')); // 30 s would be enough for the second payment alone
  });

  it('lets a payment above a limit pass where nothing of that limit is used', async () => {
    const { payAt } = await createBudget({ probesPerMinute: 3 });
    const endpoint = newEndpoint();
    expect(await payAt('12:00:00', endpoint, 10)).toEqual(paid);
    expect(await payAt('12:00:01', endpoint, 10)).toEqual(refused(59));
    expect(await payAt('12:01:00', endpoint, 10)).toEqual(paid);
  });

  it('is not used up by refused payments', async () => {
    const { payAt } = await createBudget({ probesPerMinute: 5 });
    const endpoint = newEndpoint();
    await payAt('12:00:00', endpoint, 5);
    for (let i = 0; i < 20; i++) expect(await payAt('12:00:30', endpoint, 5)).toEqual(refused(30));
    expect(await payAt('12:01:00', endpoint, 5)).toEqual(paid);
  });

  it('of null is no limit, and without both figures no call', async () => {
    const { pay } = await createBudget({ probesPerMinute: null });
    const endpoint = newEndpoint();
    for (let i = 0; i < 5; i++) expect(await pay(endpoint, 1_000)).toEqual(paid);
    await pay(endpoint, 1, 200 * MB);
    expect(await pay(endpoint, 1, 1)).toEqual(refused(60));
    const unused = { query: () => Promise.reject(new Error('called')) } as unknown as Pool;
    const unlimited = new ProbeBudget(unused, { probesPerMinute: null, probeBytesPerMinute: null });
    expect(await unlimited.pay(endpoint, { probes: 1, bytes: 1 })).toEqual(paid);
  });

  it('deletes payments that no longer count', async () => {
    const { payAt } = await createBudget();
    const endpoint = newEndpoint();
    await payAt('12:00:00', endpoint, 1);
    await payAt('12:05:00', newEndpoint(), 1);
    const text = 'select 1 from ops_probe_payment where endpoint_id = $1';
    expect((await database.pool.query(text, [endpoint.endpoint_id])).rows).toEqual([]);
  });

  it('is true: at random payments, exactly those pass whose minute has room, and each does after its Retry-After', async () => {
    const LIMIT = 20;
    const { payAt } = await createBudget({ probesPerMinute: LIMIT });
    const endpoint = newEndpoint();
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
    const history: { at: number; probes: number }[] = [];
    const usedAt = (at: number): number =>
      history.filter((one) => one.at > at - 60).reduce((sum, { probes }) => sum + probes, 0);
    const clock = (at: number): string => new Date(Date.UTC(2026, 2, 14, 12) + at * 1_000).toISOString();
    let at = 0;
    for (let i = 0; i < 150; i++) {
      at += random(9);
      const probes = 1 + random(10);
      const verdict = await payAt(clock(at), endpoint, probes);
      expect([verdict.outcome, usedAt(at) + probes <= LIMIT]).toEqual([expect.anything(), verdict.outcome === 'paid']);
      if (verdict.outcome === 'refused') {
        expect(usedAt(at + verdict.retryAfter - 1) + probes).toBeGreaterThan(LIMIT);
        at += verdict.retryAfter;
        expect(await payAt(clock(at), endpoint, probes)).toEqual(paid);
      }
      history.push({ at, probes });
    }
  });
});

describe('three processes over one database', () => {
  it('pay exactly the budget of parallel probes, also in batches of several owners', async () => {
    // Their clock stands still, so that the minute does not end on a busy machine.
    const newBudget = async () =>
      new ProbeBudget((await database.newPoolAtNoon()).pool, { ...FIGURES, probesPerMinute: 37 });
    const budgets = await Promise.all([newBudget(), newBudget(), newBudget()]);
    const owners = [newOwner(), newOwner(), newOwner()];
    const endpoints = owners.flatMap((owner) => [newEndpoint(owner), newEndpoint(owner), newEndpoint(owner)]);
    const verdicts = await Promise.all(
      Array.from({ length: 150 }, (_, i) => {
        const ordered = i % 2 ? endpoints : endpoints.toReversed();
        return Promise.all(ordered.map((endpoint) => budgets[i % 3]!.pay(endpoint, { probes: 1, bytes: 1 })));
      }),
    );
    expect(verdicts.flat().filter(({ outcome }) => outcome === 'paid')).toHaveLength(3 * 2 * 37);
  });
});
