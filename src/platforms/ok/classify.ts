import { type BackoffBounds, backoffDelay } from '../../runtime/backoff.js';
import { inDoubtIfVisible } from '../outcomes.js';
import { platformSays } from '../platform-says.js';
import type { PublishError, StepOutcome } from '../publisher.js';
import type { RefusedCall } from '../unanswered-call.js';
import { OK_MESSAGES } from './messages.js';

/** OK's `{"error_code": …}`, sent with HTTP 200. */
export interface OkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Backoff for refusals that imply a delay (networks.md §3). */
const WAITS: Readonly<Record<number, BackoffBounds & { readonly why: string }>> = {
  2: { firstMs: 5 * SECOND, longestMs: 10 * MINUTE, why: OK_MESSAGES.outOfService },
  8: { firstMs: 5 * MINUTE, longestMs: HOUR, why: OK_MESSAGES.tooFrequent },
  11: { firstMs: MINUTE, longestMs: HOUR, why: OK_MESSAGES.limitUsedUp },
};

/** Refusals that last until someone replaces the credentials or changes something on OK (D-26, D-50). */
const CREDENTIALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  10: ['not_permitted', OK_MESSAGES.rightMissing],
  50: ['access_denied', OK_MESSAGES.accessDenied],
  101: ['unknown_application', OK_MESSAGES.unknownApplication],
  102: ['token_expired', OK_MESSAGES.tokenExpired],
  103: ['unauthorized', OK_MESSAGES.unauthorized],
  104: ['bad_signature', OK_MESSAGES.badSignature],
  160: ['account_blocked', OK_MESSAGES.accountBlocked],
  200: ['not_permitted', OK_MESSAGES.rightMissing],
  210: ['application_blocked', OK_MESSAGES.applicationBlocked],
  453: ['unauthorized', OK_MESSAGES.sessionNeeded],
  456: ['unauthorized', OK_MESSAGES.unauthorized],
};

/**
 * Matches error messages about the group: these refusals apply to every post, even if their code is in `FAILED` (D-50).
 */
const NO_GROUP = /PARAM_GROUP_ID|\b(?:group|gid)\b.*(?:not found|not exist|deleted|invalid)|NOT_FOUND.*\bgroup\b/i;
const NO_RIGHT = /GROUP_RESTRICTION|\bgroup\b.*(?:restrict|forbidden|not a member|not allowed|no access)/i;

/** Returns the code and message of a refusal that applies to every post; null for any other refusal. */
const findBarrier = (errorMsg: string): readonly [code: string, message: string] | null => {
  if (NO_GROUP.test(errorMsg)) return ['chat_not_found', OK_MESSAGES.groupNotFound];
  if (NO_RIGHT.test(errorMsg)) return ['access_denied', OK_MESSAGES.accessDenied];
  return null;
};

/** Permanent refusals of a post; {@link isPhotoRefusal} recognizes refusals of a photo. */
const FAILED: Readonly<Record<number, readonly [code: string, category: PublishError['category'], message: string]>> = {
  100: ['bad_parameter', 'payload', OK_MESSAGES.badParameter],
  454: ['text_refused', 'payload', OK_MESSAGES.textRefused],
  511: ['media_refused', 'media', OK_MESSAGES.mediaRefused],
  600: ['too_many_blocks', 'payload', OK_MESSAGES.tooManyParts],
  601: ['too_long', 'payload', OK_MESSAGES.tooLong],
  607: ['refused', 'payload', OK_MESSAGES.refused],
};

/** True if the code means that OK refuses a photo or its upload. */
export const isPhotoRefusal = (errorCode: number): boolean => errorCode >= 500 && errorCode <= 505;

/** Internal errors at OK: the call may still have been executed (D-25). */
const UNCLEAR: ReadonlySet<number> = new Set([1, 9_999]);

/** Returns the outcome of a refusal (networks.md §3, D-20, D-25, D-26). */
export const classify = ({ errorCode, errorMsg }: OkRefusal, call: RefusedCall): StepOutcome => {
  const error = (code: string, category: PublishError['category'], message: string): PublishError => ({
    code,
    category,
    source: 'ok',
    message,
    ...platformSays(errorMsg, call.credentials),
  });
  const wait = WAITS[errorCode];
  if (wait) {
    const slowDown = error('slow_down', 'rate_limit', wait.why);
    const afterMs = backoffDelay(wait, call.waits[slowDown.code] ?? 0);
    return { kind: 'retry', named: true, afterMs, error: slowDown };
  }
  if (UNCLEAR.has(errorCode)) {
    const describe = call.visible ? OK_MESSAGES.failedInDoubt : OK_MESSAGES.failed;
    return inDoubtIfVisible(call.visible, error('server_error', 'platform', describe({ code: errorCode })));
  }
  const credential = CREDENTIALS[errorCode];
  if (credential) return { kind: 'needs_attention', error: error(credential[0], 'credentials', credential[1]) };
  const barrier = findBarrier(errorMsg);
  if (barrier) return { kind: 'needs_attention', error: error(barrier[0], 'channel', barrier[1]) };
  if (isPhotoRefusal(errorCode))
    return { kind: 'failed', error: error('media_refused', 'media', OK_MESSAGES.photoRefused) };
  const failed = FAILED[errorCode] ?? ['refused', 'platform', OK_MESSAGES.callRefused({ code: errorCode })];
  return { kind: 'failed', error: error(...failed) };
};
