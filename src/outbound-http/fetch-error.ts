import { STATUS_CODES } from 'node:http';
import { isNativeError } from 'node:util/types';

/** What went wrong when something was fetched for somebody, by the stage at which it did. */
export type MediaFetchCode =
  /** The URL may not be fetched at all: not https, another port, a user name in it, a host with a trailing dot. */
  | 'url_refused'
  /** It leads to an address that the Internet cannot reach. */
  | 'private_address'
  /** No such host, refused, or broken off. */
  | 'unreachable'
  | 'tls'
  | 'timeout'
  /** Not HTTP, or not what was asked for. */
  | 'bad_answer'
  | 'redirect'
  | 'http_status'
  | 'content_encoding'
  | 'too_large'
  /** The caller's signal. */
  | 'aborted'
  /** Our own disk, not the host. */
  | 'storage';

/** What else is known of a failure. */
export interface MediaFetchDetails {
  /** True where trying again would end the same way until somebody changes the URL or its host (D-24: certainly wrong). */
  readonly permanent: boolean;
  /** The answer's status, where there was an answer. */
  readonly status?: number;
  readonly cause?: unknown;
}

/**
 * The only error of the guarded client and of what stands on it. `message` follows the thing's name in a sentence and
 * says what to do; there is no path, query or header in it, which may be secret.
 */
export class MediaFetchError extends Error {
  override readonly name = 'MediaFetchError';
  readonly permanent: boolean;
  readonly status: number | undefined;

  constructor(
    readonly code: MediaFetchCode,
    message: string,
    { permanent, status, cause }: MediaFetchDetails,
  ) {
    super(message, { cause });
    this.permanent = permanent;
    this.status = status;
  }
}

/** Statuses of the 400s that speak of the moment, not of the URL. */
const PASSING = new Set([408, 421, 425, 429]);

/** The failure that an answer of 400 or above means for whoever wanted the file (D-24). */
export const statusError = (status: number): MediaFetchError => {
  const answer = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  if (status >= 500 || PASSING.has(status))
    return new MediaFetchError('http_status', `is not available at the moment: its host answers ${answer}`, {
      permanent: false,
      status,
    });
  const advice =
    status === 401 || status === 403
      ? 'is not public: make it readable without signing in'
      : status === 404 || status === 410
        ? 'is not there: check the link'
        : 'cannot be fetched: check the link';
  return new MediaFetchError('http_status', `${advice} (its host answers ${answer})`, { permanent: true, status });
};

/** Verdicts on a certificate; they last until the host is given another. */
const CERTIFICATE =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?!GET_CRL|DECRYPT_CRL)|HOSTNAME_MISMATCH)/;
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/;
const TIMEOUT = /^(ETIMEDOUT|ETIMEOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const MALFORMED = /^(HTTPParserError$|HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|REQ_|INVALID_ARG|NOT_SUPPORTED))/;

/** Any error of the network or of its libraries, in our words. */
export const fetchErrorOf = (error: unknown): MediaFetchError => {
  if (error instanceof MediaFetchError) return error;
  const code = codeOf(error);
  const told = (kind: MediaFetchCode, message: string, permanent = false): MediaFetchError =>
    new MediaFetchError(kind, message, { permanent, cause: error });
  if (CERTIFICATE.test(code)) return told('tls', `is on a host whose certificate is not valid (${code})`, true);
  if (TLS.test(code)) return told('tls', `is on a host with which no secure connection comes about (${code})`);
  if (TIMEOUT.test(code)) return told('timeout', `is on a host that does not answer in time (${code})`);
  if (MALFORMED.test(code)) return told('bad_answer', `is on a host whose answer is not sound HTTP (${code})`);
  return told('unreachable', `is on a host that cannot be reached (${code})`);
};

const codeOf = (error: unknown): string => {
  if (!isNativeError(error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
