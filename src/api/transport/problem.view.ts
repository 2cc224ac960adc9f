import type { Problem } from '../../validation/problem-list.js';
import type { HttpProblem } from './http-problem.js';

const MAX_PROBLEMS = 50;

/** The body of an error answer (D-6). The specification promises `ok` and `errors`. */
export class ProblemView {
  /** Always false. */
  readonly ok = false;
  /** Human-readable problems, at most 50. Each begins with the path in the body that it concerns, if there is one. */
  readonly errors: readonly string[];
  /** Machine-readable kind of the error: snake_case, stable. */
  readonly code: string;
  /** The request's id, as in the header `X-Request-Id`. */
  readonly request_id: string;
  /** Machine-readable problems, in the order of `errors`. */
  readonly details: readonly Problem[];

  constructor({ code, problems }: HttpProblem, requestId: string) {
    const shown = problems.slice(0, MAX_PROBLEMS);
    // Most messages already begin with the path.
    this.errors = shown.map(({ path, message }) => (message.startsWith(path) ? message : `${path}: ${message}`));
    this.code = code;
    this.request_id = requestId;
    this.details = shown;
  }
}

/** Builds the body of a problem: its figures, if it has any, then the fields that every problem has. */
export const buildProblemView = (problem: HttpProblem, requestId: string): ProblemView => ({
  ...problem.figures,
  ...new ProblemView(problem, requestId),
});
