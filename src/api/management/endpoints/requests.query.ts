import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { isCursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';

/** Decisions of the request log (publish-api.md: Request-log decisions). */
const DECISIONS = [
  'accepted',
  'accepted_no_project',
  'accepted_idempotent_replay',
  'rejected_auth',
  'rejected_validation',
  'rejected_rate_limit',
  'rejected_paused',
  'rejected_tier',
  'rejected_disabled',
];

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** True if the day exists: JavaScript reads the 30th of February as the 2nd of March. */
const isCalendarDay = (day: string): boolean => new Date(day).toJSON()?.startsWith(day) ?? false;

const timeComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' &&
  ISO_TIME.test(value) &&
  isCalendarDay(value.slice(0, 10)) &&
  !Number.isNaN(Date.parse(value))
    ? undefined
    : { code: 'bad_time', predicate: 'must be a time such as 2026-11-21T14:05:03.000Z' };

/** The query of an endpoint's request log (D-33). */
export class RequestsQuery extends PageQuery {
  @isCursorOf('logEntry')
  declare readonly cursor: string | undefined;

  /** HTTP status. */
  @Is.matching(/^[1-5]\d\d$/, 'an HTTP status such as 422')
  readonly status: string | undefined;

  @Must.beOneOf(DECISIONS)
  readonly decision: string | undefined;

  /** Only requests before this time. */
  @Is.checkedBy(timeComplaint)
  readonly before: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.status = nullToAbsent(sent.status) as string | undefined;
    this.decision = nullToAbsent(sent.decision) as string | undefined;
    this.before = nullToAbsent(sent.before) as string | undefined;
  }
}
