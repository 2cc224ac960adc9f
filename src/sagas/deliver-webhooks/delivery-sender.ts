import type { CompleteAnswer } from '../../outbound-http/answer-receiver.js';
import { FetchError } from '../../outbound-http/fetch-error.js';
import type { GuardedClient } from '../../outbound-http/guarded-client.js';
import { DELIVERY_MESSAGES } from './messages.js';

/** Maximum duration of an attempt, from the request to the end of the response, in ms (security.md). Never scaled. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Maximum number of bytes of a response to read; a longer response is cut off. */
const READ_BYTES = 2_048;
/** Maximum number of UTF-16 units of a response to keep. */
const KEPT_UNITS = 500;

/** Outcome of an attempt. */
export interface SentResult {
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly answer: string;
  /** `Retry-After` in ms; null if there was none. */
  readonly retryAfterMs: number | null;
  /** True if this process abandoned the attempt, which says nothing about the server. */
  readonly isAborted: boolean;
  /** True if no connection to the server could be opened: any other delivery would have failed too. */
  readonly isUnreachable?: boolean;
}

/** Errors that end a connection before anything is sent over it. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Sends signed deliveries to customers' servers through the guarded client (D-30). */
export class DeliverySender {
  constructor(private readonly client: Pick<GuardedClient, 'request'>) {}

  /** Posts a delivery once. Failures of the customer's server are returned, not thrown. */
  async send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<SentResult> {
    const limits = { maxBytes: READ_BYTES, timeoutMs: ATTEMPT_TIMEOUT_MS };
    const request = { method: 'POST', headers, body, signal, ...limits } as const;
    try {
      // The status alone decides the outcome, so a truncated body is not a failure.
      const answer = await this.client.request(url, request, 'cut');
      const { status, body: beginning } = answer;
      return { status, answer: toText(beginning), retryAfterMs: readRetryAfter(answer), isAborted: false };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const isAborted = error.code === 'aborted' && signal.aborted;
      const isUnreachable = error.isHostUnknown || NOT_CONNECTED.has(causeCodeOf(error));
      const answer = describeError(error);
      return { status: error.status ?? null, answer, retryAfterMs: null, isAborted, isUnreachable };
    }
  }
}

// Databases cannot store NUL, and JSON cannot store half of a surrogate pair.
const toText = (beginning: Buffer): string =>
  beginning
    .toString('utf8')
    .replaceAll('\0', '')
    .slice(0, KEPT_UNITS)
    .replace(/\p{Cs}/gu, '\ufffd');

/** Reads `Retry-After`: seconds, or a date, relative to the response's own `Date` header if present (RFC 9110). */
const readRetryAfter = ({ headers: { 'retry-after': value = '', date = '' } }: CompleteAnswer): number | null => {
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  const until = /[a-z]/i.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(until)) return null;
  const now = Date.parse(date);
  return Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
};

const describeError = (error: FetchError): string => {
  const { code, status } = error;
  switch (code) {
    case 'redirect':
      return DELIVERY_MESSAGES.redirect({ status: status ?? 0 });
    case 'private_address':
      return DELIVERY_MESSAGES.privateAddress;
    case 'url_refused':
      return DELIVERY_MESSAGES.refusedUrl;
    case 'tls':
      return error.isPermanent
        ? DELIVERY_MESSAGES.badCertificate({ code: causeCodeOf(error) })
        : DELIVERY_MESSAGES.tlsFailed;
    case 'timeout':
      return DELIVERY_MESSAGES.timeout({ seconds: ATTEMPT_TIMEOUT_MS / 1_000 });
    case 'bad_answer':
      return DELIVERY_MESSAGES.badAnswer;
    case 'unreachable':
      return DELIVERY_MESSAGES.unreachable;
    default:
      return ''; // the server responded, but the body is not readable
  }
};

const causeCodeOf = ({ cause }: FetchError): string => String((cause as { readonly code?: unknown } | undefined)?.code);
