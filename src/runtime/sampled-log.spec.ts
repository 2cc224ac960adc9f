import { SampledLog } from './sampled-log.js';

describe('SampledLog', () => {
  it('logs the first event, then the number of the others once a minute, until a minute passes without any', () => {
    const lines: unknown[] = [];
    let passMinute = (): void => undefined;
    const sampled = new SampledLog<{ ip: string }>(
      ({ ip }, count) => lines.push([ip, count]),
      (callback) => {
        passMinute = callback;
        return setTimeout(() => undefined, 0);
      },
    );
    for (const ip of ['a', 'b', 'c']) sampled.add({ ip });
    expect(lines.splice(0)).toEqual([['a', 1]]);
    passMinute();
    expect(lines.splice(0)).toEqual([['c', 2]]);
    sampled.add({ ip: 'd' });
    passMinute();
    expect(lines.splice(0)).toEqual([['d', 1]]);
    passMinute();
    sampled.add({ ip: 'e' });
    expect(lines).toEqual([['e', 1]]);
  });
});
