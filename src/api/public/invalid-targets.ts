import type { Rejection } from '../../kernel/result.js';
import type { EndpointAccess } from '../../projections/discovery/endpoint-access.queries.js';
import { Refusal } from './gate/refusal.js';
import { HttpProblem } from '../transport/http-problem.js';

/** 422 where a request names targets and none of them is the endpoint's (publish-api.md: Errors). */
export const invalidTargets = (
  endpoint: EndpointAccess,
  { rejection: code, message }: Rejection<'invalid_targets'>,
): Refusal =>
  new Refusal(endpoint, 'rejected_validation', code, new HttpProblem(422, code, [{ path: 'targets', code, message }]));
