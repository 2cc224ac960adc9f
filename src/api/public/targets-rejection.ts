import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { HttpProblem } from '../transport/http-problem.js';
import type { TargetsRejection } from './gate/content-check.js';
import { GateRejection } from './gate/gate-rejection.js';

/**
 * Rejects a request with 422 if none of its targets belongs to the endpoint, or if it has too many targets
 * (publish-api.md: Errors; D-67).
 */
export const targetsRejection = (
  endpoint: EndpointSnapshot,
  { rejection: code, message, figures }: TargetsRejection,
): GateRejection =>
  new GateRejection(
    endpoint,
    'rejected_validation',
    code,
    new HttpProblem(422, code, [{ path: 'targets', code, message }]),
    figures ? { rule: code, figures, event_id: null } : null,
  );
