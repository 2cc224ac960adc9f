import type { JsonObject } from '../../../kernel/json.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { HttpProblem } from '../../transport/http-problem.js';

/** Spec: Request-log decisions. */
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

/** A request that an endpoint turned away: what the client is told, and what the endpoint's log keeps (D-33, D-36). */
export class Refusal extends HttpProblem {
  constructor(
    /** Null where no endpoint was reached: such a refusal is in the service's own log alone (D-14). */
    readonly endpoint: EndpointAccess | null,
    readonly decision: Decision,
    /** The exact cause, for the log. */
    readonly reason: string,
    problem: HttpProblem,
    /** Rule, figures and event behind it (D-36). */
    readonly why: JsonObject | null = null,
  ) {
    super(problem.status, problem.code, problem.problems, problem.headers);
    this.name = 'Refusal';
  }
}
