import type { Interrupted } from '../exchange.js';
import { CALL_MESSAGES } from '../messages.js';
import type { PublishError, StepOutcome } from '../publisher.js';
import { classifyInterrupted, classifyUnreadable } from '../unanswered-call.js';
import { TELEGRAM_MESSAGES } from './messages.js';
import { TITLE } from './title.js';

/** A failed call to the Bot API. */
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
  /** A response that does not come from the Bot API: a proxy's HTML, a malformed body, or a result without an id. */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Text in the response. */
      readonly says?: string;
    }
  | Interrupted;

/**
 * Returns the outcome of a failed call (networks.md §3, D-20, D-25, D-26). Never retries a call if readers may already
 * see its effect.
 */
export const classify = (failure: TelegramFailure): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure);
    case 'unreadable':
      return classifyForeign(failure);
    case 'lost':
    case 'never_sent':
      return classifyInterrupted(failure, VISIBLE);
  }
};

const VISIBLE = { title: TITLE, visible: true };

type Refusal = Extract<TelegramFailure, { kind: 'refused' }>;

const classifyRefusal = (refusal: Refusal): StepOutcome => {
  const { errorCode, description, parameters } = refusal;
  const migratedTo = parameters.migrate_to_chat_id;
  if (typeof migratedTo === 'number' || typeof migratedTo === 'string') {
    return { kind: 'moved', address: { chat_id: String(migratedTo) }, ...platformWords(description) };
  }
  if (errorCode === 429) return floodWait(secondsToWait(refusal), description);
  if (errorCode >= 500) {
    const message = TELEGRAM_MESSAGES.failedInDoubt({ code: errorCode });
    return { kind: 'in_doubt', error: telegramError('server_error', 'platform', message, description) };
  }
  // Telegram refused one item of an album and does not say whether the others are visible.
  if (/failed to send message #\d|group send failed/i.test(description)) {
    const message = TELEGRAM_MESSAGES.albumIncomplete;
    return { kind: 'in_doubt', error: telegramError('album_incomplete', 'media', message, description) };
  }
  const barrier = findBarrier(errorCode, description);
  if (barrier) return { kind: 'needs_attention', error: telegramError(...barrier, description) };
  return { kind: 'failed', error: classifyPermanentRefusal(refusal) };
};

const floodWait = (seconds: number | null, description: string | undefined): StepOutcome => {
  const message =
    seconds === null ? CALL_MESSAGES.slowDown({ network: TITLE }) : TELEGRAM_MESSAGES.asksToWait({ seconds });
  const error = telegramError('too_many_requests', 'rate_limit', message, description);
  return { kind: 'retry', named: true, afterMs: seconds === null ? null : seconds * 1_000, error };
};

/** Reads the delay, which may be in the parameters, a header or the description. */
const secondsToWait = ({ parameters, retryAfter, description }: Refusal): number | null => {
  const said = [parameters.retry_after, retryAfter, /retry after (\d+)/i.exec(description)?.[1]];
  for (const value of said) {
    const seconds = value === undefined ? NaN : Number(value);
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds);
  }
  return null;
};

type RefusalFacts = readonly [code: string, category: PublishError['category'], message: string];

/** Returns the details of a refusal that would stop every later post too (D-50); null for any other refusal. */
const findBarrier = (errorCode: number, description: string): RefusalFacts | null => {
  if (errorCode === 401) return ['unauthorized', 'credentials', TELEGRAM_MESSAGES.unauthorized];
  if (errorCode === 404 && !/method not found/i.test(description))
    return ['bot_not_found', 'credentials', TELEGRAM_MESSAGES.botNotFound];
  if (MEDIA_RIGHT.test(description)) return null;
  const known = BARRIERS.find(([pattern]) => pattern.test(description));
  if (known) return [known[1], 'channel', known[2]];
  return errorCode === 403 ? ['forbidden', 'channel', TELEGRAM_MESSAGES.forbidden] : null;
};

/** Matches errors about a missing right that affects only posts with media. */
const MEDIA_RIGHT =
  /rights to send (?!text|message)\w+|CHAT_SEND_(?:PHOTOS|VIDEOS|AUDIOS|DOCS|VOICES|ROUNDVIDEOS|GIFS|STICKERS|MEDIA|POLL|INLINE)_FORBIDDEN/i;

/** Refusals that apply to every post to the chat, by description. The first match applies. */
const BARRIERS: readonly (readonly [RegExp, code: string, message: string])[] = [
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

/** Other refusals, by description. The first match applies. */
const REFUSALS: readonly (readonly [RegExp, ...RefusalFacts])[] = [
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
  if (errorCode === 413) return uploadTooLarge(description);
  if (errorCode === 404) {
    return telegramError('method_not_found', 'platform', TELEGRAM_MESSAGES.methodNotFound({ method }), description);
  }
  const known = REFUSALS.find(([pattern]) => pattern.test(description));
  if (!known) return telegramError('bad_request', 'payload', TELEGRAM_MESSAGES.badRequest, description);
  const [, code, category, message] = known;
  return telegramError(code, category, message, description);
};

/** Classifies a response that does not come from the Bot API: a 429 asks for a delay, a 413 refuses an upload. */
const classifyForeign = ({
  status,
  retryAfter,
  says,
}: Extract<TelegramFailure, { kind: 'unreadable' }>): StepOutcome => {
  if (status === 429) {
    const seconds = Number(retryAfter);
    return floodWait(Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null, says);
  }
  return status === 413
    ? { kind: 'failed', error: uploadTooLarge(says) }
    : classifyUnreadable(status, platformWords(says), VISIBLE);
};

const uploadTooLarge = (words: string | undefined): PublishError =>
  telegramError('media_too_large', 'media', CALL_MESSAGES.uploadTooLarge({ network: TITLE }), words);

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
