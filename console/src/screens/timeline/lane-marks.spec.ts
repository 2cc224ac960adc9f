import type { Post } from '../../publications/shown-state.js';
import { marksByChannel, mergeMarks } from './lane-marks.js';

const MINUTE = 60_000;
const NOON = Date.parse('2026-11-26T12:00:00.000Z');
const at = (minutes: number): string => new Date(NOON + minutes * MINUTE).toISOString();

let sequence = 0;
const post = (accepted: number, publication: object): Post =>
  ({
    id: `post_${++sequence}`,
    accepted_at: at(accepted),
    publications: [
      {
        id: `pub_${sequence}`,
        target_id: 'tgt_1',
        platform: 'vk',
        sequence,
        attempts: [],
        waiting_for: null,
        published_at: null,
        ...publication,
      },
    ],
  }) as never;
const queued = (accepted: number, rule: string, until: number | null): Post =>
  post(accepted, {
    state: 'queued',
    waiting_for: { rule, until: until === null ? null : at(until), blocked_by: null, figures: {} },
  });
const minutesOf = (posts: readonly Post[]): readonly number[] =>
  (marksByChannel(posts, NOON, () => true).get('tgt_1') ?? []).map((mark) => (mark.at - NOON) / MINUTE);

describe('the marks of a lane', () => {
  it('stand where the post was published, failed or came into doubt', () => {
    const attempts = [{ started_at: at(-3), ended_at: at(-2) }];
    expect(minutesOf([post(-10, { state: 'published', published_at: at(-5) })])).toEqual([-5]);
    expect(minutesOf([post(-10, { state: 'in_doubt', attempts })])).toEqual([-2]);
    expect(minutesOf([post(-10, { state: 'filtered' })])).toEqual([-10]);
  });

  it('stand at the time when a waiting post goes, or where it was accepted if that is unknown', () => {
    expect(minutesOf([queued(-1, 'platform_limit', 2)])).toEqual([2]);
    expect(minutesOf([queued(-1, 'earlier_publication', null)])).toEqual([-1]);
    expect(minutesOf([queued(-1, 'retry', -0.5)])).toEqual([0]); // due: now
  });

  it('do not move to the future while the post waits for a person', () => {
    expect(minutesOf([queued(-7, 'needs_attention', 1440)])).toEqual([-7]);
    const behind = {
      rule: 'earlier_publication',
      until: at(1440),
      blocked_by: 'pub_0',
      figures: { blocked_by_rule: 'quota' },
    };
    expect(minutesOf([post(-5, { state: 'queued', waiting_for: behind })])).toEqual([-5]);
  });

  it('follow a pause one a minute', () => {
    expect(minutesOf([queued(-3, 'channel_pause', 30), queued(-2, 'channel_pause', 30)])).toEqual([30, 31]);
  });

  it('merge when they are near, under the worst state', () => {
    const posts = [
      post(-10, { state: 'published', published_at: at(-10) }),
      post(-9, { state: 'failed', attempts: [{ started_at: at(-9), ended_at: at(-9) }] }),
      post(-2, { state: 'published', published_at: at(-2) }),
    ];
    const groups = mergeMarks(marksByChannel(posts, NOON, () => true).get('tgt_1') ?? [], 3 * MINUTE);
    expect(groups.map(({ state, count, marks }) => [state, count, marks.length])).toEqual([
      ['failed', 1, 2],
      ['published', 1, 1],
    ]);
    expect(groups[0]?.marks[0]?.state).toBe('failed');
  });
});
