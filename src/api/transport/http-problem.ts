import type { Rejection } from '../../kernel/result.js';
import type { Problem } from '../../payload/payload.js';

/** An answer that is not a success: thrown anywhere behind a controller, told in D-6's body. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    /** snake_case, stable. */
    readonly code: string,
    /** For people; at most 50 are told (D-6). */
    readonly problems: readonly Problem[],
    readonly headers: Readonly<Record<string, string>> = {},
    /** Beside the error's own fields, for programs: `retry_at` (management-api.md: rotate-slug). */
    readonly figures: NonNullable<Rejection['figures']> = {},
  ) {
    super(problems[0]?.message ?? code);
    this.name = 'HttpProblem';
  }

  /** One problem with the request as a whole. */
  static of(status: number, code: string, message: string, headers?: Record<string, string>): HttpProblem {
    return new HttpProblem(status, code, [{ path: '', code, message }], headers);
  }
}

const MAX_PROBLEMS = 50;

/** D-6: `errors` is what the specification promises; the rest is ours. */
export const problemBody = (problem: HttpProblem, requestId: string): object => {
  const shown = problem.problems.slice(0, MAX_PROBLEMS);
  return {
    ...problem.figures,
    ok: false,
    // Most messages name the place in their sentence.
    errors: shown.map(({ path, message }) => (message.startsWith(path) ? message : `${path}: ${message}`)),
    code: problem.code,
    request_id: requestId,
    details: shown,
  };
};
