import type { Schemas } from './schema.js';

/** The gateway refused a request, or did not answer it at the last attempt. */
export class GatewayError extends Error {
  constructor(
    /** HTTP status; 0 if no answer arrived. */
    readonly status: number,
    /** Kind of the error, stable: `invalid_targets`; `unreachable` if no answer arrived. */
    readonly code: string,
    /** Sentences for people, one for each problem. */
    readonly errors: readonly string[],
    /** Id of the request at the gateway; null if no answer of the gateway arrived. */
    readonly requestId: string | null,
    /** Seconds that the gateway asks to wait; null if it names none. */
    readonly retryAfter: number | null = null,
    options: { readonly cause?: unknown } = {},
    /** The problems for programs, in the order of `errors`; empty if no answer of the gateway arrived. */
    readonly details: readonly Schemas['ErrorDetail'][] = [],
  ) {
    super(`${status === 0 ? '' : `${status} `}${code}: ${errors.join('; ')}`, options);
    this.name = 'GatewayError';
  }
}

/** Longest part of an answer that is not the gateway's, such as a proxy's page, in characters. */
const MAX_QUOTED = 200;

/** Reads the error of an answer that is no success. */
export const readError = ({ status, headers, statusText }: Response, text: string): GatewayError => {
  const body = parseObject(text);
  const errors = Array.isArray(body.errors) ? body.errors.map(String) : [text.slice(0, MAX_QUOTED) || statusText];
  const code = typeof body.code === 'string' ? body.code : `http_${status}`;
  const requestId = typeof body.request_id === 'string' ? body.request_id : headers.get('x-request-id');
  const details = Array.isArray(body.details) ? (body.details as readonly Schemas['ErrorDetail'][]) : [];
  return new GatewayError(status, code, errors, requestId, readSeconds(headers.get('retry-after')), {}, details);
};

/** Reads Retry-After, which a proxy may send as a date. */
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
    return {}; // a proxy answered
  }
};
