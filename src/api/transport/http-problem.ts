import type { Rejection } from '../../kernel/result.js';
import type { Problem } from '../../validation/problem-list.js';

/**
 * A response to a failed request, with a body in the form of D-6. Has no stack trace: it would not be read, and capturing
 * one takes longer than most checks.
 */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    /** snake_case, stable. */
    readonly code: string,
    /** Human-readable problems; at most 50 are sent (D-6). */
    readonly problems: readonly Problem[],
    readonly headers: Readonly<Record<string, string>> = {},
    /** Additional machine-readable fields of the body, such as `retry_at` (management-api.md: Routes). */
    readonly figures: NonNullable<Rejection['figures']> = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(problems[0]?.message ?? code);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpProblem';
  }

  /** Creates a problem with the request as a whole. */
  static withMessage(status: number, code: string, message: string, headers?: Record<string, string>): HttpProblem {
    return new HttpProblem(status, code, [{ path: '', code, message }], headers);
  }

  /** Creates a problem with the request as a whole. Its `Retry-After` asks the client to wait for some seconds. */
  static withRetryAfter(seconds: number, status: number, code: string, message: string): HttpProblem {
    return HttpProblem.withMessage(status, code, message, { 'retry-after': String(seconds) });
  }
}
