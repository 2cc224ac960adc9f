import type { Instant } from '../../kernel/clock.js';
import { CHANGED, refusedChange, toDeleteOutcome, toEditOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { ErrorTable } from '../error-table.js';
import type {
  DeleteContext,
  DeleteForecast,
  DeleteOutcome,
  EditOutcome,
  EditStep,
  PlatformChannel,
  PublishedMessage,
  SendContext,
  StepOutcome,
} from '../publisher.js';
import { callMethod } from './call.js';
import { TELEGRAM_CHANGE_ERRORS, TELEGRAM_EDIT_ERRORS, TELEGRAM_PIN_ERRORS } from './change-errors.js';
import { classify } from './classify.js';
import { TELEGRAM_ERRORS } from './errors.js';
import { fetchMedia } from './files.js';
import { TITLE } from './limits.js';
import { TELEGRAM_MESSAGES } from './messages.js';
import { callWithFiles, isBotToken, malformedToken } from './send.js';

const errors = new ErrorTable('telegram', TITLE, [...TELEGRAM_CHANGE_ERRORS, ...TELEGRAM_ERRORS]);
const editErrors = new ErrorTable('telegram', TITLE, [...TELEGRAM_EDIT_ERRORS, ...TELEGRAM_ERRORS]);
const pinErrors = new ErrorTable('telegram', TITLE, [...TELEGRAM_PIN_ERRORS, ...TELEGRAM_ERRORS]);

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
  const outcome = toDeleteOutcome(classifyAnswer(answer, connection, credentials, errors), TITLE, 'telegram');
  const isTooOld = now - at >= DELETABLE_MINUTES * minuteMs;
  return outcome.kind === 'refused' && outcome.error.code === 'no_right_to_delete' && isTooOld
    ? refusedChange('too_old', { ...outcome.error, message: TELEGRAM_MESSAGES.tooOld })
    : outcome;
};

/** Classifies the answer to a call that only says true; any other result proves nothing. */
const classifyAnswer = (
  answer: Awaited<ReturnType<typeof callMethod>>,
  { countUnknown }: NetworkConnection,
  credentials: DeleteContext['credentials'],
  table: ErrorTable,
): StepOutcome => {
  const failure = answer.ok ? ({ kind: 'unreadable', status: 200, retryAfter: undefined } as const) : answer.failure;
  return classify(failure, { visible: false, waits: {}, credentials, countUnknown }, table);
};

/** Runs a step of an edit: downloads the new media, or changes a message. */
export const editMessage = async (
  connection: NetworkConnection,
  step: EditStep,
  context: SendContext,
): Promise<EditOutcome> => {
  if (!isBotToken(context.credentials['bot_token'] ?? '')) return malformedToken;
  if (step.messageId === null) return toEditOutcome(await fetchMedia(step, context), 'edit', TITLE, 'telegram');
  const request = { ...step.request, chat_id: context.channel.address['chat_id'] ?? step.request['chat_id'] ?? '' };
  const call = { ...context, visible: false, countUnknown: connection.countUnknown };
  const outcome = await callWithFiles(connection, step.method, request, context, call, editErrors);
  return outcome.kind === 'done' ? CHANGED : toEditOutcome(outcome, 'edit', TITLE, 'telegram');
};

/** Pins a message without a notification: the post itself has notified already. */
export const pinMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  { credentials, channel, signal, holdsLease }: DeleteContext,
): Promise<EditOutcome> => {
  const token = credentials['bot_token'] ?? '';
  if (!isBotToken(token)) return malformedToken;
  const parameters = {
    chat_id: channel.address['chat_id'] ?? '',
    message_id: Number(id),
    disable_notification: true,
  };
  const answer = await callMethod(connection, { token, method: 'pinChatMessage', parameters }, { signal, holdsLease });
  if (answer.ok && answer.result === true) return CHANGED;
  return toEditOutcome(classifyAnswer(answer, connection, credentials, pinErrors), 'pin', TITLE, 'telegram');
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
