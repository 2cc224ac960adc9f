import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import type { Rejection } from '../../kernel/result.js';
import { aboutField } from '../../validation/wording.js';
import { HttpProblem, unknownMediaProblem } from '../transport/problem.view.js';

/** HTTP status by rejection. All other rejections get 409 (management-api.md: Manners). */
const STATUS: Readonly<Record<string, number>> = {
  not_found: 404,
  missing_scope: 403,
  key_limited: 403,
  forbidden: 403,
  limited_manage: 422,
  audit_alone: 422,
  plan_not_allowed: 402,
  resource_limit: 402,
  unknown_ids: 422,
  revision_mismatch: 412,
};

/** Converts a rejection to a problem. Its figures, such as `retry_at`, become fields of the problem. */
export const toHttpProblem = ({ rejection, message, figures = {} }: Rejection): HttpProblem => {
  if (rejection === 'unknown_media') return unknownMediaProblem(message);
  const status = STATUS[rejection] ?? 409;
  if (rejection !== 'unknown_ids')
    return new HttpProblem(status, rejection, [{ path: '', code: rejection, message }], {}, figures);
  const problems = Object.entries(figures).map(([path, id]) => ({
    path,
    code: 'unknown_id',
    message: RESOURCE_MESSAGES.unknownId({ id: String(id) }),
  }));
  return new HttpProblem(status, 'invalid', problems);
};

/** Returns the problem for a resource that does not exist or is not visible to the caller. @param what `channel` */
export const notFoundProblem = (what: string): HttpProblem =>
  HttpProblem.withMessage(404, 'not_found', RESOURCE_MESSAGES.notFound({ what }));

/** Returns the problem for a call that only the operator may make (D-47). */
export const forbiddenProblem = (message: string): HttpProblem => HttpProblem.withMessage(403, 'forbidden', message);

/** Returns the problem for one invalid field of a body or query. @param predicate completes "<field> …" */
export const fieldProblem = (path: string, code: string, predicate: string): HttpProblem =>
  new HttpProblem(422, 'invalid', [{ path, code, message: aboutField(path, predicate) }]);
