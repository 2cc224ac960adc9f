import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';
import { isTime } from '../time.js';

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
  @isTime()
  readonly before: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.status = nullToAbsent(sent.status) as string | undefined;
    this.decision = nullToAbsent(sent.decision) as string | undefined;
    this.before = nullToAbsent(sent.before) as string | undefined;
  }
}
