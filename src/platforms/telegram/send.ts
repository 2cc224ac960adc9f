import type { Readable } from 'node:stream';
import { Api, GrammyError } from 'grammy';
import type { Dispatcher } from 'undici';
import type { Json, JsonObject } from '../../kernel/json.js';
import { exchange, type Exchange, type ExchangeLimits } from '../exchange.js';
import { goesAsLink, outcomeOfMediaError } from '../media-error.js';
import { multipartOf, type FilePart, type Multipart } from '../multipart.js';
import type { SendContext, Step, StepOutcome } from '../publisher.js';
import { wordsIn } from '../platform-says.js';
import { resolveReferences } from '../references.js';
import { retryAfterOf } from '../retry-after.js';
import { classify, type TelegramFailure } from './classify.js';
import { attachFiles, fetchMedia } from './files.js';
import { messageUrl } from './links.js';
import { FETCH, repliedStep } from './steps.js';

/** How calls reach the Bot API. */
export interface TelegramConnection {
  /** What stands before `/bot<token>/…`, without a slash at the end. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Milliseconds for one call, answer included. */
  readonly timeoutMs: number;
}

/** `123456:ABC-DEF…`; anything else would change the URL that it is put into. */
const BOT_TOKEN = /^\d{1,20}:[\w-]{1,100}$/;

/** The slowest upload that is still one, in bytes a millisecond. */
const SLOWEST = 128;

/**
 * Runs one call and says what became of it; never throws. The token stands in the URL and nowhere else: what an answer
 * may echo of it is masked.
 */
export const sendStep = async (
  connection: TelegramConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['bot_token'] ?? '';
  if (!BOT_TOKEN.test(token)) return malformedToken;
  if (step.name === FETCH) return fetchMedia(step, context);

  // The channel's address, not the rendering's: the chat may have moved since.
  const chatId = context.channel.address['chat_id'] ?? step.request['chat_id'] ?? '';
  const request = requestOf(step, context.results, chatId);
  const attached = await attachFiles(request, context.media);
  if ('code' in attached) return outcomeOfMediaError(attached);
  const { timeoutMs } = connection;
  const limits = { timeoutMs: timeoutMs + Math.ceil(attached.sizeBytes / SLOWEST), signal: context.signal };
  try {
    const outcome = await callBot(connection, token, step.method, request, attached.parts, limits);
    return attached.parts.length > 0 ? orLinks(outcome) : outcome;
  } finally {
    attached.release();
  }
};

/** Files that are too large for Telegram after all: their message does not go, and they go as links in the text (D-22). */
const orLinks = (outcome: StepOutcome): StepOutcome => {
  if (outcome.kind !== 'failed' || !goesAsLink(outcome.error)) return outcome;
  const { code, platform_says: says } = outcome.error;
  return { kind: 'done', result: { refused: says ? `${code}: ${says}` : code }, messageIds: [], urls: [] };
};

const callBot = async (
  { apiUrl, connections }: TelegramConnection,
  token: string,
  method: string,
  request: JsonObject,
  files: readonly FilePart[],
  limits: ExchangeLimits,
): Promise<StepOutcome> => {
  let last: Exchange | undefined;
  const api = new Api(token, {
    apiRoot: apiUrl,
    // The exchange below keeps the time and knows what was sent; grammY's own timer only has to stay out of its way.
    timeoutSeconds: limits.timeoutMs / 1_000 + 60,
    fetch: async (url: string, init: { headers: Record<string, string>; body: string }) => {
      const { headers, body } = files.length > 0 ? formOf(init.body, files) : init;
      const sent = await exchange(connections, { method: 'POST', url, headers, body }, limits);
      last = halfSent(sent, body);
      if (last.kind !== 'answered') throw new Error(last.code);
      const { body: answer } = last;
      return { json: async () => JSON.parse(answer.toString()) as unknown };
    },
  });

  const call = (api.raw as unknown as Record<string, (payload: JsonObject) => Promise<unknown>>)[method];
  try {
    const result = await call?.(request);
    return (
      done(result, request['chat_id'] ?? '') ??
      classify({ kind: 'unreadable', status: statusOf(last), retryAfter: undefined })
    );
  } catch (error) {
    return classify(masked(failureOf(error, last, method), token));
  }
};

/** The same parameters as a form, with the files that they refer to as `attach://name`. */
const formOf = (json: string, files: readonly FilePart[]): Multipart => {
  const parameters = Object.entries(JSON.parse(json) as JsonObject);
  const fields = parameters.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return multipartOf(files, Object.fromEntries(fields) as Record<string, string>);
};

/** An upload that broke off before its end was never accepted, so it may be sent again (networks.md §3). */
const halfSent = (sent: Exchange, body: string | Readable): Exchange => {
  if (typeof body === 'string') return sent;
  const isWhole = body.readableEnded;
  body.destroy();
  if (sent.kind !== 'lost' || isWhole) return sent;
  return { kind: 'never_sent', code: sent.code, detail: `${sent.detail}, in the middle of the upload` };
};

/**
 * A step's request. Results keep ids as text; a reply names its message by number. Where the chat has moved since that
 * message, it goes without: there the number may be that of a stranger's.
 */
const requestOf = ({ request }: Step, results: SendContext['results'], chatId: Json): JsonObject => {
  const { reply_parameters: reply, ...rest } = resolveReferences(request, results);
  const repliedTo = results[repliedStep(request) ?? ''];
  if (!repliedTo || (repliedTo['chat_id'] ?? chatId) !== chatId) return { ...rest, chat_id: chatId };
  const message_id = Number(repliedTo['message_id']);
  return { ...rest, reply_parameters: { ...(reply as JsonObject), message_id }, chat_id: chatId };
};

const malformedToken: StepOutcome = {
  kind: 'credentials',
  error: {
    code: 'malformed_token',
    category: 'credentials',
    source: 'gateway',
    message: 'This is no bot token: it looks like 123456:ABC-DEF…, as @BotFather gives it.',
  },
};

/**
 * A `Message`, or an album's several; null for a result that names no message, which proves nothing (D-25).
 * @param chatId where it was sent to: a message's number means nothing anywhere else
 */
const done = (result: unknown, chatId: Json): StepOutcome | null => {
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

/** The parts of a Bot API `Message` that matter here; any of them may be missing in a damaged answer. */
interface TelegramMessage {
  readonly message_id?: number;
  readonly chat?: { readonly id?: number; readonly username?: string };
}

/** What happened, from what was thrown and how far the exchange came. */
const failureOf = (error: unknown, last: Exchange | undefined, method: string): TelegramFailure => {
  if (!last) return { kind: 'never_sent', code: 'not_called', detail: 'the call could not be made' };
  if (last.kind === 'never_sent') return last;
  if (last.kind === 'lost') return last;
  const retryAfter = retryAfterOf(last.headers);
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
  return { kind: 'unreadable', status: last.status, retryAfter, says: wordsIn(last.body) };
};

const statusOf = (last: Exchange | undefined): number => (last?.kind === 'answered' ? last.status : 0);

const masked = (failure: TelegramFailure, token: string): TelegramFailure => {
  const mask = (words: string): string => words.replaceAll(token, '***').replaceAll(encodeURIComponent(token), '***');
  if (failure.kind === 'refused') return { ...failure, description: mask(failure.description) };
  return failure.kind === 'unreadable' ? { ...failure, says: mask(failure.says ?? '') } : failure;
};
