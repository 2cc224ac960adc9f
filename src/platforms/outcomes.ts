import type { JsonObject } from '../kernel/ids.js';
import { type Exchange, extractWords, type Interrupted, platformSays, readRetryAfter } from './exchange.js';
import { CALL_MESSAGES as MESSAGES } from './messages.js';
import { LEASE_LOST, type PublishError, type SendContext, type StepOutcome } from './publisher.js';

/** Returns the outcome of a step that creates no message, such as an upload. */
export const doneWithoutMessage = (result: JsonObject): StepOutcome => ({
  kind: 'done',
  result,
  messageIds: [],
  urls: [],
});

/** Returns a retry after the gateway's own backoff. */
export const retry = (error: PublishError): StepOutcome => ({ kind: 'retry', named: false, afterMs: null, error });

/** Returns `in_doubt` if readers may see the effect of the call, otherwise a retry (D-25). */
export const inDoubtIfVisible = (visible: boolean, error: PublishError): StepOutcome =>
  visible ? { kind: 'in_doubt', error } : retry(error);

/** Returns an error that the gateway itself reports (D-35). */
export const gatewayError = (
  code: string,
  message: string,
  category: PublishError['category'] = 'network',
): PublishError => ({ code, category, source: 'gateway', message });

/** Returns the outcome for every step of a channel whose credentials are unusable: no call is made. */
export const unusableCredentials = (
  code: string,
  message: string,
): Extract<StepOutcome, { kind: 'needs_attention' }> => ({
  kind: 'needs_attention',
  error: gatewayError(code, message, 'credentials'),
});

/** A call that got no response from the network's API. */
interface UnansweredCall {
  /** The network's display name. */
  readonly title: string;
  readonly platform: string;
  /**
   * True if readers can see the effect: only visible calls can be in doubt; others may be repeated (networks.md §3).
   */
  readonly visible: boolean;
  /** Values to mask in the network's message. */
  readonly credentials: Readonly<Record<string, string>>;
}

export interface RefusedCall extends Pick<SendContext, 'waits' | 'credentials'> {
  /** True if readers would see the effect. */
  readonly visible: boolean;
  /** Counts an error that is in no table of errors. */
  readonly countUnknown?: (code: string) => void;
}

/**
 * Classifies an exchange whose response is missing or does not come from the API: a proxy's HTML, an empty or malformed
 * body, or a result without an id (D-25). A 429 asks for a delay, and a 413 means that an upload is too large.
 */
export const classifyUnanswered = (exchange: Exchange, call: UnansweredCall): StepOutcome => {
  const { title: network, platform, credentials } = call;
  if (exchange.kind !== 'answered') return classifyInterrupted(exchange, call);
  const { status, headers, body } = exchange;
  const says = platformSays(extractWords(body), credentials);
  if (status === 429) {
    const seconds = Number(readRetryAfter(headers) ?? NaN);
    return {
      kind: 'retry',
      named: true,
      afterMs: Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) * 1_000 : null,
      error: {
        code: 'too_many_requests',
        category: 'rate_limit',
        source: platform,
        message: MESSAGES.slowDown({ network }),
        ...says,
      },
    };
  }
  if (status === 413) {
    const message = MESSAGES.uploadTooLarge({ network });
    return {
      kind: 'failed',
      error: { code: 'media_too_large', category: 'media', source: platform, message, ...says },
    };
  }
  return classifyUnreadable(status, says, call);
};

/** Codes that name the gateway's own reason for ending a call. */
const OWN_CODES: ReadonlySet<string> = new Set(['timed_out', 'aborted', LEASE_LOST]);

/** Codes of a certificate that no known authority has issued. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** Classifies a call whose request was not sent, or whose response did not arrive completely (D-25). */
export const classifyInterrupted = (
  { kind, code, detail, host }: Interrupted,
  { title: network, visible }: Pick<UnansweredCall, 'title' | 'visible'>,
): StepOutcome => {
  if (kind === 'never_sent' && UNTRUSTED.has(code)) {
    const message = MESSAGES.certificateNotTrusted({ network, host: host ?? network, detail });
    return { kind: 'needs_attention', error: gatewayError('certificate_not_trusted', message) };
  }
  if (kind === 'never_sent')
    return retry(
      gatewayError(
        code === 'aborted' || code === LEASE_LOST ? code : 'not_sent',
        MESSAGES.notSent({ network, detail }),
      ),
    );
  const describe = visible ? MESSAGES.notAnsweredInDoubt : MESSAGES.notAnswered;
  const errorCode = OWN_CODES.has(code) ? code : 'connection_lost';
  return inDoubtIfVisible(visible, gatewayError(errorCode, describe({ network, detail })));
};

/**
 * Classifies a response that does not come from the API, by its status (D-25). With a 3xx or 4xx, an intermediary
 * refused to forward the call, so it may be repeated. With any other status, the network may have executed the call.
 * @param says the text in the response
 */
export const classifyUnreadable = (
  status: number,
  says: Pick<PublishError, 'platform_says'>,
  { title: network, visible }: Pick<UnansweredCall, 'title' | 'visible'>,
): StepOutcome => {
  if (status >= 300 && status < 500)
    return retry({ ...gatewayError('unreadable_refusal', MESSAGES.intermediary({ network, status })), ...says });
  const describe = visible ? MESSAGES.unreadableInDoubt : MESSAGES.unreadable;
  const error = gatewayError('unreadable_answer', describe({ network, status }), 'platform');
  return inDoubtIfVisible(visible, { ...error, ...says });
};
