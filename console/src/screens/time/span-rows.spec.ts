import { mergeChanges } from './span-rows.js';

const change = (at: number) => ({
  at: new Date(at).toISOString(),
  actor: 'operator',
  type: 'ChannelPaused',
  event_id: String(at),
  aggregate: 'channel-pause',
  aggregate_id: 'tgt_1',
});

describe('marks of changes by people', () => {
  it('merge what is close together, and keep the time of the first', () => {
    const marks = mergeChanges([change(0), change(10), change(500)], 1000);
    expect(marks.map(({ at, changes }) => [at, changes.length])).toEqual([
      [0, 2],
      [500, 1],
    ]);
  });

  it('are one for each change that stands alone', () => {
    expect(mergeChanges([change(0), change(300), change(600)], 1000)).toHaveLength(3);
  });
});
