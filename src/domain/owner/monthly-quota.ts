import { type Instant, startOfMonth } from '../../kernel/clock.js';
import { type Plan, PLANS } from './owner.events.js';

/** Monthly quota of each plan, from the limits profile; null means unlimited. */
export type MonthlyPosts = Readonly<Record<Plan, number | null>>;

/** An owner's publications in one month. */
export interface MonthlyUsage {
  /** UTC: `2026-11`. */
  readonly month: string;
  readonly published: number;
  /** The largest plan under which a post was published in the month; if null (unknown), the current plan applies. */
  readonly plan: Plan | null;
  /** Id of the event that recorded the latest counted publication. */
  readonly last_event: string;
}

/** The posts that an owner has left in the current month (D-18). */
export interface PostsLeft {
  /** UTC: `2026-11`. */
  readonly month: string;
  /** Publications counted so far this month. */
  readonly used: number;
  /** Null if unlimited. */
  readonly left: number | null;
  /** Start of the next UTC month. */
  readonly resetsAt: Instant;
  /** Id of the event that recorded the latest publication counted this month; null if there was none. */
  readonly lastEvent: string | null;
}

/** Returns the UTC month of a time, as used by quotas: `2026-11` (D-18). */
export const toMonth = (at: Instant): string => {
  const day = Math.floor(at / DAY_MS);
  if (day !== latest.day) latest = { day, month: new Date(at).toISOString().slice(0, 7) };
  return latest.month;
};

const DAY_MS = 86_400_000;

/** Caches the latest day: a batch covers few days, and formatting a date costs as much as applying an event. */
let latest = { day: Number.NaN, month: '' };

/** Returns the key of an owner's month: `<owner>/<month>`. */
export const ownerMonthKey = (ownerId: string, at: Instant): string => `${ownerId}/${toMonth(at)}`;

/** True if a plan limits the posts per month. */
export const hasMonthlyQuota = (plan: Plan, monthlyPosts: MonthlyPosts): boolean => monthlyPosts[plan] !== null;

/**
 * Computes the posts left in the month of `now` (D-18). The plan's quota is used first, then the post packs. Packs do
 * not expire, so posts beyond the quotas of earlier months have already been deducted from the packs.
 * @param months all months in which the owner has published
 */
export const computePostsLeft = (
  months: readonly MonthlyUsage[],
  { plan, packPosts }: { readonly plan: Plan; readonly packPosts: number },
  now: Instant,
  monthlyPosts: MonthlyPosts,
): PostsLeft => {
  const excess = (usage: MonthlyUsage): number =>
    Math.max(0, usage.published - (monthlyPosts[usage.plan ?? plan] ?? Infinity));
  const packPostsLeft = Math.max(0, packPosts - months.reduce((sum, usage) => sum + excess(usage), 0));
  const month = toMonth(now);
  const current = months.find((usage) => usage.month === month);
  const used = current?.published ?? 0;
  const quota = monthlyPosts[plan];
  return {
    month,
    used,
    left: quota === null ? null : Math.max(0, quota - used) + packPostsLeft,
    resetsAt: startOfMonth(now, 1),
    lastEvent: current?.last_event ?? null,
  };
};

/** Returns the number of publications in the month at which the quota is used up; null if unlimited. */
export const computeUsedUpAt = ({ used, left }: PostsLeft): number | null => (left === null ? null : used + left);

/** A level of quota usage at which the owner gets a notice. */
export type QuotaLevel = 'nearly_used' | 'used_up';

/** Percentage of the month's posts, including packs, at which the quota counts as nearly used up. */
export const NEARLY_USED_PERCENT = 80;

const nearlyUsedAt = (total: number): number => Math.ceil((total * NEARLY_USED_PERCENT) / 100);

/** Returns the level that a month has reached; null if it has reached none. */
export const findQuotaLevel = ({ used, left }: PostsLeft): QuotaLevel | null => {
  if (left === null) return null;
  if (left === 0) return 'used_up';
  return used >= nearlyUsedAt(used + left) ? 'nearly_used' : null;
};

/** Returns how many more publications it takes for a month to reach its next level; null if unlimited. */
export const countToNextLevel = ({ used, left }: PostsLeft): number | null => {
  if (left === null) return null;
  const first = nearlyUsedAt(used + left);
  return used < first ? first - used : left;
};

/** Returns the plan whose quota applies to a month: if the plan changed within the month, the larger plan. */
export const largerPlan = (a: Plan | null, b: Plan | null): Plan | null => {
  if (a === null || b === null) return a ?? b;
  return PLANS.indexOf(a) >= PLANS.indexOf(b) ? a : b;
};
