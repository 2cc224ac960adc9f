import { STATUS_CODES } from 'node:http';
import { isNativeError } from 'node:util/types';
import { FETCH_MESSAGES } from './messages.js';

/** Types of outbound call failures, by stage. */
export type FetchErrorCode =
  /** The URL is invalid, too long or not https, or has another port than 443, credentials, or a dot after the host. */
  | 'url_refused'
  /** The host has only private addresses. */
  | 'private_address'
  /** No such host, connection refused or broken. */
  | 'unreachable'
  | 'tls'
  | 'timeout'
  /** Malformed HTTP, or an unexpected response. */
  | 'bad_answer'
  | 'redirect'
  | 'http_status'
  | 'content_encoding'
  | 'too_large'
  /** Aborted by the caller. */
  | 'aborted'
  /** A failure of the local disk. */
  | 'storage';

/** Details of a failure. */
export interface FetchErrorDetails {
  /** True if a retry would fail in the same way until the URL or its host changes (D-24). */
  readonly isPermanent: boolean;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** True if the host name does not resolve to an address. */
  readonly isHostUnknown?: boolean;
  readonly cause?: unknown;
}

/**
 * The only error thrown by the guarded client and the code that uses it. `message` is a predicate that follows the name
 * of the resource and says what to do. It contains no path, query or header, because these may be secret.
 */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly isPermanent: boolean;
  readonly status: number | undefined;
  readonly isHostUnknown: boolean;

  constructor(
    readonly code: FetchErrorCode,
    message: string,
    { isPermanent, status, isHostUnknown = false, cause }: FetchErrorDetails,
  ) {
    super(message, { cause });
    this.isPermanent = isPermanent;
    this.status = status;
    this.isHostUnknown = isHostUnknown;
  }
}

/** 4xx statuses that are temporary. */
const TEMPORARY = new Set([408, 421, 425, 429]);

/** Creates the error for a response with a status of 400 or above (D-24). */
export const fetchErrorOfStatus = (status: number): FetchError => {
  const name = STATUS_CODES[status];
  const answer = name === undefined ? status : `${status} (${name})`;
  if (status >= 500 || TEMPORARY.has(status)) {
    const message = FETCH_MESSAGES.unavailable({ status: answer });
    return new FetchError('http_status', message, { isPermanent: false, status });
  }
  const describe = status === 401 || status === 403 ? FETCH_MESSAGES.notReadable : FETCH_MESSAGES.notFound;
  return new FetchError('http_status', describe({ status: answer }), { isPermanent: true, status });
};

/** Certificate errors, which are permanent until the host changes its certificate. */
const CERTIFICATE =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?!GET_CRL|DECRYPT_CRL)|HOSTNAME_MISMATCH)/;
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/;
const TIMEOUT = /^(ETIMEDOUT|ETIMEOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const MALFORMED = /^(HTTPParserError$|HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|REQ_|INVALID_ARG|NOT_SUPPORTED))/;

/** Converts an error from the network or its libraries. */
export const fetchErrorOf = (error: unknown): FetchError => {
  if (error instanceof FetchError) return error;
  const code = codeOf(error);
  const failure = (kind: FetchErrorCode, message: string, isPermanent = false): FetchError =>
    new FetchError(kind, message, { isPermanent, cause: error });
  if (CERTIFICATE.test(code)) return failure('tls', FETCH_MESSAGES.badCertificate({ code }), true);
  if (TLS.test(code)) return failure('tls', FETCH_MESSAGES.tlsFailed({ code }));
  if (TIMEOUT.test(code)) return failure('timeout', FETCH_MESSAGES.hostTooSlow({ code }));
  if (MALFORMED.test(code)) return failure('bad_answer', FETCH_MESSAGES.malformedHttp({ code }));
  return failure('unreachable', FETCH_MESSAGES.connectionFailed({ code }));
};

const codeOf = (error: unknown): string => {
  if (!isNativeError(error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
