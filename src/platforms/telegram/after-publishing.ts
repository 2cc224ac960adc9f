import type { Instant } from '../../kernel/clock.js';
import { refusedDelete, toDeleteOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { ErrorTable } from '../error-table.js';
import type { DeleteContext, DeleteForecast, DeleteOutcome, PlatformChannel, PublishedMessage } from '../publisher.js';
import { callMethod } from './call.js';
import { TELEGRAM_CHANGE_ERRORS } from './change-errors.js';
import { classify } from './classify.js';
import { TELEGRAM_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { TELEGRAM_MESSAGES } from './messages.js';
import { isBotToken, malformedToken } from './send.js';

const errors = new ErrorTable('telegram', TITLE, [...TELEGRAM_CHANGE_ERRORS, ...TELEGRAM_ERRORS]);

/** Bots delete nothing older, whatever their rights. */
const DELETABLE_MINUTES = 48 * 60;

/** Deletes a message. Telegram refuses old messages and those of others in the same words, so the age decides. */
export const deleteMessage = async (
  connection: NetworkConnection,
  { id, at }: PublishedMessage,
  { credentials, channel, signal, holdsLease, now, minuteMs }: DeleteContext,
): Promise<DeleteOutcome> => {
  const token = credentials['bot_token'] ?? '';
  if (!isBotToken(token)) return malformedToken;
  const parameters = { chat_id: channel.address['chat_id'] ?? '', message_id: Number(id) };
  const answer = await callMethod(connection, { token, method: 'deleteMessage', parameters }, { signal, holdsLease });
  if (answer.ok && answer.result === true) return { kind: 'deleted' };
  const failure = answer.ok ? ({ kind: 'unreadable', status: 200, retryAfter: undefined } as const) : answer.failure;
  const call = { visible: false, waits: {}, credentials, countUnknown: connection.countUnknown };
  const outcome = toDeleteOutcome(classify(failure, call, errors), TITLE, 'telegram');
  const isTooOld = now - at >= DELETABLE_MINUTES * minuteMs;
  return outcome.kind === 'refused' && outcome.error.code === 'no_right_to_delete' && isTooOld
    ? refusedDelete('too_old', { ...outcome.error, message: TELEGRAM_MESSAGES.tooOld })
    : outcome;
};

export const canDeleteMessage = (
  _channel: PlatformChannel,
  publishedAt: Instant | null,
  now: Instant,
  minuteMs: number,
): DeleteForecast => {
  if (publishedAt === null) return { withdraw: true, until: null, text: null };
  const until = publishedAt + DELETABLE_MINUTES * minuteMs;
  return now < until
    ? { withdraw: true, until, text: null }
    : { withdraw: false, until, text: TELEGRAM_MESSAGES.tooOld };
};
