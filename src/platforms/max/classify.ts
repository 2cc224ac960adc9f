import type { PublishError, SendContext, StepOutcome } from '../publisher.js';

/** What went wrong with a call to MAX, in so far as it decides what to do next. */
export type MaxFailure =
  /** MAX's own error: `{code, message}`, or `success: false` in a 200 (D-41). `retryAfter`: the HTTP header. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly retryAfter: string | undefined;
    }
  /** Something answered, but not MAX: HTML of a proxy, a broken body, a message without its id. */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Its words. */
      readonly says?: string;
    }
  /** The request went out and no whole answer came. */
  | { readonly kind: 'lost'; readonly code: string; readonly detail: string }
  /** Nothing went out. */
  | { readonly kind: 'never_sent'; readonly code: string; readonly detail: string };

/** What else decides: whether readers can see the call's effect, and how often MAX has put the publication off. */
export interface Circumstances {
  readonly visible: boolean;
  readonly waits: SendContext['waits'];
}

/** The wait for an attachment doubles from 1 s up to this (networks.md §3). */
const LONGEST_ATTACHMENT_WAIT_MS = 120_000;

/**
 * The outcome that a failure stands for (networks.md §3, D-20, D-25, D-26). Only a visible call can be in doubt; any
 * other may always be made again.
 */
export const classify = (failure: MaxFailure, on: Circumstances): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure, on);
    case 'unreadable':
      return classifyUnreadable(failure, on);
    case 'lost': {
      const code = failure.code === 'timed_out' || failure.code === 'aborted' ? failure.code : 'connection_lost';
      const message = `The call was sent and MAX's answer never came (${failure.detail})`;
      return unknown(on, gatewayError(code, message), 'the post may be in the channel.');
    }
    case 'never_sent': {
      const code = failure.code === 'aborted' ? 'aborted' : 'not_sent';
      return again(gatewayError(code, `MAX could not be reached (${failure.detail}): nothing was sent.`));
    }
  }
};

type Refusal = Extract<MaxFailure, { kind: 'refused' }>;
/** What MAX says: a code of its own, and more; either may be empty. */
type Words = Pick<Refusal, 'code' | 'message'>;

const classifyRefusal = (refusal: Refusal, on: Circumstances): StepOutcome => {
  const { status, code } = refusal;
  if (code === 'attachment.not.ready') {
    const error = maxError('attachment_not_ready', 'rate_limit', 'MAX is still working on the upload.', refusal);
    const afterMs = Math.min(1_000 * 2 ** (on.waits[error.code] ?? 0), LONGEST_ATTACHMENT_WAIT_MS);
    return { kind: 'retry', named: true, afterMs, error };
  }
  if (status === 429 || code === 'too.many.requests') return slowDown(refusal.retryAfter, refusal);
  if (status >= 500 || code === 'service.unavailable' || code === 'internal') {
    const error = maxError('server_error', 'platform', `MAX failed with ${status}`, refusal);
    return unknown(on, error, 'the post may be in the channel all the same.');
  }
  if (status === 401 || code === 'verify.token') {
    const message = 'MAX does not accept the bot token: take the present one.';
    return { kind: 'credentials', error: maxError('unauthorized', 'credentials', message, refusal) };
  }
  if (status === 403 || code === 'chat.denied') {
    const message = 'The bot may not post there: make it an administrator of the channel.';
    return { kind: 'credentials', error: maxError('forbidden', 'credentials', message, refusal) };
  }
  if (code === 'chat.not.found') {
    const message = 'MAX knows no such chat, or the bot is not in it.';
    return { kind: 'credentials', error: maxError('chat_not_found', 'channel', message, refusal) };
  }
  return { kind: 'failed', error: refusedForGood(refusal) };
};

const refusedForGood = (refusal: Refusal): PublishError => {
  const words = `${refusal.code} ${refusal.message}`;
  if (refusal.status === 404 || refusal.status === 405) {
    return maxError('method_not_found', 'platform', 'The server at this address does not know this call.', refusal);
  }
  if (refusal.status === 413) {
    return maxError('media_too_large', 'media', 'MAX finds the post too large.', refusal);
  }
  if (/button|keyboard/i.test(words)) return maxError('bad_button', 'payload', 'MAX refuses a button.', refusal);
  if (/attachment|video|image|photo|audio|upload/i.test(words)) {
    return maxError('media_refused', 'media', 'MAX refuses a medium.', refusal);
  }
  return maxError('bad_request', 'payload', 'MAX refuses the post.', refusal);
};

/**
 * An answer that is not MAX's. With a 4xx or 3xx status somebody between refused to pass the call on, so it may be
 * tried again; everything else may have been carried out (D-25).
 */
const classifyUnreadable = (
  { status, retryAfter, says }: Extract<MaxFailure, { kind: 'unreadable' }>,
  on: Circumstances,
): StepOutcome => {
  if (status === 429) return slowDown(retryAfter, { code: '', message: says ?? '' });
  const words = says ? { platform_says: says.slice(0, 500) } : {};
  if (status >= 300 && status < 500) {
    const message = `Not MAX but something before it refused the call (${status}).`;
    return again({ ...gatewayError('unreadable_refusal', message), ...words });
  }
  const error = { ...gatewayError('unreadable_answer', `The answer (${status}) cannot be read`, 'platform'), ...words };
  return unknown(on, error, 'the post may be in the channel.');
};

const slowDown = (retryAfter: string | undefined, words: Words): StepOutcome => {
  const said = retryAfter === undefined ? NaN : Number(retryAfter);
  const seconds = Number.isFinite(said) && said >= 0 ? Math.ceil(said) : null;
  const message = seconds === null ? 'MAX asks to slow down.' : `MAX asks to wait ${seconds} s.`;
  return {
    kind: 'retry',
    named: true,
    afterMs: seconds === null ? null : seconds * 1_000,
    error: maxError('too_many_requests', 'rate_limit', message, words),
  };
};

const again = (error: PublishError): StepOutcome => ({ kind: 'retry', named: false, afterMs: null, error });

/** In doubt where readers may see it, else simply again. */
const unknown = ({ visible }: Circumstances, error: PublishError, doubt: string): StepOutcome =>
  visible
    ? { kind: 'in_doubt', error: { ...error, message: `${error.message}: ${doubt}` } }
    : again({ ...error, message: `${error.message}.` });

/** A failure as MAX itself tells it (D-35). */
export const maxError = (
  code: string,
  category: PublishError['category'],
  message: string,
  words: Words,
): PublishError => {
  const says = [words.code, words.message].filter(Boolean).join(': ');
  return { code, category, source: 'max', message, ...(says ? { platform_says: says.slice(0, 500) } : {}) };
};

const gatewayError = (code: string, message: string, category: PublishError['category'] = 'network'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});
