import type { Rejection } from '../../kernel/result.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { GateRejection } from './gate/gate-rejection.js';
import { HttpProblem } from '../transport/http-problem.js';

/** Rejects a request that names targets of which none is the endpoint's: 422 (publish-api.md: Errors). */
export const targetsRejection = (
  endpoint: EndpointSnapshot,
  { rejection: code, message }: Rejection<'invalid_targets'>,
): GateRejection =>
  new GateRejection(
    endpoint,
    'rejected_validation',
    code,
    new HttpProblem(422, code, [{ path: 'targets', code, message }]),
  );
