import { Cohort } from './event-loop-batch.js';

describe('a cohort', () => {
  const turn = () => new Promise(setImmediate);

  it('works on what comes within a turn together, in order, at its end', async () => {
    const worked: number[] = [];
    const cohort = new Cohort<number>((item) => worked.push(item));
    cohort.add(1);
    await Promise.resolve();
    cohort.add(2);
    process.nextTick(() => cohort.add(3));
    expect(worked).toEqual([]);

    await turn();

    expect(worked).toEqual([1, 2, 3]);
  });

  it('leaves what comes while it works to the next one', async () => {
    const worked: number[] = [];
    const cohort = new Cohort<number>((item) => {
      worked.push(item);
      if (item < 3) cohort.add(item + 1);
    });
    cohort.add(1);

    await turn();
    expect(worked).toEqual([1]);
    await turn();
    expect(worked).toEqual([1, 2]);
    await turn();
    expect(worked).toEqual([1, 2, 3]);
  });

  it('works at once where it is told to, on nothing twice, and goes on afterwards', async () => {
    const worked: number[] = [];
    const cohort = new Cohort<number>((item) => worked.push(item));
    cohort.add(1);
    cohort.add(2);

    cohort.now();
    expect(worked).toEqual([1, 2]);
    cohort.add(3);
    await turn();

    expect(worked).toEqual([1, 2, 3]);
  });
});
