import { Pace } from './pace.js';

/** Starts batches as early as the pace allows. Returns their start times, in ms. */
const startBatches = (pace: Pace, count: number, from: number): number[] => {
  let now = from;
  return Array.from({ length: count }, () => {
    now += pace.delay(now);
    pace.take(1, now);
    return now;
  });
};

describe('the pace of batches', () => {
  it('lets a burst pass at once, then one batch per interval', () => {
    const pace = new Pace(20, 3);
    expect(startBatches(pace, 6, 1_000)).toEqual([1_000, 1_000, 1_000, 1_020, 1_040, 1_060]);
  });

  it('regains one batch of the burst per interval, and never more than the burst', () => {
    const pace = new Pace(20, 3);
    startBatches(pace, 3, 1_000);
    expect(startBatches(pace, 4, 1_045)).toEqual([1_045, 1_045, 1_060, 1_080]);
    expect(startBatches(pace, 4, 9_000)).toEqual([9_000, 9_000, 9_000, 9_020]);
  });

  it('does not delay batches that are further apart than the interval', () => {
    const pace = new Pace(20, 1);
    const times = [0, 20, 45, 70];
    expect(times.map((now) => [pace.delay(now), pace.take(1, now)][0])).toEqual([0, 0, 0, 0]);
  });
});
