import { getFormat } from '../../i18n/format.js';
import { countByChannel, countInState, showCount } from './waiting-summary.js';

const post = (...publications: readonly (readonly [string, string, string?])[]) =>
  ({
    publications: publications.map(([channel, state, rule]) => ({
      target_id: channel,
      state,
      waiting_for: rule === undefined ? null : { rule },
    })),
  }) as never;
const queued = {
  items: [post(['tgt_1', 'queued', 'channel_pause'], ['tgt_2', 'published']), post(['tgt_1', 'queued', 'retry'])],
  next: 'more',
};
const inDoubt = { items: [post(['tgt_1', 'in_doubt'])], next: null };

describe('the numbers of a channel', () => {
  it('are those in doubt and those that wait, under the worst state', () => {
    expect([...countByChannel({ queued, inDoubt, failed: undefined })]).toEqual([
      [
        'tgt_1',
        [
          { state: 'in_doubt', count: 1 },
          { state: 'retrying', count: 2 },
        ],
      ],
    ]);
  });

  it('say that there may be more than were counted', () => {
    const format = getFormat('en');
    expect(showCount(countInState(queued, 'queued')!, format)).toBe('2+');
    expect(showCount(countInState(inDoubt, 'in_doubt')!, format)).toBe('1');
    expect(countInState(undefined, 'failed')).toBeUndefined();
  });
});
