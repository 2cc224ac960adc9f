import { CALL_MESSAGES } from '../messages.js';
import type { PublishError, StepOutcome } from '../publisher.js';
import { TELEGRAM_MESSAGES } from './messages.js';
import { TITLE } from './title.js';

/** Facts about a failed call to the Bot API, which decide what happens next. */
export type TelegramFailure =
  /** Telegram responded with `{ok: false}`. `retryAfter`: the HTTP header, in seconds. */
  | {
      readonly kind: 'refused';
      readonly method: string;
      readonly errorCode: number;
      readonly description: string;
      readonly parameters: { readonly retry_after?: number; readonly migrate_to_chat_id?: number | string };
      readonly retryAfter: string | undefined;
    }
  /**
   * A response that does not come from the Bot API: a proxy's HTML, an empty or malformed body, or a result without an
   * id.
   */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Text in the response. */
      readonly says?: string;
    }
  /** The request was sent, but no complete response arrived. */
  | { readonly kind: 'lost'; readonly code: string; readonly detail: string }
  /** Nothing was sent. */
  | { readonly kind: 'never_sent'; readonly code: string; readonly detail: string };

/**
 * Returns the outcome of a failed call (networks.md §3, D-20, D-25, D-26). A call whose effect readers may already see
 * is never retried.
 */
export const classify = (failure: TelegramFailure): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure);
    case 'unreadable':
      return classifyUnreadable(failure);
    case 'lost':
      return {
        kind: 'in_doubt',
        error: gatewayError(
          failure.code === 'timed_out' || failure.code === 'aborted' ? failure.code : 'connection_lost',
          CALL_MESSAGES.notAnsweredInDoubt({ network: TITLE, detail: failure.detail }),
        ),
      };
    case 'never_sent':
      return {
        kind: 'retry',
        named: false,
        afterMs: null,
        error: gatewayError(
          failure.code === 'aborted' ? 'aborted' : 'not_sent',
          CALL_MESSAGES.notSent({ network: TITLE, detail: failure.detail }),
        ),
      };
  }
};

type Refusal = Extract<TelegramFailure, { kind: 'refused' }>;

const classifyRefusal = (refusal: Refusal): StepOutcome => {
  const { errorCode, description, parameters } = refusal;
  const migratedTo = parameters.migrate_to_chat_id;
  if (typeof migratedTo === 'number' || typeof migratedTo === 'string') {
    return { kind: 'moved', address: { chat_id: String(migratedTo) }, ...platformWords(description) };
  }
  if (errorCode === 429) return floodWait(secondsToWait(refusal), description);
  if (errorCode >= 500) {
    return {
      kind: 'in_doubt',
      error: telegramError(
        'server_error',
        'platform',
        TELEGRAM_MESSAGES.failedInDoubt({ code: errorCode }),
        description,
      ),
    };
  }
  // Telegram refused one item of an album and does not say whether the others are visible.
  if (/failed to send message #\d|group send failed/i.test(description)) {
    return {
      kind: 'in_doubt',
      error: telegramError('album_incomplete', 'media', TELEGRAM_MESSAGES.albumIncomplete, description),
    };
  }
  const barrier = findBarrier(errorCode, description);
  if (barrier) return { kind: 'needs_attention', error: telegramError(...barrier, description) };
  return { kind: 'failed', error: classifyPermanentRefusal(refusal) };
};

const floodWait = (seconds: number | null, description: string | undefined): StepOutcome => ({
  kind: 'retry',
  named: true,
  afterMs: seconds === null ? null : seconds * 1_000,
  error: telegramError(
    'too_many_requests',
    'rate_limit',
    seconds === null ? CALL_MESSAGES.slowDown({ network: TITLE }) : TELEGRAM_MESSAGES.asksToWait({ seconds }),
    description,
  ),
});

/** Reads the delay, which Telegram may put in the parameters, a header or the description. */
const secondsToWait = ({ parameters, retryAfter, description }: Refusal): number | null => {
  const said = [parameters.retry_after, retryAfter, /retry after (\d+)/i.exec(description)?.[1]];
  for (const value of said) {
    const seconds = value === undefined ? NaN : Number(value);
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds);
  }
  return null;
};

type RefusalFacts = readonly [code: string, category: PublishError['category'], message: string];

/** Returns the facts of a refusal that would stop every later post too (D-50); null if it concerns only this post. */
const findBarrier = (errorCode: number, description: string): RefusalFacts | null => {
  if (errorCode === 401) return ['unauthorized', 'credentials', TELEGRAM_MESSAGES.unauthorized];
  if (errorCode === 404 && !/method not found/i.test(description)) {
    const message = TELEGRAM_MESSAGES.botNotFound;
    return ['bot_not_found', 'credentials', message];
  }
  if (MEDIA_RIGHT.test(description)) return null;
  const known = BARRIERS.find(([pattern]) => pattern.test(description));
  if (known) return [known[1], 'channel', known[2]];
  if (errorCode !== 403) return null;
  const message = TELEGRAM_MESSAGES.forbidden;
  return ['forbidden', 'channel', message];
};

/** A missing right that only affects posts with media: text may still be posted. */
const MEDIA_RIGHT =
  /rights to send (?!text|message)\w+|CHAT_SEND_(?:PHOTOS|VIDEOS|AUDIOS|DOCS|VOICES|ROUNDVIDEOS|GIFS|STICKERS|MEDIA|POLL|INLINE)_FORBIDDEN/i;

/**
 * Patterns for descriptions of refusals that apply to every post to the chat, each with its code and message. The first
 * match applies.
 */
const BARRIERS: readonly (readonly [RegExp, string, string])[] = [
  [/chat not found|PEER_ID_INVALID|CHANNEL_INVALID/i, 'chat_not_found', TELEGRAM_MESSAGES.chatNotFound],
  [
    /not enough rights|have no rights|need administrator rights|CHAT_ADMIN_REQUIRED|CHAT_WRITE_FORBIDDEN|CHAT_SEND_\w+_FORBIDDEN|CHAT_RESTRICTED/i,
    'no_right_to_post',
    TELEGRAM_MESSAGES.noRightToPost,
  ],
  [/bot was blocked by the user|user is deactivated/i, 'forbidden', TELEGRAM_MESSAGES.blockedByPerson],
  [
    /group chat was d|chat was deleted|TOPIC_(?:CLOSED|DELETED)|CHANNEL_PRIVATE|user not found|chat_id is empty/i,
    'chat_unusable',
    TELEGRAM_MESSAGES.chatUnusable,
  ],
];

/** Patterns for other descriptions, each with its code, category and message. The first match applies. */
const REFUSALS: readonly (readonly [RegExp, string, PublishError['category'], string])[] = [
  [MEDIA_RIGHT, 'no_right_to_post', 'channel', TELEGRAM_MESSAGES.noRightToPostMedia],
  [/too long|TOO_LONG/, 'too_long', 'payload', TELEGRAM_MESSAGES.tooLong],
  [/BUTTON_|inline keyboard button|reply markup/i, 'bad_button', 'payload', TELEGRAM_MESSAGES.badButton],
  [/entit(?:y|ies)/i, 'bad_entity', 'payload', TELEGRAM_MESSAGES.badEntity],
  [
    /PHOTO_|VIDEO_|AUDIO_|IMAGE_|MEDIA_|WEBPAGE_|FILE_|\bfile\b|web page content|HTTP URL|the media|media not found|album/i,
    'media_refused',
    'media',
    TELEGRAM_MESSAGES.mediaRefused,
  ],
];

const classifyPermanentRefusal = ({ errorCode, description, method }: Refusal): PublishError => {
  if (errorCode === 413) {
    return telegramError('media_too_large', 'media', CALL_MESSAGES.uploadTooLarge({ network: TITLE }), description);
  }
  if (errorCode === 404) {
    return telegramError('method_not_found', 'platform', TELEGRAM_MESSAGES.methodNotFound({ method }), description);
  }
  const known = REFUSALS.find(([pattern]) => pattern.test(description));
  if (!known) return telegramError('bad_request', 'payload', TELEGRAM_MESSAGES.badRequest, description);
  const [, code, category, message] = known;
  return telegramError(code, category, message, description);
};

/**
 * Classifies a response that does not come from the Bot API. A 413 means that an upload is too large. With any other
 * 3xx or 4xx status, an intermediary refused to forward the call, so it may be repeated, after a delay if the status is
 * 429. In any other case Telegram may have executed it (D-25).
 */
const classifyUnreadable = ({
  status,
  retryAfter,
  says,
}: Extract<TelegramFailure, { kind: 'unreadable' }>): StepOutcome => {
  if (status === 429) {
    const seconds = Number(retryAfter);
    return floodWait(Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null, says);
  }
  if (status === 413) {
    return {
      kind: 'failed',
      error: telegramError('media_too_large', 'media', CALL_MESSAGES.uploadTooLarge({ network: TITLE }), says),
    };
  }
  const words = platformWords(says);
  if (status >= 300 && status < 500) {
    const message = CALL_MESSAGES.intermediary({ network: TITLE, status });
    const error = { ...gatewayError('unreadable_refusal', message), ...words };
    return { kind: 'retry', named: false, afterMs: null, error };
  }
  const message = CALL_MESSAGES.unreadableInDoubt({ network: TITLE, status });
  return { kind: 'in_doubt', error: { ...gatewayError('unreadable_answer', message, 'platform'), ...words } };
};

const telegramError = (
  code: string,
  category: PublishError['category'],
  message: string,
  description: string | undefined,
): PublishError => ({
  code,
  category,
  source: 'telegram',
  message,
  ...platformWords(description),
});

const platformWords = (words: string | undefined): Pick<PublishError, 'platform_says'> =>
  words ? { platform_says: words.slice(0, 500) } : {};

const gatewayError = (code: string, message: string, category: PublishError['category'] = 'network'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});
