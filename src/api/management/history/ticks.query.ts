import { MOST_TICKS } from '../../../history/timeline/timeline.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Must } from '../../../validation/rules.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { ID_PATTERN } from '../id.pipe.js';
import { isTime } from '../time.js';

const DEFAULT_BUCKETS = 100;

const bucketsComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MOST_TICKS
    ? undefined
    : { code: 'out_of_range', predicate: FIELD_MESSAGES.badLimit({ limit: MOST_TICKS }) };

const isBuckets = (): PropertyDecorator =>
  Must.beAllowedBy(bucketsComplaint, { type: 'integer', minimum: 1, maximum: MOST_TICKS, default: DEFAULT_BUCKETS });

/** Query parameters of a timeline. */
export class TicksQuery {
  /** Inclusive. Default: the very first event, or a day before `to` if that is earlier. */
  @isTime()
  readonly from: string | undefined;

  /** Exclusive. Default: now. */
  @isTime()
  readonly to: string | undefined;

  /** Number of equal parts to divide the period into; at most one per millisecond. */
  @isBuckets()
  readonly buckets: string | undefined;

  /** Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Parses a validated number of buckets. */
export const toBuckets = (buckets: string | undefined): number =>
  buckets === undefined ? DEFAULT_BUCKETS : Number(buckets);
