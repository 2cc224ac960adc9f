import type { StoredEvent } from '../port.js';
import { EventBuffer } from './append-queue.js';

const event = (position: bigint): StoredEvent => ({
  stream: 's',
  id: String(position),
  type: 'T',
  data: '',
  metadata: '',
  revision: position,
  position,
});

/** The events after a position, up to another one. */
const range = (after: number, end: number) => ({
  after: BigInt(after),
  end: BigInt(end),
  events: Array.from({ length: end - after }, (_, i) => event(BigInt(after + i + 1))),
});

describe('EventBuffer', () => {
  it('is filled by one read up to the last gap, however many gaps there are', () => {
    const buffer = new EventBuffer();
    buffer.reset(0n);
    for (const [after, end] of [
      [2, 3],
      [5, 6],
      [9, 11],
    ] as const)
      buffer.addRange(range(after, end));
    expect(buffer.lastGapEnd).toBe(9n);
    expect(buffer.addRange(range(0, Number(buffer.lastGapEnd)))).toBe(true);
    expect([buffer.head, buffer.lastGapEnd]).toEqual([11n, null]);
    const positions = buffer.readAfter(0n, 100)!.events.map(({ position }) => Number(position));
    expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});
