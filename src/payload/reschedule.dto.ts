import type { Instant } from '../kernel/clock.js';
import { validateBody } from '../validation/check-fields.js';
import { Schema } from '../validation/json-schema.js';
import type { Refused } from '../validation/problem-list.js';
import { Must } from '../validation/rules.js';
import { PUBLISH_AT_MESSAGES } from './messages.js';
import { checkPublishAt, findPublishAtProblem } from './publish-at.js';

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
export const validateReschedule = (value: unknown, now: Instant): CheckedReschedule =>
  validateBody(RescheduleDto, value, (dto, problems, sent) => {
    if (sent.publish_at === undefined) problems.add(422, 'publish_at', 'missing', PUBLISH_AT_MESSAGES.missing);
    return { publishAt: checkPublishAt(dto.publish_at, now, problems) };
  });
