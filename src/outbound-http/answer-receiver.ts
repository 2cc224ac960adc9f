import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { isNativeError } from 'node:util/types';
import type { Dispatcher } from 'undici';
import { formatCount } from '../validation/wording.js';
import { FETCH_MESSAGES } from './messages.js';
import type { TrafficMeter } from './request-slots.js';

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
  /** The file is not in the store of uploads. */
  | 'gone'
  /** Aborted by the caller. */
  | 'aborted'
  /** A failure of the local disk. */
  | 'storage';

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

/** Status and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Announced length in bytes; null if the host announced none. */
  readonly contentLength: number | null;
}

/** Returns the announced length of a response, in bytes; null if the host announced none. */
export const contentLengthOf = (headers: IncomingHttpHeaders): number | null => {
  const length = String(headers['content-length'] ?? '');
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
};

/** Returns the reason for refusing a response before its body is read: a redirect, an encoding or its length. */
export const findRefusal = (
  { status, headers, contentLength }: AnswerHead,
  maxBytes: number,
): FetchError | undefined => {
  const refused = (code: 'redirect' | 'content_encoding', message: string): FetchError =>
    new FetchError(code, message, { isPermanent: true, status });
  if (status >= 300 && status < 400) return refused('redirect', FETCH_MESSAGES.redirect({ status }));
  const encoding = String(headers['content-encoding'] ?? '').trim();
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    return refused('content_encoding', FETCH_MESSAGES.compressed);
  if (contentLength !== null && contentLength > maxBytes) return tooLarge(contentLength, maxBytes, status);
  return undefined;
};

/** Creates the error for a response that is longer than allowed. */
export const tooLarge = (bytes: number, maxBytes: number, status?: number): FetchError => {
  const message = FETCH_MESSAGES.tooLarge({ bytes: formatCount(bytes), limit: formatCount(maxBytes) });
  return new FetchError('too_large', message, { isPermanent: true, ...(status !== undefined && { status }) });
};

/** A response with its body. */
export interface CompleteAnswer extends Pick<AnswerHead, 'status' | 'headers'> {
  readonly body: Buffer;
  /** False if the body was cut short or the connection broke. */
  readonly isComplete: boolean;
}

/** How to handle an incomplete response: `refuse` throws, `cut` returns the part received. */
export type Overflow = 'refuse' | 'cut';

/**
 * Receives one response into memory. Implements the HTTP library's handler interface directly: without a stream and its
 * iterators, a call with a short response takes a third less CPU time.
 */
export class AnswerReceiver implements Dispatcher.DispatchHandler {
  /** Settled once; rejected only with a {@link FetchError}. */
  readonly answer: Promise<CompleteAnswer>;
  private controller: Dispatcher.DispatchController | null = null;
  private head: AnswerHead | null = null;
  private readonly chunks: Buffer[] = [];
  private received = 0;
  private isSettled = false;
  /** Reason for closing the connection once it exists. */
  private failure: FetchError | null = null;
  private resolve!: (answer: CompleteAnswer) => void;
  private reject!: (error: FetchError) => void;

  constructor(
    private readonly maxBytes: number,
    private readonly overflow: Overflow,
    private readonly meter: TrafficMeter | undefined,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Ends the request and closes its connection. Has no effect once the response has arrived. */
  abort(reason: FetchError): void {
    if (this.isSettled) return;
    this.failure = reason;
    this.fail(reason);
    this.controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure) controller.abort(this.failure); // aborted while waiting for a connection
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return; // the final response follows
    this.head = { status, headers, contentLength: contentLengthOf(headers) };
    const refusal = findRefusal(this.head, this.overflow === 'cut' ? Infinity : this.maxBytes);
    if (!refusal) return;
    this.head = null;
    this.fail(refusal);
    controller.abort(refusal);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isSettled) return;
    const { maxBytes, received } = this;
    this.received += chunk.length;
    if (this.meter) this.meter.bytes += chunk.length;
    if (received < maxBytes) this.chunks.push(chunk.subarray(0, maxBytes - received));
    if (this.received < maxBytes || (this.received === maxBytes && this.mayEndHere)) return;
    const reason = tooLarge(this.received, maxBytes);
    this.fail(reason);
    controller.abort(reason);
  }

  onResponseEnd(): void {
    this.finish(true);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(fetchErrorOf(error));
  }

  /**
   * True if a body of exactly the maximum length may be complete, so it is worth waiting for its end. With `cut`, the
   * body may be endless, so only an announced length justifies the wait.
   */
  private get mayEndHere(): boolean {
    return this.overflow === 'refuse' || this.head?.contentLength === this.maxBytes;
  }

  private fail(error: FetchError): void {
    if (this.isSettled) return;
    if (this.head && this.overflow === 'cut') return this.finish(false);
    this.isSettled = true;
    this.reject(error);
  }

  private finish(isComplete: boolean): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const { status, headers } = this.head!;
    this.resolve({ status, headers, body: Buffer.concat(this.chunks), isComplete });
  }
}
