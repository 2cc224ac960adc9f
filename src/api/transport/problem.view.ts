import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import type { Rejection } from '../../kernel/result.js';
import type { Problem } from '../../validation/problem-list.js';
import { aboutField } from '../../validation/wording.js';

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
    this.errors = describeProblems(shown);
    this.code = code;
    this.request_id = requestId;
    this.details = shown;
  }
}

/** Returns problems as sentences. Most messages already begin with the path. */
export const describeProblems = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ path, message }) => (message.startsWith(path) ? message : `${path}: ${message}`));

/** Builds a problem's response body: its own figures, if any, then the fields that every problem has. */
export const buildProblemView = (problem: HttpProblem, requestId: string): ProblemView => ({
  ...problem.figures,
  ...new ProblemView(problem, requestId),
});

/**
 * An error response with a body in the D-6 format. It has no stack trace: it would never be read, and capturing it takes
 * longer than most checks.
 */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    /** snake_case, stable. */
    readonly code: string,
    /** Human-readable problems; at most 50 are sent (D-6). */
    readonly problems: readonly Problem[],
    readonly headers: Readonly<Record<string, string>> = {},
    /** Additional machine-readable fields for the body, such as `retry_at` (management-api.md: Routes). */
    readonly figures: NonNullable<Rejection['figures']> = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(problems[0]?.message ?? code);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpProblem';
  }

  /** Creates a problem that concerns the request as a whole. */
  static withMessage(status: number, code: string, message: string, headers?: Record<string, string>): HttpProblem {
    return new HttpProblem(status, code, [{ path: '', code, message }], headers);
  }

  /**
   * Creates a problem that concerns the request as a whole. Its `Retry-After` header tells the client how many seconds
   * to wait.
   */
  static withRetryAfter(seconds: number, status: number, code: string, message: string): HttpProblem {
    return HttpProblem.withMessage(status, code, message, { 'retry-after': String(seconds) });
  }
}

/** Returns the problem for a post whose upload was deleted while it was being accepted (D-90). */
export const unknownMediaProblem = (message: string): HttpProblem =>
  new HttpProblem(422, 'invalid_payload', [{ path: 'media', code: 'unknown_media', message }]);

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
