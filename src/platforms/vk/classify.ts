import { platformSays } from '../platform-says.js';
import type { PublishError, SendContext, StepOutcome } from '../publisher.js';

/** An `{"error": …}` of VK; it comes with HTTP 200. */
export interface VkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

/** What the meaning of a refusal depends on. */
export interface RefusedCall {
  /** Whether readers would see what the call does. */
  readonly visible: boolean;
  /** A wait that VK implies and does not name grows with each. */
  readonly waits: SendContext['waits'];
  readonly credentials: Readonly<Record<string, string>>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits that VK implies (networks.md §3): the first, and how long they grow, in milliseconds. */
const WAITS: Readonly<Record<number, { readonly firstMs: number; readonly longestMs: number; readonly why: string }>> =
  {
    6: { firstMs: SECOND, longestMs: 30 * SECOND, why: 'VK asks for fewer calls a second.' },
    9: { firstMs: 5 * MINUTE, longestMs: 4 * HOUR, why: 'VK holds back posts that come too often or are too alike.' },
    29: { firstMs: 15 * MINUTE, longestMs: 4 * HOUR, why: 'A daily limit of VK is used up.' },
    43: { firstMs: MINUTE, longestMs: HOUR, why: 'This part of VK is out of service for the moment.' },
  };

/** The wall takes 50 posts a day, of everybody together. */
const FIFTY_A_DAY = /only add \d+ posts? (?:a|per) day/i;

/** Refusals that a new credential or a person at the channel cures (D-26). */
const CREDENTIALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  5: ['unauthorized', 'VK does not accept the access token: issue a new one.'],
  7: ['not_permitted', 'The token lacks the right for this: issue one with the rights wall, photos and video.'],
  14: ['captcha_needed', 'VK wants a person to solve a captcha: sign in to the account and do so.'],
  15: ['access_denied', 'The token may not post in this community: take one of an editor or of the community itself.'],
  17: ['validation_needed', 'VK wants the account to be confirmed: sign in to it and do so.'],
  18: ['account_gone', 'The account or community behind the token was deleted or banned.'],
  27: ['wrong_kind_of_token', "A community's token cannot do this: give a user's token as upload_token."],
  28: ['wrong_kind_of_token', "An application's token cannot do this: issue one of a user or of the community."],
  37: ['banned', 'The account behind the token is banned in this community.'],
  203: ['group_access_denied', 'The token may not act for this community.'],
  1051: ['wrong_kind_of_token', 'A VK ID token (vk2.a.…) cannot do this: issue one of a community or an older kind.'],
  3300: ['captcha_needed', 'VK wants a person to solve a captcha: sign in to the account and do so.'],
};

/** Refusals of this post for good. */
const FAILED: Readonly<Record<number, readonly [code: string, category: PublishError['category'], message: string]>> = {
  100: ['bad_parameter', 'payload', 'VK refuses a part of the post.'],
  214: ['posting_denied', 'channel', "VK's wall takes no post here or now."],
  219: ['advertisement_too_soon', 'rate_limit', 'An advertisement was posted here shortly before.'],
  222: ['links_forbidden', 'payload', 'VK takes no post with this link.'],
  224: ['too_many_advertisements', 'rate_limit', 'VK takes no more advertisements here today.'],
};

/** Failures on VK's side, after which the call may have been carried out all the same (D-25). */
const UNCLEAR: ReadonlySet<number> = new Set([1, 10, 36]);

/** The outcome that a refusal stands for (networks.md §3, D-20, D-25, D-26). */
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
    const afterMs = Math.min(wait.firstMs * 2 ** (call.waits[slowDown.code] ?? 0), wait.longestMs);
    return { kind: 'retry', named: true, afterMs, error: slowDown };
  }
  if (errorCode === 214 && FIFTY_A_DAY.test(errorMsg)) {
    const message = 'VK takes no more posts on this wall today.';
    return { kind: 'retry', named: true, afterMs: 24 * HOUR, error: error('daily_limit', 'rate_limit', message) };
  }
  if (UNCLEAR.has(errorCode)) {
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
