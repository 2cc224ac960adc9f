import type { Instant } from '../kernel/clock.js';
import { checkFields, checkObject, readFields } from '../validation/check-fields.js';
import { Schema } from '../validation/json-schema.js';
import { ProblemList, type Refused } from '../validation/problem-list.js';
import { Must } from '../validation/rules.js';
import { PUBLISH_AT_MESSAGES } from './messages.js';
import { findPublishAtProblem, parsePublishAt, refusePublishAt } from './publish-at.js';

/** Request body for rescheduling a planned post (D-63). */
export class RescheduleDto {
  /** The new time, with an offset or `Z`; null for now, or as soon as the post is approved. */
  @Schema.is(() => ({ type: ['string', 'null'], format: 'date-time' }))
  @Must.satisfy(findPublishAtProblem)
  @Must.beText()
  readonly publish_at: unknown;
}

/** A valid time (null for now), or the problems of the body. */
type CheckedReschedule = { readonly ok: true; readonly publishAt: Instant | null } | Refused;

/** Checks the request body for rescheduling a planned post. */
export const validateReschedule = (value: unknown, now: Instant): CheckedReschedule => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  if (value.publish_at === undefined) problems.add(422, 'publish_at', 'missing', PUBLISH_AT_MESSAGES.missing);
  const dto = readFields(RescheduleDto, value);
  checkFields(dto, '', problems);
  if (!problems.isEmpty) return problems.refused();
  if (dto.publish_at === undefined) return { ok: true, publishAt: null };
  const publishAt = parsePublishAt(dto.publish_at as string)!;
  const problem = refusePublishAt(publishAt, now);
  if (problem) problems.add(422, 'publish_at', problem.code, problem.predicate);
  return problem ? problems.refused() : { ok: true, publishAt };
};
