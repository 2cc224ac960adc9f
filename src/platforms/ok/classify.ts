import { platformSays } from '../platform-says.js';
import type { PublishError, SendContext, StepOutcome } from '../publisher.js';
import { backoffDelay, type BackoffBounds } from '../../runtime/backoff.js';

/** OK's `{"error_code": …}`, sent with HTTP 200. */
export interface OkRefusal {
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

/** Delays that OK implies (networks.md §3): the first and the longest, in milliseconds. */
const WAITS: Readonly<Record<number, BackoffBounds & { readonly why: string }>> = {
  2: { firstMs: 5 * SECOND, longestMs: 10 * MINUTE, why: 'OK is temporarily out of service.' },
  8: { firstMs: 5 * MINUTE, longestMs: HOUR, why: 'OK delays posts that are too frequent.' },
  11: { firstMs: MINUTE, longestMs: HOUR, why: 'A limit of OK is used up.' },
};

const PERMISSION = 'The token lacks a right: issue one with GROUP_CONTENT, PHOTO_CONTENT and VIDEO_CONTENT.';

/** Refusals that a new credential or a person with access to the channel can fix (D-26). */
const CREDENTIALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  10: ['not_permitted', PERMISSION],
  50: ['access_denied', 'The account behind the token may not post in this group.'],
  101: ['unknown_application', 'OK does not know an application with this key.'],
  102: ['token_expired', 'The access token has expired: issue a new one.'],
  103: ['unauthorized', 'OK does not accept the access token: issue a new one.'],
  104: ['bad_signature', "The application's secret does not belong to its key or token: set the credentials again."],
  160: ['account_blocked', 'The account behind the token is blocked: sign in to it.'],
  200: ['not_permitted', PERMISSION],
  210: ['application_blocked', 'The application may not do this: check its settings at OK.'],
  453: ['unauthorized', 'OK requires a session key that this token does not provide: issue a new one.'],
  456: ['unauthorized', 'OK does not accept the access token: issue a new one.'],
};

/** Permanent refusals of a post; the other codes from 500 are about photos. */
const FAILED: Readonly<Record<number, readonly [code: string, category: PublishError['category'], message: string]>> = {
  100: ['bad_parameter', 'payload', 'OK refuses a part of the post.'],
  454: ['text_refused', 'payload', "OK refuses the post's words."],
  511: ['media_refused', 'media', 'OK refuses a medium.'],
  600: ['too_many_blocks', 'payload', 'The post has too many parts for OK.'],
  601: ['too_long', 'payload', "The post is too long for OK: lower the channel's text_limit."],
  607: ['refused', 'payload', 'OK refuses the post.'],
};

/** True if the code refuses a photo or its upload. */
export const isPhotoRefusal = (errorCode: number): boolean => errorCode >= 500 && errorCode <= 505;

/** Failures of OK itself: the call may have been carried out nevertheless (D-25). */
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
    const message = `OK failed with ${errorCode}`;
    return call.visible
      ? { kind: 'in_doubt', error: error('server_error', 'platform', `${message}: the post may be in the group.`) }
      : { kind: 'retry', named: false, afterMs: null, error: error('server_error', 'platform', `${message}.`) };
  }
  const credential = CREDENTIALS[errorCode];
  if (credential) return { kind: 'credentials', error: error(credential[0], 'credentials', credential[1]) };
  if (isPhotoRefusal(errorCode))
    return { kind: 'failed', error: error('media_refused', 'media', 'OK refuses a photo.') };
  const failed = FAILED[errorCode] ?? ['refused', 'platform', `OK refuses the call with ${errorCode}.`];
  return { kind: 'failed', error: error(...failed) };
};
