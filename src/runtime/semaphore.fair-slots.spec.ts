import { FairSlots } from './semaphore.js';

/** Takes slots for an owner until the owner would have to wait. @returns the number of slots taken */
const fill = (slots: FairSlots, owner: string): number => {
  let taken = 0;
  for (; !slots.isAtShare(owner); taken++) slots.take(owner);
  return taken;
};
const turn = (): Promise<void> => new Promise(setImmediate);

describe('slots that owners share fairly', () => {
  it('leave half to others if one owner is busy, and something to each further owner', () => {
    const slots = new FairSlots(64);
    expect(fill(slots, 'a')).toBe(32);
    expect(fill(slots, 'b')).toBe(16);
    expect(fill(slots, 'c')).toBe(8);
    expect(slots.isAtShare('d')).toBe(false);
  });

  it('become equal as work ends: who holds more than the others takes none', () => {
    const slots = new FairSlots(64);
    const owners = ['a', 'b'];
    for (const owner of owners) fill(slots, owner);
    for (let i = 0; i < 64; i++) {
      for (const owner of owners) slots.release(owner);
      for (const owner of owners) fill(slots, owner);
    }
    const [a, b] = owners.map((owner) => slots.holders.get(owner)!);
    expect(Math.abs(a! - b!)).toBeLessThanOrEqual(2);
    expect(slots.free).toBeGreaterThan(18);
  });

  it('go to owners in turn, not in the order of arrival', async () => {
    const slots = new FairSlots(1);
    const order: string[] = [];
    const use = async (owner: string): Promise<void> => {
      const release = await slots.acquire(owner);
      order.push(owner);
      await turn();
      release();
    };
    await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(use));
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
    expect([slots.free, slots.holders.size, slots.listWaiting()]).toEqual([1, 0, []]);
  });

  it('are not taken by who gave up waiting', async () => {
    const slots = new FairSlots(1);
    const release = await slots.acquire('a');
    const stop = new AbortController();
    const waiting = slots.acquire('b', stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(slots.acquire('b', stop.signal)).rejects.toThrow('enough');
    release();
    expect([slots.free, slots.listWaiting()]).toEqual([1, []]);
  });
});
