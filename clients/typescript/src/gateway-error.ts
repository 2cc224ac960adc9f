import type { Schemas } from './schema.js';

/** Details of a failed request. */
export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly string[];
  readonly route: string;
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly details?: readonly Schemas['ErrorDetail'][];
  readonly cause?: unknown;
}

/** Thrown when a request fails: the gateway rejected it, or the last attempt got no usable response. */
export class GatewayError extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /**
   * Stable error code, such as `invalid_targets`. `unreachable` if there was no response; `http_502`, for example, if
   * something other than the gateway responded.
   */
  readonly code: string;
  /** Human-readable messages, one per problem. */
  readonly errors: readonly string[];
  /** Method and path of the request: `GET /manage/v1/owners`. */
  readonly route: string;
  /** The gateway's request id; null if the gateway did not respond. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry, from Retry-After; null if the response has no such header. */
  readonly retryAfter: number | null;
  /** Machine-readable problems, in the same order as `errors`; empty if the gateway did not respond. */
  readonly details: readonly Schemas['ErrorDetail'][];

  constructor({ status, code, errors, route, requestId = null, retryAfter = null, details = [], cause }: Failure) {
    super(`${status === 0 ? '' : `${status} `}${code}: ${errors.join('; ')}`, { cause });
    this.name = 'GatewayError';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.route = route;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.details = details;
  }
}

/**
 * Maximum number of characters to quote from a response that does not come from the gateway, such as a proxy's error
 * page.
 */
const MAX_QUOTED = 200;

/** Creates the error for an unsuccessful response. */
export const readError = ({ status, headers, statusText }: Response, text: string, route: string): GatewayError => {
  const body = parseObject(text);
  return new GatewayError({
    status,
    code: typeof body.code === 'string' ? body.code : `http_${status}`,
    errors: Array.isArray(body.errors) ? body.errors.map(String) : [text.slice(0, MAX_QUOTED) || statusText],
    route,
    requestId: typeof body.request_id === 'string' ? body.request_id : headers.get('x-request-id'),
    retryAfter: readSeconds(headers.get('retry-after')),
    details: Array.isArray(body.details) ? (body.details as readonly Schemas['ErrorDetail'][]) : [],
  });
};

/** Parses Retry-After, which a proxy may send as a date. */
const readSeconds = (text: string | null): number | null => {
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
};

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // probably a proxy's response
  }
};
