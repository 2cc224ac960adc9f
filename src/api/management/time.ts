import { Must } from '../../validation/rules.js';
import type { FieldProblem } from '../../validation/wording.js';
import { BODY_MESSAGES } from './messages.js';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** True if the day exists: JavaScript reads the 30th of February as the 2nd of March. */
const isCalendarDay = (day: string): boolean => new Date(day).toJSON()?.startsWith(day) ?? false;

const timeComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' &&
  ISO_TIME.test(value) &&
  isCalendarDay(value.slice(0, 10)) &&
  !Number.isNaN(Date.parse(value))
    ? undefined
    : { code: 'bad_time', predicate: BODY_MESSAGES.badTime };

/** Checks a time in a query: ISO 8601 with a time zone. */
export const isTime = (): PropertyDecorator => Must.beAllowedBy(timeComplaint, { type: 'string', format: 'date-time' });

/** Converts a checked time; undefined stays undefined. */
export const toInstant = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);
