import type { Network, WaitingPublication } from '../../api/overview.js';
import { chartLines, lookAt, summarize } from './network-look.js';
import { countNew } from './use-steady-list.js';

const network = (state: Network['state'], figures: Partial<Network> = {}): Network => ({
  platform: 'telegram',
  state,
  published_hour: 0,
  waiting: 0,
  oldest_at: null,
  next_at: null,
  in_doubt: 0,
  failed: 0,
  refused_hour: 0,
  p95_seconds: null,
  last_published_at: null,
  minutes: [],
  ...figures,
});

const waiting = (rule: string, until: string | null = null): WaitingPublication =>
  ({ platform: 'telegram', channel: { id: 'tgt_1', name: 'Tide Tables' }, waiting_for: { rule, until } }) as never;

const UNTIL = '2026-11-26T11:40:00.000Z';

describe('the summary of an overview', () => {
  it('adds up the networks', () => {
    const networks = [
      network('going', { waiting: 2, published_hour: 24, oldest_at: '2026-11-26T10:00:00.000Z', p95_seconds: 0.5 }),
      network('held', { waiting: 7, published_hour: 34, oldest_at: '2026-11-26T09:48:00.000Z', p95_seconds: 2.5 }),
    ];
    expect(summarize({ networks })).toEqual({
      waiting: 9,
      publishedHour: 58,
      oldestAt: '2026-11-26T09:48:00.000Z',
      p95Seconds: 2.5,
    });
  });

  it('has no oldest publication and no percentile where nothing happens', () => {
    expect(summarize({ networks: [network('idle')] })).toMatchObject({
      oldestAt: null,
      p95Seconds: null,
    });
  });
});

describe('the look of a network', () => {
  it('is paused if pauses alone hold it', () => {
    const look = lookAt(network('held'), [waiting('channel_pause', UNTIL)]);
    expect(look).toMatchObject({ icon: 'paused', tone: 'idle', pause: { channel: 'Tide Tables', until: UNTIL } });
  });

  it('is on hold if a person has to act, whatever is paused beside it', () => {
    const look = lookAt(network('held'), [waiting('channel_pause', UNTIL), waiting('needs_attention', UNTIL)]);
    expect(look).toMatchObject({ icon: 'onHold', tone: 'warn', pause: null, needsPerson: true });
  });

  it('is on hold if the reason is not among the publications that are shown', () => {
    expect(lookAt(network('held'), [])).toMatchObject({ icon: 'onHold', needsPerson: true });
  });
});

describe('the lines of a chart', () => {
  it.each([
    [0, [1]],
    [1, [1]],
    [4, [2, 4]],
    [9, [5, 10]],
    [52, [20, 40, 60]],
    [271, [100, 200, 300]],
  ])('reach %i in round steps', (highest, lines) => expect(chartLines(highest)).toEqual(lines));
});

describe('a list that is held', () => {
  it('counts the items that it does not show yet', () => {
    expect(countNew(['d', 'c', 'b', 'a'], ['b', 'a'])).toBe(2);
    expect(countNew(['b', 'a'], ['b', 'a'])).toBe(0);
  });
});
