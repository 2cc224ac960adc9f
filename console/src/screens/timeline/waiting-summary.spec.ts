import { summarizeWaiting } from './waiting-summary.js';

const publication = (id: string, rule: string | null, extra: object = {}) => ({
  id,
  state: 'queued',
  platform: 'vk',
  waiting_for: { rule, blocked_by: null, figures: { blocked_by_rule: null }, ...extra },
});
const post = (...publications: readonly object[]) => ({ publications }) as never;
const queued = (id: string, rule: string | null, extra: object = {}) => post(publication(id, rule, extra));

describe('the summary of what waits', () => {
  it('counts by the cause, also of publications that wait for another', () => {
    const summary = summarizeWaiting([
      queued('pub_1', 'needs_attention'),
      queued('pub_2', 'channel_pause'),
      queued('pub_3', 'backlog_spacing'),
      queued('pub_4', 'platform_limit'),
      queued('pub_5', 'earlier_publication', { blocked_by: 'pub_4' }),
      queued('pub_6', 'earlier_publication', { blocked_by: 'pub_0', figures: { blocked_by_rule: 'retry' } }),
      queued('pub_7', null),
      queued('pub_9', 'pace'),
      post({ id: 'pub_8', state: 'published', platform: 'vk', waiting_for: null }),
    ]);
    expect(summary).toEqual({ total: 8, person: 1, pause: 2, retry: 1, next: 1, networks: { vk: 3 } });
  });

  it('counts a post on several channels once, under what needs a person', () => {
    const waits = [publication('pub_1', 'channel_pause'), publication('pub_2', 'needs_attention')];
    expect(summarizeWaiting([post(...waits)])).toEqual({
      total: 1,
      person: 1,
      pause: 0,
      retry: 0,
      next: 0,
      networks: {},
    });
  });
});
