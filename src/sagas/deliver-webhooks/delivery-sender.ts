import type { GuardedClient, OpenAnswer } from '../../outbound-http/guarded-client.js';
import { FetchError } from '../../outbound-http/fetch-error.js';
import { DELIVERY_MESSAGES } from './messages.js';

/** Longest time of an attempt in ms, from the call to the end of the answer (security.md). It is never scaled. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read; the connection of a longer one is closed. */
const READ_BYTES = 2_048;
/** UTF-16 units of an answer that are kept. */
const KEPT_UNITS = 500;

/** The end of an attempt. */
export interface SentResult {
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  readonly answer: string;
  /** `Retry-After` in ms; null if there was none. */
  readonly retryAfterMs: number | null;
  /** True if this process gave up the attempt: it says nothing about the server. */
  readonly isAborted: boolean;
  /** True if there was no connection over which anything could be sent, whichever delivery it was for. */
  readonly isUnreachable?: boolean;
}

/** Errors that end a connection before anything is sent over it. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Sends signed deliveries to customers' servers through the guarded client (D-30). */
export class DeliverySender {
  constructor(private readonly client: Pick<GuardedClient, 'open'>) {}

  /** Posts a delivery once. It never throws for a reason of the customer's server. */
  async send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<SentResult> {
    const request = {
      method: 'POST',
      headers,
      body,
      signal,
      maxBytes: Infinity,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
    } as const;
    try {
      const answer = await this.client.open(url, request);
      const { status } = answer;
      return { status, answer: await readBeginning(answer), retryAfterMs: readRetryAfter(answer), isAborted: false };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const isAborted = error.code === 'aborted' && signal.aborted;
      const isUnreachable = error.isHostUnknown || NOT_CONNECTED.has(causeCodeOf(error));
      return {
        status: error.status ?? null,
        answer: describeError(error),
        retryAfterMs: null,
        isAborted,
        isUnreachable,
      };
    }
  }
}

/** Reads the beginning of an answer's body. The status has decided already, so a body that breaks off is no failure. */
const readBeginning = async (answer: OpenAnswer): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer.body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= READ_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
  }
  const text = Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8');
  // Databases cannot store NUL, nor JSON half of a surrogate pair.
  return text
    .replaceAll('\0', '')
    .slice(0, KEPT_UNITS)
    .replace(/\p{Cs}/gu, '\ufffd');
};

/** Reads `Retry-After`: seconds or a date, measured by the server's own clock if the answer has a date (RFC 9110). */
const readRetryAfter = ({ headers: { 'retry-after': value = '', date = '' } }: OpenAnswer): number | null => {
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
      return ''; // there was an answer, whose body is not readable
  }
};

const causeCodeOf = ({ cause }: FetchError): string => String((cause as { readonly code?: unknown } | undefined)?.code);
