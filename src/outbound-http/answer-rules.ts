import type { IncomingHttpHeaders } from 'node:http';
import { formatCount } from '../validation/wording.js';
import { FetchError } from './fetch-error.js';
import { FETCH_MESSAGES } from './messages.js';

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
