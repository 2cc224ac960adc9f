import { PreviewBudget } from './budgets.js';

class Refused extends Error {
  constructor(readonly retryAfter: number) {
    super();
  }
}
const reject = (retryAfter: number) => new Refused(retryAfter);

describe('PreviewBudget', () => {
  let time: number;
  beforeEach(() => (time = 1_000));
  /** Spends some ms, by the test's clock, from an owner's budget. */
  const spend = (budget: PreviewBudget, owner: string, ms: number): Promise<string> =>
    budget.spend(owner, reject, () => {
      time += ms;
      return 'done';
    });
  const create = (previewMsPerMinute: number | null) =>
    new PreviewBudget(
      { previewMsPerMinute },
      () => time,
      async (ms) => void (time += ms),
    );

  it('lets an owner use a quarter of a minute at once, and what flows in meanwhile', async () => {
    const budget = create(6_000); // 100 ms a second
    await spend(budget, 'own_a', 1_400);
    // 100 of 1,500 ms are left, and the pause of 1,400 ms adds 140: overdrawn by 60.
    await expect(spend(budget, 'own_a', 300)).resolves.toBe('done');
    await expect(spend(budget, 'own_a', 1)).rejects.toEqual(new Refused(16));
    await expect(spend(budget, 'own_b', 1)).resolves.toBe('done');
    time += 16_000;
    await expect(spend(budget, 'own_a', 1_500)).resolves.toBe('done');
    await expect(spend(budget, 'own_a', 1)).rejects.toBeInstanceOf(Refused);
  });

  it('lets others use the thread after a long piece for as long as it took', async () => {
    const budget = create(60_000);
    await spend(budget, 'own_a', 200);
    expect(time).toBe(1_200);
    await spend(budget, 'own_b', 5);
    expect(time).toBe(1_405);
    await spend(budget, 'own_c', 5);
    expect(time).toBe(1_410);
  });

  it('refuses a call that waited for the thread if the others have used up what was left', async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const rest = async (ms: number): Promise<void> => {
      const until = time + ms;
      await begun;
      time = Math.max(time, until);
    };
    const budget = new PreviewBudget({ previewMsPerMinute: 6_000 }, () => time, rest);
    await spend(budget, 'own_a', 200);
    const calls = [1, 2, 3].map(() => spend(budget, 'own_b', 1_400));
    for (let i = 0; i < 10; i++) await new Promise(setImmediate); // all of them wait for the thread
    begin();
    const statuses = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('charges for work that fails, and until work first waits', async () => {
    const budget = create(60);
    const fail = budget.spend('own_a', reject, () => {
      time += 20;
      throw new Error('failed');
    });
    await expect(fail).rejects.toThrow('failed');
    await expect(spend(budget, 'own_a', 1)).rejects.toBeInstanceOf(Refused);
    let finish: () => void = () => undefined;
    const waiting = budget.spend('own_b', reject, () => new Promise<void>((resolve) => (finish = resolve)));
    await expect(spend(budget, 'own_b', 1)).resolves.toBe('done');
    time += 600_000;
    finish();
    await waiting;
    await expect(spend(budget, 'own_b', 1)).resolves.toBe('done');
  });

  it('refuses nothing without a limit', async () => {
    const budget = create(null);
    for (let i = 0; i < 3; i++) await expect(spend(budget, 'own_a', 100_000)).resolves.toBe('done');
  });
});
