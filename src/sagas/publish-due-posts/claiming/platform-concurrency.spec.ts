import { Rooms } from './platform-concurrency.js';

describe('room for channels at work', () => {
  it('is each network’s own: one that is full takes nothing away from another', () => {
    const rooms = new Rooms(['a', 'b'], 2);
    rooms.enter('a');
    expect(rooms.left()).toEqual([
      { platform: 'a', size: 1 },
      { platform: 'b', size: 2 },
    ]);
    rooms.enter('a');
    expect(rooms.left()).toEqual([{ platform: 'b', size: 2 }]);
  });

  it('is free while somebody only waits, and whoever needs it hears of it', async () => {
    const rooms = new Rooms(['a'], 1);
    let freed = 0;
    rooms.onFree = () => (freed += 1);
    rooms.enter('a');
    let over: () => void = () => undefined;
    const waiting = rooms.outside('a', new Promise<void>((resolve) => (over = resolve)));
    expect([freed, rooms.left()]).toEqual([1, [{ platform: 'a', size: 1 }]]);
    over();
    await waiting;
    expect(rooms.left()).toEqual([]);
    rooms.leave('a');
    expect([freed, rooms.left()]).toEqual([2, [{ platform: 'a', size: 1 }]]);
  });
});
