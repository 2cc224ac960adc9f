import type { Exchange } from './exchange.js';
import { CALL_MESSAGES as MESSAGES } from './messages.js';
import { extractWords, platformSays } from './platform-says.js';
import type { PublishError, StepOutcome } from './publisher.js';
import { readRetryAfter } from './retry-after.js';

/** Facts about a call that the network's API did not answer, which decide what happens next. */
export interface UnansweredCall {
  /** The network's display name. */
  readonly title: string;
  /** The network's identifier. */
  readonly platform: string;
  /** True if readers can see the effect: only such a call is in doubt; others may be repeated (networks.md §3). */
  readonly visible: boolean;
  /** Values to mask in the network's words. */
  readonly credentials: Readonly<Record<string, string>>;
}

/**
 * Classifies an exchange whose response is missing or does not come from the API: a proxy's HTML, an empty or malformed
 * body, or a result without an id (D-25). A 429 asks for a delay, and a 413 means that an upload is too large. With any
 * other 3xx or 4xx status, an intermediary refused to forward the call.
 */
export const classifyUnanswered = (exchange: Exchange, call: UnansweredCall): StepOutcome => {
  const { title: network, platform, visible, credentials } = call;
  if (exchange.kind === 'never_sent') {
    const code = exchange.code === 'aborted' ? 'aborted' : 'not_sent';
    return retry(gatewayError(code, MESSAGES.notSent({ network, detail: exchange.detail })));
  }
  if (exchange.kind === 'lost') {
    const code = exchange.code === 'timed_out' || exchange.code === 'aborted' ? exchange.code : 'connection_lost';
    const { detail } = exchange;
    return visible
      ? { kind: 'in_doubt', error: gatewayError(code, MESSAGES.notAnsweredInDoubt({ network, detail })) }
      : retry(gatewayError(code, MESSAGES.notAnswered({ network, detail })));
  }
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
  if (status >= 300 && status < 500) {
    const refused = MESSAGES.intermediary({ network, status });
    return retry({ ...gatewayError('unreadable_refusal', refused), ...says });
  }
  const describe = visible ? MESSAGES.unreadableInDoubt : MESSAGES.unreadable;
  const error = { ...gatewayError('unreadable_answer', describe({ network, status }), 'platform'), ...says };
  return visible ? { kind: 'in_doubt', error } : retry(error);
};

const retry = (error: PublishError): StepOutcome => ({ kind: 'retry', named: false, afterMs: null, error });

const gatewayError = (code: string, message: string, category: PublishError['category'] = 'network'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});
