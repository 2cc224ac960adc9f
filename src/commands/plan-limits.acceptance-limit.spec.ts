import { NotAppended } from '../event-store/port.js';
import { AcceptanceLimit } from './plan-limits.js';

const MINUTE = 60_000;

describe('the limit of an acceptance', () => {
  let now = 0;
  const limit = new AcceptanceLimit(10 * MINUTE, { now: () => now });

  it('is reached by either clock, the monotonic one or the system clock', () => {
    now = 10 * MINUTE;
    expect(() => limit.check()).not.toThrow();
    now = 10 * MINUTE + 1;
    expect(() => limit.check()).toThrow(NotAppended);
    now = -1_000 * MINUTE;
    const monotonic = performance.now.bind(performance);
    performance.now = () => monotonic() + 11 * MINUTE;
    expect(() => limit.check()).toThrow(NotAppended);
    performance.now = monotonic;
    expect(() => limit.check()).not.toThrow();
  });
});
