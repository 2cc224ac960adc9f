import type { PublishError, StepOutcome } from '../publisher.js';

/** Failure of a call to the Bot API: the facts that decide what happens next. */
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
   * Response that does not come from the Bot API: HTML of a proxy, an empty or malformed body, a result without its id.
   */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Its words. */
      readonly says?: string;
    }
  /** The request was sent and no complete response came. */
  | { readonly kind: 'lost'; readonly code: string; readonly detail: string }
  /** Nothing was sent. */
  | { readonly kind: 'never_sent'; readonly code: string; readonly detail: string };

/**
 * Returns the outcome of a failure (networks.md §3, D-20, D-25, D-26). A call that may have reached the readers is
 * never retried.
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
          `Telegram did not answer the call (${failure.detail}): the post may be in the channel.`,
        ),
      };
    case 'never_sent':
      return {
        kind: 'retry',
        named: false,
        afterMs: null,
        error: gatewayError(
          failure.code === 'aborted' ? 'aborted' : 'not_sent',
          `Telegram could not be reached (${failure.detail}): nothing was sent.`,
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
        `Telegram failed with ${errorCode}: the post may be in the channel nevertheless.`,
        description,
      ),
    };
  }
  if (errorCode === 401 || errorCode === 403 || (errorCode === 404 && !/method not found/i.test(description))) {
    return { kind: 'credentials', error: credentialsError(errorCode, description) };
  }
  // Telegram refused one item of an album and does not say if the others are visible.
  if (/failed to send message #\d|group send failed/i.test(description)) {
    return {
      kind: 'in_doubt',
      error: telegramError(
        'album_incomplete',
        'media',
        'Telegram refused a part of the album: other parts may be in the channel.',
        description,
      ),
    };
  }
  return { kind: 'failed', error: classifyPermanentRefusal(refusal) };
};

const floodWait = (seconds: number | null, description: string | undefined): StepOutcome => ({
  kind: 'retry',
  named: true,
  afterMs: seconds === null ? null : seconds * 1_000,
  error: telegramError(
    'too_many_requests',
    'rate_limit',
    seconds === null ? 'Telegram asks to slow down.' : `Telegram asks to wait ${seconds} s.`,
    description,
  ),
});

/** Reads the delay, which Telegram gives three times: in the parameters, in a header and in the description. */
const secondsToWait = ({ parameters, retryAfter, description }: Refusal): number | null => {
  const said = [parameters.retry_after, retryAfter, /retry after (\d+)/i.exec(description)?.[1]];
  for (const value of said) {
    const seconds = value === undefined ? NaN : Number(value);
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds);
  }
  return null;
};

const credentialsError = (errorCode: number, description: string): PublishError => {
  const [code, message] =
    errorCode === 401
      ? ['unauthorized', 'Telegram does not accept the bot token: use the current one from @BotFather.']
      : errorCode === 404
        ? ['bot_not_found', 'Telegram does not know a bot with this token: use the current one from @BotFather.']
        : ['forbidden', 'The bot may not post there: add it to the chat as an administrator with the right to post.'];
  return telegramError(code, 'credentials', message, description);
};

/** Pattern of a description, with code, category and message. The first match counts. */
const REFUSALS: readonly (readonly [RegExp, string, PublishError['category'], string])[] = [
  [
    /chat not found|PEER_ID_INVALID/i,
    'chat_not_found',
    'channel',
    'Telegram does not know this chat, or the bot has never seen it.',
  ],
  [
    /not enough rights|have no rights|need administrator rights|CHAT_ADMIN_REQUIRED|CHAT_WRITE_FORBIDDEN|CHAT_SEND_\w+_FORBIDDEN|CHAT_RESTRICTED/i,
    'no_right_to_post',
    'channel',
    'The bot has no right to post this in the chat.',
  ],
  [
    /chat_id is empty|group chat was d|TOPIC_(?:CLOSED|DELETED)|CHANNEL_PRIVATE|CHANNEL_INVALID|user not found/i,
    'chat_unusable',
    'channel',
    'The bot cannot post to this chat.',
  ],
  [/too long|TOO_LONG/, 'too_long', 'payload', 'The post is too long for Telegram.'],
  [/BUTTON_|inline keyboard button|reply markup/i, 'bad_button', 'payload', 'Telegram refuses a button.'],
  [/entit(?:y|ies)/i, 'bad_entity', 'payload', "Telegram refuses the text's formatting."],
  [
    /PHOTO_|VIDEO_|AUDIO_|IMAGE_|MEDIA_|WEBPAGE_|FILE_|\bfile\b|web page content|HTTP URL|the media|media not found|album/i,
    'media_refused',
    'media',
    'Telegram refuses a medium.',
  ],
];

const classifyPermanentRefusal = ({ errorCode, description, method }: Refusal): PublishError => {
  if (errorCode === 413) {
    return telegramError('media_too_large', 'media', 'The upload is too large for Telegram.', description);
  }
  if (errorCode === 404) {
    return telegramError('method_not_found', 'platform', `The server at this address has no ${method}.`, description);
  }
  const known = REFUSALS.find(([pattern]) => pattern.test(description));
  if (!known) return telegramError('bad_request', 'payload', 'Telegram refuses the post.', description);
  const [, code, category, message] = known;
  return telegramError(code, category, message, description);
};

/**
 * Classifies a response that does not come from the Bot API. With a 4xx or 3xx status an intermediary refused to
 * forward the call, so it may be repeated; in any other case Telegram may have executed it (D-25).
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
      error: telegramError('media_too_large', 'media', 'The upload is too large for Telegram.', says),
    };
  }
  const words = platformWords(says);
  if (status >= 300 && status < 500) {
    const message = `An intermediary, not Telegram, refused the call (${status}).`;
    const error = { ...gatewayError('unreadable_refusal', message), ...words };
    return { kind: 'retry', named: false, afterMs: null, error };
  }
  const message = `Telegram's answer (${status}) cannot be read: the post may be in the channel.`;
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
