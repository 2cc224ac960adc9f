import type { Plan } from '../../domain/owner/owner.events.js';
import type { UsageRow } from './posts.tables.js';
import { postsLeft } from './usage.queries.js';

const MONTHLY: Record<Plan, number | null> = {
  free: 30,
  mini: 150,
  standard: 500,
  pro: 2000,
  maxi: 10_000,
  business: null,
};
const NOW = Date.UTC(2026, 10, 21, 12);

const month = (name: string, published: number, plan: Plan | null = 'free'): UsageRow => ({
  ...{ owner_month: `own_1/${name}`, owner_id: 'own_1', month: name, published, plan, last_event: `e-${name}` },
});
const left = (months: readonly UsageRow[], packPosts = 0, plan: Plan = 'free') =>
  postsLeft(months, { plan, packPosts }, NOW, MONTHLY);

describe('what is left of a month (D-18)', () => {
  it('is the plan’s quota at first, until the next UTC month begins', () => {
    expect(left([])).toEqual({ month: '2026-11', used: 0, left: 30, resetsAt: Date.UTC(2026, 11, 1), lastEvent: null });
    expect(postsLeft([], { plan: 'free', packPosts: 0 }, Date.UTC(2026, 11, 31, 23, 59), MONTHLY).resetsAt).toBe(
      Date.UTC(2027, 0, 1),
    );
  });

  it('shrinks with each publication of this month alone', () => {
    expect(left([month('2026-10', 30), month('2026-11', 12)])).toMatchObject({
      used: 12,
      left: 18,
      lastEvent: 'e-2026-11',
    });
    expect(left([month('2026-11', 30)])).toMatchObject({ used: 30, left: 0 });
  });

  it('grows by packs, which serve what goes beyond the quota', () => {
    expect(left([month('2026-11', 12)], 5)).toMatchObject({ left: 23 });
    expect(left([month('2026-11', 33)], 5)).toMatchObject({ used: 33, left: 2 });
    expect(left([month('2026-11', 40)], 5)).toMatchObject({ left: 0 });
  });

  it('keeps what a pack has left over from an earlier month, and not what was spent', () => {
    expect(left([month('2026-09', 32), month('2026-10', 31), month('2026-11', 0)], 5)).toMatchObject({ left: 32 });
  });

  it('judges each month by the plan it was published under', () => {
    expect(left([month('2026-10', 1_500, 'pro')], 5)).toMatchObject({ left: 35 });
    expect(left([month('2026-10', 1_500, null)], 5)).toMatchObject({ left: 30 }); // unknown: today's plan
  });

  it('has no end where the plan has none', () => {
    expect(left([month('2026-11', 99_999, 'business')], 0, 'business')).toMatchObject({ used: 99_999, left: null });
  });
});
