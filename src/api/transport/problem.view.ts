import type { Problem } from '../../validation/problem-list.js';
import type { HttpProblem } from './http-problem.js';

const MAX_PROBLEMS = 50;

/** An error response body (D-6). The specification guarantees `ok` and `errors`. */
export class ProblemView {
  /** Always false. */
  readonly ok = false;
  /** Human-readable problems, at most 50. Each begins with the body path that it concerns, if any. */
  readonly errors: readonly string[];
  /** Machine-readable error code: snake_case, stable. */
  readonly code: string;
  /** The request id, as in the `X-Request-Id` header. */
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

/** Builds a problem's response body: its own figures, if any, then the fields that every problem has. */
export const buildProblemView = (problem: HttpProblem, requestId: string): ProblemView => ({
  ...problem.figures,
  ...new ProblemView(problem, requestId),
});
