import {
  computePostsLeft,
  computeUsedUpAt,
  countToNextLevel,
  findQuotaLevel,
  hasMonthlyQuota,
  largerPlan,
  type MonthlyUsage,
  ownerMonthKey,
} from './monthly-quota.js';
import type { Plan } from './owner.events.js';

const MONTHLY: Record<Plan, number | null> = {
  free: 30,
  mini: 150,
  standard: 500,
  pro: 2000,
  maxi: 10_000,
  business: null,
};
const NOW = Date.UTC(2026, 10, 21, 12);

const month = (name: string, published: number, plan: Plan | null = 'free'): MonthlyUsage => ({
  month: name,
  published,
  plan,
  last_event: `e-${name}`,
});
const left = (months: readonly MonthlyUsage[], packPosts = 0, plan: Plan = 'free') =>
  computePostsLeft(months, { plan, packPosts }, NOW, MONTHLY);

describe('the posts left of a month (D-18)', () => {
  it('are the plan’s quota at first, until the next UTC month begins', () => {
    expect(left([])).toEqual({ month: '2026-11', used: 0, left: 30, resetsAt: Date.UTC(2026, 11, 1), lastEvent: null });
    expect(computePostsLeft([], { plan: 'free', packPosts: 0 }, Date.UTC(2026, 11, 31, 23, 59), MONTHLY).resetsAt).toBe(
      Date.UTC(2027, 0, 1),
    );
  });

  it('decrease with each publication of this month only', () => {
    expect(left([month('2026-10', 30), month('2026-11', 12)])).toMatchObject({
      used: 12,
      left: 18,
      lastEvent: 'e-2026-11',
    });
    expect(left([month('2026-11', 30)])).toMatchObject({ used: 30, left: 0 });
  });

  it('increase by packs, which cover publications beyond the quota', () => {
    expect(left([month('2026-11', 12)], 5)).toMatchObject({ left: 23 });
    expect(left([month('2026-11', 33)], 5)).toMatchObject({ used: 33, left: 2 });
    expect(left([month('2026-11', 40)], 5)).toMatchObject({ left: 0 });
  });

  it('include the rest of a pack from an earlier month, without the posts already used', () => {
    expect(left([month('2026-09', 32), month('2026-10', 31), month('2026-11', 0)], 5)).toMatchObject({ left: 32 });
  });

  it('count each month by the plan under which its posts were published', () => {
    expect(left([month('2026-10', 1_500, 'pro')], 5)).toMatchObject({ left: 35 });
    expect(left([month('2026-10', 1_500, null)], 5)).toMatchObject({ left: 30 }); // null: the current plan applies
  });

  it('are unlimited if the plan has no quota', () => {
    expect(left([month('2026-11', 99_999, 'business')], 0, 'business')).toMatchObject({ used: 99_999, left: null });
  });
});

describe('the month of an owner', () => {
  it('is named by the owner and the UTC month', () => {
    expect(ownerMonthKey('own_1', Date.UTC(2026, 10, 30, 23, 59, 59, 999))).toBe('own_1/2026-11');
    expect(ownerMonthKey('own_1', Date.UTC(2026, 11, 1))).toBe('own_1/2026-12');
  });

  it('is used up after the publications so far and the posts left', () => {
    expect(computeUsedUpAt(left([month('2026-11', 12)], 5))).toBe(35);
    expect(computeUsedUpAt(left([month('2026-11', 12)], 5, 'business'))).toBeNull();
  });

  it('counts by the larger plan of the month', () => {
    expect(largerPlan('mini', 'free')).toBe('mini');
    expect(largerPlan('free', 'business')).toBe('business');
    expect(largerPlan('pro', 'pro')).toBe('pro');
    expect(largerPlan(null, 'pro')).toBe('pro');
    expect(largerPlan('free', null)).toBe('free');
    expect(largerPlan(null, null)).toBeNull();
  });
});

describe('the levels at which an owner gets a notice (D-18)', () => {
  it.each<[used: number, packs: number, level: string | null, countToNext: number]>([
    [0, 0, null, 24],
    [23, 0, null, 1],
    [24, 0, 'nearly_used', 6],
    [29, 0, 'nearly_used', 1],
    [30, 0, 'used_up', 0],
    [31, 0, 'used_up', 0],
    [30, 1, 'nearly_used', 1],
    [24, 30, null, 24],
  ])('with %i posts used and packs of %i are %s, and the next comes after %i', (used, packs, level, countToNext) => {
    const posts = left([month('2026-11', used)], packs);
    expect([findQuotaLevel(posts), countToNextLevel(posts)]).toEqual([level, countToNext]);
  });

  it('skip 80 % of so few posts that none are left then', () => {
    const posts = { ...left([]), used: 0, left: 2 };
    expect([findQuotaLevel(posts), countToNextLevel(posts)]).toEqual([null, 2]);
    expect(findQuotaLevel({ ...posts, used: 1, left: 1 })).toBeNull();
  });

  it('do not exist without a quota', () => {
    expect([hasMonthlyQuota('business', MONTHLY), hasMonthlyQuota('maxi', MONTHLY)]).toEqual([false, true]);
    const posts = left([month('2026-11', 99_999, 'business')], 0, 'business');
    expect([findQuotaLevel(posts), countToNextLevel(posts)]).toEqual([null, null]);
  });
});
