import { type BackoffBounds, backoffDelay } from '../../runtime/backoff.js';
import { inDoubtIfVisible } from '../outcomes.js';
import { platformSays } from '../platform-says.js';
import type { PublishError, StepOutcome } from '../publisher.js';
import type { RefusedCall } from '../unanswered-call.js';
import { VK_MESSAGES } from './messages.js';

/** VK's `{"error": …}`, sent with HTTP 200. */
export interface VkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Backoff for refusals that imply a delay (networks.md §3). */
const WAITS: Readonly<Record<number, BackoffBounds & { readonly why: string }>> = {
  6: { firstMs: SECOND, longestMs: 30 * SECOND, why: VK_MESSAGES.fewerCalls },
  9: { firstMs: 5 * MINUTE, longestMs: 4 * HOUR, why: VK_MESSAGES.tooFrequent },
  29: { firstMs: 15 * MINUTE, longestMs: 4 * HOUR, why: VK_MESSAGES.limitUsedUp },
  43: { firstMs: MINUTE, longestMs: HOUR, why: VK_MESSAGES.outOfService },
};

/** Matches VK's message about the daily limit of 50 posts on a wall, which all applications share. */
const FIFTY_A_DAY = /only add \d+ posts? (?:a|per) day/i;

/** Refusals that last until someone replaces the token or takes action on VK, e.g. solves a captcha (D-26, D-50). */
const CREDENTIALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  5: ['unauthorized', VK_MESSAGES.unauthorized],
  7: ['not_permitted', VK_MESSAGES.rightMissing],
  14: ['captcha_needed', VK_MESSAGES.captchaNeeded],
  15: ['access_denied', VK_MESSAGES.accessDenied],
  17: ['validation_needed', VK_MESSAGES.validationNeeded],
  18: ['account_gone', VK_MESSAGES.accountGone],
  20: ['wrong_kind_of_token', VK_MESSAGES.wrongKind],
  21: ['wrong_kind_of_token', VK_MESSAGES.wrongKind],
  27: ['wrong_kind_of_token', VK_MESSAGES.communityToken],
  28: ['wrong_kind_of_token', VK_MESSAGES.applicationToken],
  37: ['banned', VK_MESSAGES.banned],
  203: ['group_access_denied', VK_MESSAGES.groupAccessDenied],
  1051: ['wrong_kind_of_token', VK_MESSAGES.vkIdToken],
  3300: ['captcha_needed', VK_MESSAGES.captchaNeeded],
};

/** Matches an error 100 about the community rather than the post. */
const ABOUT_COMMUNITY = /\b(?:owner_id|group_id)\b/i;
/** Matches an error 214 about the whole wall: the token, or everyone, may not write there. */
const WALL_CLOSED = /\b(?:no access|no rights?|not allowed|closed|disabled|banned|blacklist\w*|permission)\b/i;

/** Returns the code and message of a refusal that applies to every post (D-50); null for any other refusal. */
const findBarrier = ({ errorCode, errorMsg }: VkRefusal): readonly [code: string, message: string] | null => {
  if (errorCode === 125 || (errorCode === 100 && ABOUT_COMMUNITY.test(errorMsg)))
    return ['chat_not_found', VK_MESSAGES.communityNotFound];
  if (errorCode === 214 && WALL_CLOSED.test(errorMsg)) return ['posting_denied', VK_MESSAGES.wallClosed];
  return null;
};

/** Permanent refusals of a post. */
const FAILED: Readonly<Record<number, readonly [code: string, category: PublishError['category'], message: string]>> = {
  100: ['bad_parameter', 'payload', VK_MESSAGES.badParameter],
  214: ['posting_denied', 'channel', VK_MESSAGES.postingDenied],
  219: ['advertisement_too_soon', 'rate_limit', VK_MESSAGES.advertisementTooSoon],
  222: ['links_forbidden', 'payload', VK_MESSAGES.linksForbidden],
  224: ['too_many_advertisements', 'rate_limit', VK_MESSAGES.tooManyAdvertisements],
};

/** Internal errors at VK: the call may still have been executed (D-25). */
const SERVER_FAILURES: ReadonlySet<number> = new Set([1, 10, 36]);

/** Returns the outcome of a refusal (networks.md §3, D-20, D-25, D-26). */
export const classify = ({ errorCode, errorMsg }: VkRefusal, call: RefusedCall): StepOutcome => {
  const error = (code: string, category: PublishError['category'], message: string): PublishError => ({
    code,
    category,
    source: 'vk',
    message,
    ...platformSays(errorMsg, call.credentials),
  });
  const wait = WAITS[errorCode];
  if (wait) {
    const slowDown = error('slow_down', 'rate_limit', wait.why);
    const afterMs = backoffDelay(wait, call.waits[slowDown.code] ?? 0);
    return { kind: 'retry', named: true, afterMs, error: slowDown };
  }
  if (errorCode === 214 && FIFTY_A_DAY.test(errorMsg)) {
    const message = VK_MESSAGES.dailyLimit;
    return { kind: 'retry', named: true, afterMs: 24 * HOUR, error: error('daily_limit', 'rate_limit', message) };
  }
  if (SERVER_FAILURES.has(errorCode)) {
    const describe = call.visible ? VK_MESSAGES.failedInDoubt : VK_MESSAGES.failed;
    return inDoubtIfVisible(call.visible, error('server_error', 'platform', describe({ code: errorCode })));
  }
  const credential = CREDENTIALS[errorCode];
  if (credential) return { kind: 'needs_attention', error: error(credential[0], 'credentials', credential[1]) };
  const barrier = findBarrier({ errorCode, errorMsg });
  if (barrier) return { kind: 'needs_attention', error: error(barrier[0], 'channel', barrier[1]) };
  const failed = FAILED[errorCode] ?? ['refused', 'platform', VK_MESSAGES.callRefused({ code: errorCode })];
  return { kind: 'failed', error: error(...failed) };
};
