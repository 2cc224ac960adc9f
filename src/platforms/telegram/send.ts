import type { Readable } from 'node:stream';
import { Api, GrammyError } from 'grammy';
import type { Json, JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import {
  createMultipart,
  type Exchange,
  exchange,
  type ExchangeLimits,
  extractWords,
  type FilePart,
  type Multipart,
  readRetryAfter,
} from '../exchange.js';
import { classifyMediaError, isFailedUpload, reasonForLink, resolveReferences } from '../media.js';
import { doneWithoutMessage, type ErrorTable, type RefusedCall, unusableCredentials } from '../outcomes.js';
import type { SendContext, Step, StepOutcome } from '../publisher.js';
import { classify, maskToken, type TelegramFailure } from './call.js';
import { attachFiles, FETCH, fetchMedia, mediaOf } from './files.js';
import { messageUrl } from './limits.js';
import { TELEGRAM_MESSAGES } from './messages.js';
import { repliedStep } from './render.js';

/** True if the text could be a bot token, such as `123456:ABC-DEF…`. Anything else would alter the call's URL. */
export const isBotToken = (text: string): boolean => /^\d{1,20}:[\w-]{1,100}$/.test(text);

/** Minimum upload speed, in bytes per ms; slower uploads time out. */
const SLOWEST_BYTES_PER_MS = 128;

/** Runs one step and returns its outcome; never throws. Masks the token if a response echoes it. */
export const sendStep = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['bot_token'] ?? '';
  if (!isBotToken(token)) return malformedToken;
  if (step.name === FETCH) return fetchMedia(step, context);

  // The chat may have moved since the rendering.
  const chatId = context.channel.address['chat_id'] ?? step.request['chat_id'] ?? '';
  const call = { visible: true, ...context, countUnknown: connection.countUnknown };
  const request = buildRequest(step, context.results, chatId);
  return linkRefusedFiles(step, await callWithFiles(connection, step.method, request, context, call));
};

/** Makes a call with the files that its request refers to. Nothing of a failed upload is visible, so it is repeated. */
export const callWithFiles = async (
  connection: NetworkConnection,
  method: string,
  request: JsonObject,
  { credentials, media, signal, holdsLease }: Pick<SendContext, 'credentials' | 'media' | 'signal' | 'holdsLease'>,
  call: RefusedCall,
  errors?: ErrorTable,
): Promise<StepOutcome> => {
  const token = credentials['bot_token'] ?? '';
  const attached = await attachFiles(request, media);
  if ('code' in attached) return classifyMediaError(attached);
  const timeoutMs = connection.timeoutMs + Math.ceil(attached.sizeBytes / SLOWEST_BYTES_PER_MS);
  const limits = { timeoutMs, signal, holdsLease };
  try {
    const send = () => callBot(connection, token, method, attached.request, attached.parts, limits, call, errors);
    const outcome = await send();
    return attached.parts.length > 0 && isFailedUpload(outcome) ? await send() : outcome;
  } finally {
    attached.release();
  }
};

/** Skips a message whose files Telegram refuses: the files become links in the text (D-22). */
const linkRefusedFiles = (step: Step, outcome: StepOutcome): StepOutcome =>
  outcome.kind === 'failed' &&
  outcome.error.category === 'media' &&
  outcome.error.source !== 'gateway' &&
  mediaOf(step).length > 0
    ? doneWithoutMessage({ refused: reasonForLink(outcome.error) })
    : outcome;

const callBot = async (
  { apiUrl, connections }: NetworkConnection,
  token: string,
  method: string,
  request: JsonObject,
  files: readonly FilePart[],
  limits: ExchangeLimits,
  call: RefusedCall,
  errors?: ErrorTable,
): Promise<StepOutcome> => {
  let last: Exchange | undefined;
  const api = new Api(token, {
    apiRoot: apiUrl,
    // The exchange below has its own timeout and knows what was sent, so grammY's timer must not fire first.
    timeoutSeconds: limits.timeoutMs / 1_000 + 60,
    fetch: async (url: string, init: { headers: Record<string, string>; body: string }) => {
      const { headers, body } = files.length > 0 ? toForm(init.body, files) : init;
      const sent = await exchange(connections, { method: 'POST', url, headers, body }, limits);
      last = detectHalfSent(sent, body);
      if (last.kind !== 'answered') throw new Error(last.code);
      const { body: answer } = last;
      return { json: async () => JSON.parse(answer.toString()) as unknown };
    },
  });

  const callMethod = (api.raw as unknown as Record<string, (payload: JsonObject) => Promise<unknown>>)[method];
  try {
    const result = await callMethod?.(request);
    return (
      toDoneOutcome(result, request['chat_id'] ?? '') ??
      classify({ kind: 'unreadable', status: statusOf(last), retryAfter: undefined }, call, errors)
    );
  } catch (error) {
    return classify(maskToken(toFailure(error, last, method), token), call, errors);
  }
};

/** Converts the parameters to a form, with the files that they refer to as `attach://name`. */
const toForm = (json: string, files: readonly FilePart[]): Multipart => {
  const parameters = Object.entries(JSON.parse(json) as JsonObject);
  const fields = parameters.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return createMultipart(files, Object.fromEntries(fields) as Record<string, string>);
};

/** Marks an interrupted upload as never sent, because Telegram only accepts complete uploads (networks.md §3). */
const detectHalfSent = (sent: Exchange, body: string | Readable): Exchange => {
  if (typeof body === 'string') return sent;
  const isWhole = body.readableEnded;
  body.destroy();
  if (sent.kind !== 'lost' || isWhole) return sent;
  return { kind: 'never_sent', code: sent.code, detail: TELEGRAM_MESSAGES.duringUpload({ detail: sent.detail }) };
};

/**
 * Builds a step's request. A reply refers to its message by number, but step results store the number as text. If the
 * chat has moved since that message, the step is not a reply, because the number may belong to another message in the
 * new chat.
 */
const buildRequest = ({ request }: Step, results: SendContext['results'], chatId: Json): JsonObject => {
  const { reply_parameters: reply, ...rest } = resolveReferences(request, results);
  const repliedTo = results[repliedStep(request) ?? ''];
  if (!repliedTo || (repliedTo['chat_id'] ?? chatId) !== chatId) return { ...rest, chat_id: chatId };
  const message_id = Number(repliedTo['message_id']);
  return { ...rest, reply_parameters: { ...(reply as JsonObject), message_id }, chat_id: chatId };
};

/** Outcome of every step if the credential cannot be a bot token. */
export const malformedToken = unusableCredentials('malformed_token', TELEGRAM_MESSAGES.malformedToken);

/**
 * Returns the outcome for a `Message`, or for an album's messages; null if there is no message, because the result then
 * proves nothing (D-25).
 * @param chatId part of the result, because a message's number is unique only within its chat
 */
const toDoneOutcome = (result: unknown, chatId: Json): StepOutcome | null => {
  const messages = (Array.isArray(result) ? result : [result]) as readonly (TelegramMessage | null | undefined)[];
  const ids: string[] = [];
  const urls: string[] = [];
  for (const message of messages) {
    if (!Number.isSafeInteger(message?.message_id)) return null;
    const id = String(message?.message_id);
    const { chat } = message ?? {};
    const url = chat?.id === undefined ? null : messageUrl({ id: String(chat.id), username: chat.username }, id);
    ids.push(id);
    if (url) urls.push(url);
  }
  const [first] = ids;
  if (first === undefined) return null;
  return { kind: 'done', result: { message_id: first, chat_id: chatId }, messageIds: ids, urls };
};

/** Relevant parts of a Bot API `Message`; a malformed response may lack any of them. */
interface TelegramMessage {
  readonly message_id?: number;
  readonly chat?: { readonly id?: number; readonly username?: string };
}

/** Derives the failure from the thrown error and from how far the exchange got. */
const toFailure = (error: unknown, last: Exchange | undefined, method: string): TelegramFailure => {
  if (!last) return { kind: 'never_sent', code: 'not_called', detail: TELEGRAM_MESSAGES.notCalled };
  if (last.kind !== 'answered') return last;
  const retryAfter = readRetryAfter(last.headers);
  if (error instanceof GrammyError && typeof error.error_code === 'number') {
    const { error_code: errorCode, description, parameters } = error;
    return {
      kind: 'refused',
      method,
      errorCode,
      description: typeof description === 'string' ? description : '',
      parameters,
      retryAfter,
    };
  }
  return { kind: 'unreadable', status: last.status, retryAfter, says: extractWords(last.body) };
};

const statusOf = (last: Exchange | undefined): number => (last?.kind === 'answered' ? last.status : 0);
