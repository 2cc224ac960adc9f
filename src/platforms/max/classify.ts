import { backoffDelay } from '../../runtime/backoff.js';
import type { Interrupted } from '../exchange.js';
import { CALL_MESSAGES } from '../messages.js';
import { inDoubtIfVisible } from '../outcomes.js';
import type { PublishError, StepOutcome } from '../publisher.js';
import { classifyInterrupted, classifyUnreadable, type RefusedCall } from '../unanswered-call.js';
import { MAX_MESSAGES } from './messages.js';
import { TITLE } from './title.js';

/** A failed call to MAX. */
export type MaxFailure =
  /** MAX's own error: `{code, message}`, or `success: false` in a 200 (D-41). `retryAfter`: the HTTP header. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly retryAfter: string | undefined;
    }
  /** A response that does not come from MAX: a proxy's HTML, a malformed body, or a message without an id. */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Text in the response. */
      readonly says?: string;
    }
  | Interrupted;

/** Whether readers see the call's effect, and how many times MAX has already delayed the publication. */
type Circumstances = Pick<RefusedCall, 'visible' | 'waits'>;

/** Delay while MAX is still processing an attachment; doubles each time (networks.md §3). */
const ATTACHMENT_WAIT = { firstMs: 1_000, longestMs: 120_000 };

/**
 * Returns the outcome of a failed call (networks.md §3, D-20, D-25, D-26). Only a visible call can be in doubt; any
 * other call may always be repeated.
 */
export const classify = (failure: MaxFailure, circumstances: Circumstances): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure, circumstances);
    case 'unreadable':
      return classifyForeign(failure, circumstances);
    case 'lost':
    case 'never_sent':
      return classifyInterrupted(failure, { title: TITLE, visible: circumstances.visible });
  }
};

type Refusal = Extract<MaxFailure, { kind: 'refused' }>;
/** MAX's own code and message; either may be empty. */
type Words = Pick<Refusal, 'code' | 'message'>;

const classifyRefusal = (refusal: Refusal, circumstances: Circumstances): StepOutcome => {
  const { status, code } = refusal;
  const words = `${code} ${refusal.message}`;
  if (code === 'attachment.not.ready') {
    const error = maxError('attachment_not_ready', 'rate_limit', MAX_MESSAGES.attachmentNotReady, refusal);
    const afterMs = backoffDelay(ATTACHMENT_WAIT, circumstances.waits[error.code] ?? 0);
    return { kind: 'retry', named: true, afterMs, error };
  }
  if (status === 429 || code === 'too.many.requests') return slowDown(refusal.retryAfter, refusal);
  if (status >= 500 || code === 'service.unavailable' || code === 'internal') {
    const describe = circumstances.visible ? MAX_MESSAGES.failedInDoubt : MAX_MESSAGES.failed;
    const error = maxError('server_error', 'platform', describe({ status }), refusal);
    return inDoubtIfVisible(circumstances.visible, error);
  }
  const needsAttention = (errorCode: string, category: 'credentials' | 'channel', message: string): StepOutcome => ({
    kind: 'needs_attention',
    error: maxError(errorCode, category, message, refusal),
  });
  if (status === 401 || code === 'verify.token')
    return needsAttention('unauthorized', 'credentials', MAX_MESSAGES.unauthorized);
  if (status === 403 || NO_RIGHT.test(words)) return needsAttention('forbidden', 'channel', MAX_MESSAGES.forbidden);
  if (NO_CHAT.test(words)) return needsAttention('chat_not_found', 'channel', MAX_MESSAGES.chatNotFound);
  return { kind: 'failed', error: classifyPermanentRefusal(refusal) };
};

/** MAX's error wording for a bot without the right to write and for a missing chat, whatever the status (D-50). */
const NO_RIGHT = /chat\.denied|\bnot (?:an? )?(?:member|participant|admin)|no (?:access|rights?) (?:to|in)\b/i;
const NO_CHAT = /chat\.not\.found|\bchat\b[^.]*\bnot found/i;

const classifyPermanentRefusal = (refusal: Refusal): PublishError => {
  const words = `${refusal.code} ${refusal.message}`;
  if (refusal.status === 404 || refusal.status === 405) {
    return maxError('method_not_found', 'platform', MAX_MESSAGES.methodNotFound, refusal);
  }
  if (refusal.status === 413) {
    return maxError('media_too_large', 'media', MAX_MESSAGES.tooLarge, refusal);
  }
  if (/button|keyboard/i.test(words)) return maxError('bad_button', 'payload', MAX_MESSAGES.badButton, refusal);
  if (/attachment|video|image|photo|audio|upload/i.test(words)) {
    return maxError('media_refused', 'media', MAX_MESSAGES.mediaRefused, refusal);
  }
  return maxError('bad_request', 'payload', MAX_MESSAGES.badRequest, refusal);
};

/** Classifies a response that does not come from MAX. If the status is 429, the call is retried after a delay. */
const classifyForeign = (
  { status, retryAfter, says }: Extract<MaxFailure, { kind: 'unreadable' }>,
  { visible }: Circumstances,
): StepOutcome => {
  if (status === 429) return slowDown(retryAfter, { code: '', message: says ?? '' });
  const words = says ? { platform_says: says.slice(0, 500) } : {};
  return classifyUnreadable(status, words, { title: TITLE, visible });
};

const slowDown = (retryAfter: string | undefined, words: Words): StepOutcome => {
  const said = retryAfter === undefined ? NaN : Number(retryAfter);
  const seconds = Number.isFinite(said) && said >= 0 ? Math.ceil(said) : null;
  const message = seconds === null ? CALL_MESSAGES.slowDown({ network: TITLE }) : MAX_MESSAGES.asksToWait({ seconds });
  return {
    kind: 'retry',
    named: true,
    afterMs: seconds === null ? null : seconds * 1_000,
    error: maxError('too_many_requests', 'rate_limit', message, words),
  };
};

/** Builds the error for a failure reported by MAX itself (D-35). */
export const maxError = (
  code: string,
  category: PublishError['category'],
  message: string,
  words: Words,
): PublishError => {
  const says = [words.code, words.message].filter(Boolean).join(': ');
  return { code, category, source: 'max', message, ...(says ? { platform_says: says.slice(0, 500) } : {}) };
};
