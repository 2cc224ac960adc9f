import { platformSays } from '../platform-says.js';
import type { PublishError, SendContext, StepOutcome } from '../publisher.js';
import { backoffDelay, type BackoffBounds } from '../../runtime/backoff.js';

/** VK's `{"error": …}`, sent with HTTP 200. */
export interface VkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

/** Facts on which the meaning of a refusal depends. */
export interface RefusedCall {
  /** True if readers would see the effect of the call. */
  readonly visible: boolean;
  /** Number of earlier delays by code: an implied delay grows with each. */
  readonly waits: SendContext['waits'];
  readonly credentials: Readonly<Record<string, string>>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays that VK implies (networks.md §3): the first and the longest, in milliseconds. */
const WAITS: Readonly<Record<number, BackoffBounds & { readonly why: string }>> = {
  6: { firstMs: SECOND, longestMs: 30 * SECOND, why: 'VK requires fewer calls per second.' },
  9: { firstMs: 5 * MINUTE, longestMs: 4 * HOUR, why: 'VK delays posts that are too frequent or too similar.' },
  29: { firstMs: 15 * MINUTE, longestMs: 4 * HOUR, why: 'A daily limit of VK is used up.' },
  43: { firstMs: MINUTE, longestMs: HOUR, why: 'This part of VK is temporarily out of service.' },
};

/** Message of the daily limit: 50 posts on a wall, by all applications together. */
const FIFTY_A_DAY = /only add \d+ posts? (?:a|per) day/i;

/** Refusals that a new credential or a person with access to the channel can fix (D-26). */
const CREDENTIALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  5: ['unauthorized', 'VK does not accept the access token: issue a new one.'],
  7: ['not_permitted', 'The token lacks the right for this: issue one with the rights wall, photos and video.'],
  14: ['captcha_needed', 'VK requires a captcha: sign in to the account and solve it.'],
  15: ['access_denied', 'The token may not post in this community: use one of an editor or of the community itself.'],
  17: ['validation_needed', 'VK requires the account to be confirmed: sign in and confirm it.'],
  18: ['account_gone', 'The account or community behind the token was deleted or banned.'],
  27: ['wrong_kind_of_token', "A community's token cannot do this: set a user's token as upload_token."],
  28: ['wrong_kind_of_token', "An application's token cannot do this: issue one of a user or of the community."],
  37: ['banned', 'The account behind the token is banned in this community.'],
  203: ['group_access_denied', 'The token may not act for this community.'],
  1051: ['wrong_kind_of_token', 'A VK ID token (vk2.a.…) cannot do this: issue one of a community or an older kind.'],
  3300: ['captcha_needed', 'VK requires a captcha: sign in to the account and solve it.'],
};

/** Permanent refusals of a post. */
const FAILED: Readonly<Record<number, readonly [code: string, category: PublishError['category'], message: string]>> = {
  100: ['bad_parameter', 'payload', 'VK refuses a part of the post.'],
  214: ['posting_denied', 'channel', 'VK does not accept a post on this wall at present.'],
  219: ['advertisement_too_soon', 'rate_limit', 'Another advertisement was posted here recently.'],
  222: ['links_forbidden', 'payload', 'VK does not accept a post with this link.'],
  224: ['too_many_advertisements', 'rate_limit', 'VK accepts no more advertisements here today.'],
};

/** Failures of VK itself: the call may have been carried out nevertheless (D-25). */
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
    const message = 'VK accepts no more posts on this wall today.';
    return { kind: 'retry', named: true, afterMs: 24 * HOUR, error: error('daily_limit', 'rate_limit', message) };
  }
  if (SERVER_FAILURES.has(errorCode)) {
    return call.visible
      ? {
          kind: 'in_doubt',
          error: error('server_error', 'platform', `VK failed with ${errorCode}: the post may be on the wall.`),
        }
      : {
          kind: 'retry',
          named: false,
          afterMs: null,
          error: error('server_error', 'platform', `VK failed with ${errorCode}.`),
        };
  }
  const credential = CREDENTIALS[errorCode];
  if (credential) return { kind: 'credentials', error: error(credential[0], 'credentials', credential[1]) };
  const failed = FAILED[errorCode] ?? ['refused', 'platform', `VK refuses the call with ${errorCode}.`];
  return { kind: 'failed', error: error(...failed) };
};
