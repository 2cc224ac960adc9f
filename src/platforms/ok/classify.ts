import { platformSays } from '../platform-says.js';
import type { PublishError, SendContext, StepOutcome } from '../publisher.js';

/** An `{"error_code": …}` of OK; it comes with HTTP 200. */
export interface OkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

/** What the meaning of a refusal depends on. */
export interface RefusedCall {
  /** Whether readers would see what the call does. */
  readonly visible: boolean;
  /** A wait that OK implies and does not name grows with each. */
  readonly waits: SendContext['waits'];
  readonly credentials: Readonly<Record<string, string>>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits that OK implies (networks.md §3): the first, and how long they grow, in milliseconds. */
const WAITS: Readonly<Record<number, { readonly firstMs: number; readonly longestMs: number; readonly why: string }>> =
  {
    2: { firstMs: 5 * SECOND, longestMs: 10 * MINUTE, why: 'OK is out of service for the moment.' },
    8: { firstMs: 5 * MINUTE, longestMs: HOUR, why: 'OK holds back posts that come too often.' },
    11: { firstMs: MINUTE, longestMs: HOUR, why: 'A limit of OK is used up.' },
  };

const PERMISSION = 'The token lacks a right: issue one with GROUP_CONTENT, PHOTO_CONTENT and VIDEO_CONTENT.';

/** Refusals that a new credential or a person at the channel cures (D-26). */
const CREDENTIALS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  10: ['not_permitted', PERMISSION],
  50: ['access_denied', 'The account behind the token may not post in this group.'],
  101: ['unknown_application', 'OK knows no application with this key.'],
  102: ['token_expired', 'The access token has expired: issue a new one.'],
  103: ['unauthorized', 'OK does not accept the access token: issue a new one.'],
  104: ['bad_signature', "The application's secret does not belong to its key or token: set the credentials anew."],
  160: ['account_blocked', 'The account behind the token is blocked: sign in to it.'],
  200: ['not_permitted', PERMISSION],
  210: ['application_blocked', 'The application may not do this: look at its settings at OK.'],
  453: ['unauthorized', 'OK wants a session key that this token does not give: issue a new one.'],
  456: ['unauthorized', 'OK does not accept the access token: issue a new one.'],
};

/** Refusals of this post for good; the rest of the 500s is about photos. */
const FAILED: Readonly<Record<number, readonly [code: string, category: PublishError['category'], message: string]>> = {
  100: ['bad_parameter', 'payload', 'OK refuses a part of the post.'],
  454: ['text_refused', 'payload', "OK refuses the post's words."],
  511: ['media_refused', 'media', 'OK refuses a medium.'],
  600: ['too_many_blocks', 'payload', 'OK finds too much in the post.'],
  601: ['too_long', 'payload', "OK finds the post too long: lower the channel's text_limit."],
  607: ['refused', 'payload', 'OK refuses the post.'],
};

/** Codes by which OK refuses a photo or its upload. */
export const refusesPhoto = (errorCode: number): boolean => errorCode >= 500 && errorCode <= 505;

/** Failures on OK's side, after which the call may have been carried out all the same (D-25). */
const UNCLEAR: ReadonlySet<number> = new Set([1, 9_999]);

/** The outcome that a refusal stands for (networks.md §3, D-20, D-25, D-26). */
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
    const afterMs = Math.min(wait.firstMs * 2 ** (call.waits[slowDown.code] ?? 0), wait.longestMs);
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
  if (refusesPhoto(errorCode)) return { kind: 'failed', error: error('media_refused', 'media', 'OK refuses a photo.') };
  const failed = FAILED[errorCode] ?? ['refused', 'platform', `OK refuses the call with ${errorCode}.`];
  return { kind: 'failed', error: error(...failed) };
};
