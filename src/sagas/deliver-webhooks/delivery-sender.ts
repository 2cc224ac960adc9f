import { createHmac } from 'node:crypto';
import { type CompleteAnswer, FetchError } from '../../outbound-http/answer-receiver.js';
import type { GuardedClient } from '../../outbound-http/guarded-client.js';
import { FairSlots } from '../../runtime/semaphore.js';
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

/** Limits how many outputs of each host are delivered to at a time. Owners share a host's slots ({@link FairSlots}). */
export class HostSlots {
  private readonly byHost = new Map<string, FairSlots>();

  /** @param size number of slots for each host */
  constructor(private readonly size: number) {}

  /** Takes a slot without waiting. Returns a function that releases it; null if the owner has used up its share. */
  tryAcquire(host: string, owner: string): (() => void) | null {
    const slots = this.byHost.get(host) ?? new FairSlots(this.size);
    if (slots.isAtShare(owner)) return null;
    this.byHost.set(host, slots);
    slots.take(owner);
    return () => {
      slots.release(owner);
      if (slots.holders.size === 0) this.byHost.delete(host);
    };
  }
}

/** The parts of a delivery that are signed. */
export interface SignedDelivery {
  /** UUID of the delivery, the same for all attempts. */
  readonly id: string;
  readonly kind: string;
  /** JSON text. */
  readonly body: string;
  /** Unix seconds of the attempt. */
  readonly timestamp: number;
  /** Prefix of the headers, in lower case (D-34). */
  readonly brand: string;
  /** The valid signing secrets, current first; at least one. Their UTF-8 bytes are the keys. */
  readonly secrets: readonly string[];
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text);

/**
 * Returns the headers of an attempt (publish-api.md: Events; security.md: Outbound webhooks): the specification's own
 * headers, signed with the current secret, and the Standard Webhooks headers, with one signature per valid secret.
 */
export const signDelivery = (delivery: SignedDelivery): Record<string, string> => {
  const { id, kind, body, timestamp, brand, secrets } = delivery;
  const content = `${id}.${timestamp}.${body}`;
  return {
    'content-type': 'application/json',
    'idempotency-key': id,
    [`x-${brand}-signature`]: `sha256=${hmac(secrets[0]!, body).digest('hex')}`,
    [`x-${brand}-delivery-id`]: id,
    [`x-${brand}-timestamp`]: String(timestamp),
    [`x-${brand}-event`]: kind,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, content).digest('base64')}`).join(' '),
  };
};

/** Returns the UUID in a delivery's id: `dlv_` and 32 hex digits. */
export const uuidOfDelivery = (deliveryId: string): string => {
  const hex = deliveryId.slice('dlv_'.length);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
