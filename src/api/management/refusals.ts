import type { Rejection } from '../../kernel/result.js';
import { HttpProblem } from '../transport/http-problem.js';

/** How what a use case refuses is answered; 409 is the state of things (management-api.md: Manners). */
const STATUS: Readonly<Record<string, number>> = { not_found: 404, plan_not_allowed: 402, unknown_ids: 422 };

/** A rejection as an answer; what it figures out stands beside the error's own fields (`retry_at`). */
export const refusal = ({ rejection, message, figures = {} }: Rejection): HttpProblem => {
  const status = STATUS[rejection] ?? 409;
  if (rejection !== 'unknown_ids')
    return new HttpProblem(status, rejection, [{ path: '', code: rejection, message }], {}, figures);
  const problems = Object.entries(figures).map(([path, id]) => ({
    path,
    code: 'unknown_id',
    message: `there is no ${String(id)} among this owner's`,
  }));
  return new HttpProblem(status, 'invalid', problems);
};

/** What is not there, or not the caller's: both are the same to it. @param what `channel` */
export const notFound = (what: string): HttpProblem =>
  HttpProblem.of(404, 'not_found', `There is no such ${what}. Check the id and whose key you send.`);

/** D-47. */
export const forbidden = (message: string): HttpProblem => HttpProblem.of(403, 'forbidden', message);
