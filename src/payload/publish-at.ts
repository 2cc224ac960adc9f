import { type Instant, iso } from '../kernel/clock.js';
import type { ProblemList } from '../validation/problem-list.js';
import type { FieldProblem } from '../validation/wording.js';
import { PUBLISH_AT_MESSAGES } from './messages.js';

/** Maximum number of days ahead that a post may be planned (D-60), shown in discovery's capabilities. */
export const MAX_SCHEDULE_DAYS = 366;

/** How far in the past `publish_at` may be; it then means "now" (D-60). */
const PUBLISH_AT_GRACE_MS = 300_000;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses an RFC 3339 date-time with an offset (D-60); returns null for any other text. Cuts fractions to milliseconds.
 * Second 60 is valid only in the last minute of a UTC month, and counts as the next second.
 */
export const parsePublishAt = (text: string): Instant | null => {
  const match = RFC_3339.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    ...[number, number, number, number, number, number],
  ];
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7);
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, day);
  const isDay = start.getUTCMonth() === month - 1 && start.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 60) return null;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const wholeMs = start.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000 - offsetMs;
  if (second === 60 && !isFirstOfMonth(wholeMs)) return null;
  return wholeMs + Number(fraction.padEnd(3, '0').slice(0, 3));
};

/** True at midnight UTC on the first day of a month, where a leap second may end. */
const isFirstOfMonth = (at: Instant): boolean => at % DAY_MS === 0 && new Date(at).getUTCDate() === 1;

/** Returns a problem if the text is not a valid date-time. */
export const findPublishAtProblem = (text: string): FieldProblem | undefined =>
  parsePublishAt(text) === null ? { code: 'invalid_publish_at', predicate: PUBLISH_AT_MESSAGES.invalid } : undefined;

/** Returns the reason why a post cannot be planned for a time; null if it can. */
export const refusePublishAt = (publishAt: Instant, now: Instant): FieldProblem | null => {
  const figures = { publishAt: iso(publishAt), now: iso(now) };
  if (publishAt < now - PUBLISH_AT_GRACE_MS)
    return { code: 'publish_at_past', predicate: PUBLISH_AT_MESSAGES.past(figures) };
  if (publishAt <= now + MAX_SCHEDULE_DAYS * DAY_MS) return null;
  return {
    code: 'publish_at_too_far',
    predicate: PUBLISH_AT_MESSAGES.tooFar({ ...figures, days: MAX_SCHEDULE_DAYS }),
  };
};

/**
 * Returns the time that a post is planned for; null if there is none. Reports a time too far in the past or future; the
 * field's rule has already reported invalid values.
 */
export const checkPublishAt = (sent: unknown, now: Instant, problems: ProblemList): Instant | null => {
  const publishAt = typeof sent === 'string' ? parsePublishAt(sent) : null;
  const problem = publishAt === null ? null : refusePublishAt(publishAt, now);
  if (problem) problems.add(422, 'publish_at', problem.code, problem.predicate);
  return publishAt;
};

/**
 * Returns the error code for a refused payload: `unknown_override` (D-61) or the `publish_at` code (D-60) if that is
 * the only problem, otherwise `invalid_payload`.
 */
export const codeOfRefusal = (problems: readonly { readonly path: string; readonly code: string }[]): string => {
  const [first] = problems;
  if (first === undefined) return 'invalid_payload';
  if (problems.every(({ code }) => code === 'unknown_override')) return 'unknown_override';
  if (problems.some(({ path }) => path !== 'publish_at')) return 'invalid_payload';
  return ['publish_at_past', 'publish_at_too_far'].includes(first.code) ? first.code : 'invalid_publish_at';
};

/** A post's plan at the time of its acceptance (D-58). */
export interface Plan {
  /** Null if none was given. */
  readonly publishAt: Instant | null;
  /** True if accepting the post releases it, because it is already due and needs no approval. */
  readonly isReleased: boolean;
}

/**
 * Returns the plan of a post; null if it has no `publish_at` and accepting it releases it.
 * @param requiresApproval true if a person must approve the post before its release
 */
export const planOf = (
  { publish_at }: { readonly publish_at?: string },
  requiresApproval: boolean,
  now: Instant,
): Plan | null => {
  if (publish_at === undefined) return requiresApproval ? { publishAt: null, isReleased: false } : null;
  const publishAt = parsePublishAt(publish_at)!;
  return { publishAt, isReleased: !requiresApproval && publishAt <= now };
};
