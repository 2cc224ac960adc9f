import { MemoryBudget } from './memory-budget.js';

const open = (bounds: object = {}) =>
  new MemoryBudget({ bytes: 100, bytesPerHolder: 60, waiting: 10, waitMs: 60_000, ...bounds });

describe('MemoryBudget', () => {
  it('grants reservations while there is room, the others in their order', async () => {
    const budget = open({ bytesPerHolder: 100 });
    const first = budget.reserve('a', 60);
    const second = budget.reserve('b', 60);
    const third = budget.reserve('c', 10); // would fit, but arrived after "b"
    expect([first.isGranted, second.isGranted, third.isGranted]).toEqual([true, false, false]);
    expect([budget.usedBytes, budget.waiting]).toEqual([60, 2]);

    first.release();
    expect(await Promise.all([second.granted, third.granted])).toEqual([true, true]);
    expect([budget.usedBytes, budget.waiting]).toEqual([70, 0]);
    second.release();
    second.release();
    third.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('leaves room for others than a holder that has its share', () => {
    const budget = open();
    const own = [budget.reserve('a', 30), budget.reserve('a', 30), budget.reserve('a', 30)];
    const other = budget.reserve('b', 40);
    expect([...own, other].map(({ isGranted }) => isGranted)).toEqual([true, true, false, true]);
    other.release();
    expect(own[2]!.isGranted).toBe(false);
    own[0]!.release();
    expect(own[2]!.isGranted).toBe(true);
  });

  it('keeps the order of one holder', () => {
    const budget = open();
    budget.reserve('a', 50);
    const large = budget.reserve('a', 30);
    expect([large.isGranted, budget.reserve('a', 5).isGranted]).toEqual([false, false]);
  });

  it('grants a reservation beyond the bounds if there is no other', () => {
    const budget = open();
    const large = budget.reserve('a', 500);
    expect([large.isGranted, budget.reserve('b', 1).isGranted]).toEqual([true, false]);
  });

  it('refuses what waits too long, or after too many', async () => {
    const budget = open({ waiting: 1, waitMs: 1 });
    const first = budget.reserve('a', 100);
    const late = budget.reserve('b', 10);
    const surplus = budget.reserve('c', 10);
    expect(await Promise.all([late.granted, surplus.granted])).toEqual([false, false]);
    expect(budget.waiting).toBe(0);
    first.release();
    expect([late.isGranted, budget.usedBytes]).toEqual([false, 0]);
  });

  it('lets the next one pass when one that waits is released', () => {
    const budget = open({ bytesPerHolder: 100 });
    budget.reserve('a', 60);
    const large = budget.reserve('b', 60);
    const small = budget.reserve('c', 40);
    large.release();
    expect([large.isGranted, small.isGranted, budget.usedBytes]).toEqual([false, true, 100]);
  });

  it('reserves what is in memory already at once, up to twice the bounds', () => {
    const budget = open();
    budget.reserve('a', 60);
    expect(budget.reserveHeld('a', 60)?.isGranted).toBe(true);
    expect(budget.reserveHeld('a', 1)).toBeNull();
    expect(budget.reserveHeld('b', 80)?.isGranted).toBe(true);
    expect(budget.reserveHeld('c', 1)).toBeNull();
    expect(budget.usedBytes).toBe(200);
  });
});
