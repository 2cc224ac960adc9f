import { Injectable, type PipeTransform } from '@nestjs/common';
import { LIMITS } from '../../payload/payload.js';
import type { ProblemList } from '../../validation/problem-list.js';
import { Must } from '../../validation/rules.js';
import { describeValue, type FieldProblem, tooManyPredicate, wrongTypePredicate } from '../../validation/wording.js';
import { notFoundProblem } from '../transport/problem.view.js';
import { BODY_MESSAGES } from './messages.js';

/** Query parameters for deleting a resource that other resources may refer to. */
export class CascadeQuery {
  /**
   * `true`: also removes the resource from resources that refer to it; `false` (default): returns 409 if there are any.
   */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;
}

/** Query parameters for deleting a resource that nothing can refer to; there are none. */
export class NoQuery {}

/** Pattern for public ids; broader than D-2 requires. */
export const ID_PATTERN = /^\w{1,64}$/;

/** Rejects URL parameters that cannot be public ids before they reach the database. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!ID_PATTERN.test(id)) throw notFoundProblem('resource');
    return id;
  }
}

/** Query parameters of a route that shows one owner, or all owners to the operator. */
export class OwnerQuery {
  /** Only this owner. Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Maximum number of ids in a list; more than an owner would manage by hand. */
const MAX_IDS = 200;

/**
 * Checks that a list holds distinct public ids; the command checks that they exist.
 * @param value already reported if it is not an array
 */
export const checkIds = (value: unknown, path: string, prefix: 'tgt' | 'prj' | 'ep', problems: ProblemList): void => {
  if (!Array.isArray(value)) return;
  if (value.length > MAX_IDS) problems.add(422, path, 'too_many', tooManyPredicate(value.length, MAX_IDS));
  const seen = new Set<unknown>();
  for (const [index, id] of (value as unknown[]).slice(0, MAX_IDS).entries()) {
    const place = `${path}[${index}]`;
    if (typeof id !== 'string' || !id.startsWith(`${prefix}_`))
      problems.add(422, place, 'wrong_type', wrongTypePredicate(BODY_MESSAGES.idForm({ prefix }), id));
    else if (seen.has(id)) problems.add(422, place, 'duplicate', BODY_MESSAGES.duplicateId({ id: describeValue(id) }));
    seen.add(id);
  }
};

/** Body of …/pause. Zero is rejected, because it would pause nothing (D-47). */
export class PauseBody {
  @Must.beWithin(1, LIMITS.pauseMinutes)
  @Must.bePresent(`how long, from 1 to ${LIMITS.pauseMinutes}`)
  readonly minutes!: number;
}

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
