import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../../transport/page.js';
import { isTime } from '../time.js';

/** Request log decisions (publish-api.md: Request-log decisions). */
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

/** Query parameters of an endpoint's request log (D-33). */
export class RequestsQuery extends PageQuery {
  @isCursorOf('logEntry')
  declare readonly cursor: string | undefined;

  /** HTTP status. */
  @Must.match(/^[1-5]\d\d$/, 'an HTTP status such as 422')
  readonly status: string | undefined;

  @Must.beOneOf(DECISIONS)
  readonly decision: string | undefined;

  /** Only requests before this time. */
  @isTime()
  readonly before: string | undefined;
}
