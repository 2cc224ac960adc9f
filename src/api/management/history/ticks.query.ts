import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { MOST_TICKS } from '../../../history/timeline/timeline.js';
import { ID_PATTERN } from '../id.pipe.js';
import { BODY_MESSAGES } from '../messages.js';
import { Is } from '../rules.js';
import { isTime } from '../time.js';

const DEFAULT_BUCKETS = 100;

const bucketsComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MOST_TICKS
    ? undefined
    : { code: 'out_of_range', predicate: BODY_MESSAGES.badLimit({ limit: MOST_TICKS }) };

const isBuckets = (): PropertyDecorator =>
  Is.checkedBy(bucketsComplaint, { type: 'integer', minimum: 1, maximum: MOST_TICKS, default: DEFAULT_BUCKETS });

/** The query of a timeline. */
export class TicksQuery {
  /** Inclusive. Default: the first event of all, or a day before `to` if that is earlier. */
  @isTime()
  readonly from: string | undefined;

  /** Exclusive. Default: now. */
  @isTime()
  readonly to: string | undefined;

  /** Number of equal parts of the time; at most one for each millisecond. */
  @isBuckets()
  readonly buckets: string | undefined;

  /** Operators may omit it to see all owners; owners may pass only their own id. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    this.from = nullToAbsent(sent.from) as string | undefined;
    this.to = nullToAbsent(sent.to) as string | undefined;
    this.buckets = nullToAbsent(sent.buckets) as string | undefined;
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}

/** Converts a checked number of buckets. */
export const toBuckets = (buckets: string | undefined): number =>
  buckets === undefined ? DEFAULT_BUCKETS : Number(buckets);
