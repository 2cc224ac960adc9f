import { jest } from '@jest/globals';
import { SampledLog } from './sampled-log.js';

describe('SampledLog', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('logs the first event, then the number of the others once a minute, until a minute passes without any', () => {
    const lines: unknown[] = [];
    const sampled = new SampledLog<{ ip: string }>(({ ip }, count) => lines.push([ip, count]));
    for (const ip of ['a', 'b', 'c']) sampled.add({ ip });
    expect(lines).toEqual([['a', 1]]);
    jest.advanceTimersByTime(60_000);
    expect(lines.splice(0)).toEqual([
      ['a', 1],
      ['c', 2],
    ]);
    sampled.add({ ip: 'd' });
    jest.advanceTimersByTime(60_000);
    expect(lines.splice(0)).toEqual([['d', 1]]);
    jest.advanceTimersByTime(60_000);
    sampled.add({ ip: 'e' });
    expect(lines).toEqual([['e', 1]]);
  });
});
