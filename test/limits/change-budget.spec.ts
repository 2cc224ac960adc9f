import type { Pool } from 'pg';
import { ChangeBudget } from '../../src/limits/budgets.js';
import { LimitsDatabase, profileWith } from './limits-database.js';

let database: LimitsDatabase;
beforeAll(async () => {
  database = await LimitsDatabase.start();
});
afterAll(() => database.stop());

const newBudget = (pool: Pool, managementChangesPerMinute: number | null): ChangeBudget =>
  new ChangeBudget(pool, profileWith({ managementChangesPerMinute }));

const countAdmitted = (results: readonly (number | null)[]): number =>
  results.filter((retryAfter) => retryAfter === null).length;

describe('the budget for changes of an owner (D-83)', () => {
  it('is exact across processes, and each owner has one', async () => {
    const budgets = [1, 2, 3].map(() => newBudget(database.newPool(2), 20));
    const take = (owner: string) =>
      Promise.all(Array.from({ length: 60 }, (_, i) => budgets[i % budgets.length]!.take(owner)));
    const results = await Promise.all(['own_1', 'own_2'].map(take));
    expect(results.map(countAdmitted)).toEqual([20, 20]);
    for (const seconds of results.flat().filter((retryAfter) => retryAfter !== null)) {
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
    }
  });

  it('is a sliding minute: a change has room again when an earlier one is a minute old', async () => {
    const { pool, setClock } = await database.newPoolAtNoon();
    const budget = newBudget(pool, 3);
    expect(await budget.take('own_3')).toBeNull();
    await setClock('12:00:20');
    expect([await budget.take('own_3'), await budget.take('own_3')]).toEqual([null, null]);
    await setClock('12:00:30');
    expect(await budget.take('own_3')).toBe(30);
    await setClock('12:01:00');
    expect(await budget.take('own_3')).toBeNull();
    expect(await budget.take('own_3')).toBe(20);
  });

  it('counts nothing if the profile has no limit', async () => {
    const budget = newBudget(database.pool, null);
    for (let n = 0; n < 50; n++) expect(await budget.take('own_4')).toBeNull();
    const { rows } = await database.pool.query("select from ops_budget where payer_id = 'own_4'");
    expect(rows).toEqual([]);
  });
});
