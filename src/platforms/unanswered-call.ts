import type { Exchange } from './exchange.js';
import { platformSays, wordsIn } from './platform-says.js';
import type { PublishError, StepOutcome } from './publisher.js';
import { retryAfterOf } from './retry-after.js';

/** A call of which no answer of the network's API came, in so far as it decides what to do next. */
export interface UnansweredCall {
  /** The network's name for people. */
  readonly title: string;
  /** The network's identifier. */
  readonly platform: string;
  /** Whether readers would see what it does: only then is it in doubt, else it may be repeated (networks.md §3). */
  readonly visible: boolean;
  /** What must not be told of the answer. */
  readonly credentials: Readonly<Record<string, string>>;
}

/**
 * The outcome of an exchange that brought no answer, or one that is not the API's: HTML of a proxy, an empty or broken
 * body, a result without its id (D-25). With a 3xx or 4xx status somebody between refused to pass the call on.
 */
export const outcomeWithoutAnswer = (exchange: Exchange, call: UnansweredCall): StepOutcome => {
  const { title, platform, visible, credentials } = call;
  if (exchange.kind === 'never_sent') {
    const code = exchange.code === 'aborted' ? 'aborted' : 'not_sent';
    return again(gatewayError(code, `${title} could not be reached (${exchange.detail}): nothing was sent.`));
  }
  if (exchange.kind === 'lost') {
    const code = exchange.code === 'timed_out' || exchange.code === 'aborted' ? exchange.code : 'connection_lost';
    const what = `The call was sent and ${title}'s answer never came (${exchange.detail})`;
    return visible
      ? { kind: 'in_doubt', error: gatewayError(code, `${what}: the post may be there.`) }
      : again(gatewayError(code, `${what}.`));
  }
  const { status, headers, body } = exchange;
  const says = platformSays(wordsIn(body), credentials);
  if (status === 429) {
    const seconds = Number(retryAfterOf(headers) ?? NaN);
    return {
      kind: 'retry',
      named: true,
      afterMs: Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) * 1_000 : null,
      error: {
        code: 'too_many_requests',
        category: 'rate_limit',
        source: platform,
        message: `${title} asks to slow down.`,
        ...says,
      },
    };
  }
  if (status === 413) {
    const message = `${title} finds the upload too large.`;
    return {
      kind: 'failed',
      error: { code: 'media_too_large', category: 'media', source: platform, message, ...says },
    };
  }
  if (status >= 300 && status < 500) {
    const refused = `Not ${title} but something before it refused the call (${status}).`;
    return again({ ...gatewayError('unreadable_refusal', refused), ...says });
  }
  const what = `${title}'s answer (${status}) cannot be read`;
  return visible
    ? {
        kind: 'in_doubt',
        error: { ...gatewayError('unreadable_answer', `${what}: the post may be there.`, 'platform'), ...says },
      }
    : again({ ...gatewayError('unreadable_answer', `${what}.`, 'platform'), ...says });
};

const again = (error: PublishError): StepOutcome => ({ kind: 'retry', named: false, afterMs: null, error });

const gatewayError = (code: string, message: string, category: PublishError['category'] = 'network'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});
