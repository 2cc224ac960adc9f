import type { JsonObject } from '../../../kernel/json.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { HttpProblem } from '../../transport/http-problem.js';

/** Decisions in the request log (publish-api.md: Request-log decisions). */
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

/** The reason why the gate rejected a request, for the endpoint's log only (D-36). */
interface Cause {
  /** snake_case. Default: the code of the problem. */
  readonly reason?: string;
  readonly figures?: JsonObject;
  /** The event that explains the rejection. */
  readonly eventId?: string | null;
}

/** A request rejected by the gate: the client's response, and the entry for the endpoint's request log (D-33, D-36). */
export class GateRejection extends HttpProblem {
  readonly reason: string;
  readonly why: JsonObject;

  /** @param endpoint null if none was found: the rejection then appears only in the service's own log (D-14) */
  constructor(
    readonly endpoint: EndpointSnapshot | null,
    readonly decision: Decision,
    problem: HttpProblem,
    { reason = problem.code, figures = {}, eventId = null }: Cause = {},
  ) {
    super(problem.status, problem.code, problem.problems, problem.headers, problem.figures);
    this.name = 'GateRejection';
    this.reason = reason;
    this.why = { rule: reason, figures, event_id: eventId };
  }
}
