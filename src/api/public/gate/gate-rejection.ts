import type { JsonObject } from '../../../kernel/json.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { HttpProblem } from '../../transport/http-problem.js';

/** Decisions of the request log (publish-api.md: Request-log decisions). */
export type Decision =
  | 'accepted'
  | 'accepted_no_project'
  | 'accepted_idempotent_replay'
  | 'rejected_auth'
  | 'rejected_validation'
  | 'rejected_rate_limit'
  | 'rejected_paused'
  | 'rejected_tier'
  | 'rejected_disabled';

/** A request that the gate rejected: the client's answer, and the entry for the endpoint's request log (D-33, D-36). */
export class GateRejection extends HttpProblem {
  constructor(
    /** Null if no endpoint was found: such a rejection appears only in the service's own log (D-14). */
    readonly endpoint: EndpointSnapshot | null,
    readonly decision: Decision,
    /** The exact cause, for the log; snake_case. */
    readonly reason: string,
    problem: HttpProblem,
    /** The rule, figures and event that explain the rejection (D-36). */
    readonly why: JsonObject | null = null,
  ) {
    super(problem.status, problem.code, problem.problems, problem.headers);
    this.name = 'GateRejection';
  }
}
