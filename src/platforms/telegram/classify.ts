import type { PublishError, StepOutcome } from '../publisher.js';

/** What went wrong with a call to the Bot API, in so far as it decides what to do next. */
export type TelegramFailure =
  /** Telegram answered `{ok: false}`. `retryAfter`: the HTTP header, in seconds. */
  | {
      readonly kind: 'refused';
      readonly method: string;
      readonly errorCode: number;
      readonly description: string;
      readonly parameters: { readonly retry_after?: number; readonly migrate_to_chat_id?: number | string };
      readonly retryAfter: string | undefined;
    }
  /** Something answered, but not the Bot API: HTML of a proxy, an empty or broken body, a result without its id. */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Its words. */
      readonly says?: string;
    }
  /** The request went out and no whole answer came. */
  | { readonly kind: 'lost'; readonly code: string; readonly detail: string }
  /** Nothing went out. */
  | { readonly kind: 'never_sent'; readonly code: string; readonly detail: string };

/**
 * The outcome that a failure stands for (networks.md §3, D-20, D-25, D-26). What may have reached the readers is
 * never called a retry.
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
          `The call was sent and Telegram's answer never came (${failure.detail}): the post may be in the channel.`,
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
    return { kind: 'moved', address: { chat_id: String(migratedTo) }, ...saysOf(description) };
  }
  if (errorCode === 429) return floodWait(secondsToWait(refusal), description);
  if (errorCode >= 500) {
    return {
      kind: 'in_doubt',
      error: telegramError(
        'server_error',
        'platform',
        `Telegram failed with ${errorCode}: the post may be in the channel all the same.`,
        description,
      ),
    };
  }
  if (errorCode === 401 || errorCode === 403 || (errorCode === 404 && !/method not found/i.test(description))) {
    return { kind: 'credentials', error: credentialsError(errorCode, description) };
  }
  // One item of an album was refused: whether the others are out, Telegram does not say.
  if (/failed to send message #\d|group send failed/i.test(description)) {
    return {
      kind: 'in_doubt',
      error: telegramError(
        'album_incomplete',
        'media',
        'Telegram refused a part of the album: some of it may be in the channel.',
        description,
      ),
    };
  }
  return { kind: 'failed', error: refusedForGood(refusal) };
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

/** Telegram says it three times: in the parameters, in a header, and in words. */
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
      ? ['unauthorized', 'Telegram does not accept the bot token: take the present one from @BotFather.']
      : errorCode === 404
        ? ['bot_not_found', 'Telegram knows no bot with this token: take the present one from @BotFather.']
        : ['forbidden', 'The bot may not post there: add it to the chat as an administrator that may post.'];
  return telegramError(code, 'credentials', message, description);
};

/** What stands in a description, what it is about, and what a person should know. The first that fits counts. */
const REFUSALS: readonly (readonly [RegExp, string, PublishError['category'], string])[] = [
  [
    /chat not found|PEER_ID_INVALID/i,
    'chat_not_found',
    'channel',
    'Telegram knows no such chat, or the bot never saw it.',
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
    'The chat cannot be posted to.',
  ],
  [/too long|TOO_LONG/, 'too_long', 'payload', 'Telegram finds the post too long.'],
  [/BUTTON_|inline keyboard button|reply markup/i, 'bad_button', 'payload', 'Telegram refuses a button.'],
  [/entit(?:y|ies)/i, 'bad_entity', 'payload', "Telegram refuses the text's formatting."],
  [
    /PHOTO_|VIDEO_|AUDIO_|IMAGE_|MEDIA_|WEBPAGE_|FILE_|\bfile\b|web page content|HTTP URL|the media|media not found|album/i,
    'media_refused',
    'media',
    'Telegram refuses a medium.',
  ],
];

const refusedForGood = ({ errorCode, description, method }: Refusal): PublishError => {
  if (errorCode === 413) {
    return telegramError('media_too_large', 'media', 'Telegram finds the upload too large.', description);
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
 * An answer that is not the Bot API's. With a 4xx or 3xx status somebody between refused to pass the call on, so it
 * may be tried again; everything else may have been carried out (D-25).
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
      error: telegramError('media_too_large', 'media', 'Telegram finds the upload too large.', says),
    };
  }
  const words = saysOf(says);
  if (status >= 300 && status < 500) {
    const message = `Not Telegram but something before it refused the call (${status}).`;
    const error = { ...gatewayError('unreadable_refusal', message), ...words };
    return { kind: 'retry', named: false, afterMs: null, error };
  }
  const message = `The answer (${status}) cannot be read: the post may be in the channel.`;
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
  ...saysOf(description),
});

const saysOf = (words: string | undefined): Pick<PublishError, 'platform_says'> =>
  words ? { platform_says: words.slice(0, 500) } : {};

const gatewayError = (code: string, message: string, category: PublishError['category'] = 'network'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});
