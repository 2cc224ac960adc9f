import { EventLoopBatch } from './event-loop-batch.js';

describe('EventLoopBatch', () => {
  const turn = () => new Promise(setImmediate);

  it('processes the items of one event loop turn together, in order, at the end of the turn', async () => {
    const processed: number[] = [];
    const batch = new EventLoopBatch<number>((item) => processed.push(item));
    batch.add(1);
    await Promise.resolve();
    batch.add(2);
    process.nextTick(() => batch.add(3));
    expect(processed).toEqual([]);

    await turn();

    expect(processed).toEqual([1, 2, 3]);
  });

  it('leaves items that are added during processing to the next batch', async () => {
    const processed: number[] = [];
    const batch = new EventLoopBatch<number>((item) => {
      processed.push(item);
      if (item < 3) batch.add(item + 1);
    });
    batch.add(1);

    await turn();
    expect(processed).toEqual([1]);
    await turn();
    expect(processed).toEqual([1, 2]);
    await turn();
    expect(processed).toEqual([1, 2, 3]);
  });

  it('processes at once when it is flushed, no item twice, and continues afterwards', async () => {
    const processed: number[] = [];
    const batch = new EventLoopBatch<number>((item) => processed.push(item));
    batch.add(1);
    batch.add(2);

    batch.flush();
    expect(processed).toEqual([1, 2]);
    batch.add(3);
    await turn();

    expect(processed).toEqual([1, 2, 3]);
  });
});
