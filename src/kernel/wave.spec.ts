import { Wave } from './wave.js';

describe('a wave', () => {
  const turn = () => new Promise(setImmediate);

  it('works on what comes within a turn together, in order, at its end', async () => {
    const worked: number[] = [];
    const wave = new Wave<number>((item) => worked.push(item));
    wave.add(1);
    await Promise.resolve();
    wave.add(2);
    process.nextTick(() => wave.add(3));
    expect(worked).toEqual([]);

    await turn();

    expect(worked).toEqual([1, 2, 3]);
  });

  it('leaves what comes while it works to the next one', async () => {
    const worked: number[] = [];
    const wave = new Wave<number>((item) => {
      worked.push(item);
      if (item < 3) wave.add(item + 1);
    });
    wave.add(1);

    await turn();
    expect(worked).toEqual([1]);
    await turn();
    expect(worked).toEqual([1, 2]);
    await turn();
    expect(worked).toEqual([1, 2, 3]);
  });

  it('works at once where it is told to, on nothing twice, and goes on afterwards', async () => {
    const worked: number[] = [];
    const wave = new Wave<number>((item) => worked.push(item));
    wave.add(1);
    wave.add(2);

    wave.now();
    expect(worked).toEqual([1, 2]);
    wave.add(3);
    await turn();

    expect(worked).toEqual([1, 2, 3]);
  });
});
