import type { NetworkConnection } from '../channel-check.js';
import { exchange, extractWords, type Interrupted, parseObject, platformSays, readRetryAfter } from '../exchange.js';
import { type Answer, classifyInterrupted, classifyUnreadable, ErrorTable, type RefusedCall } from '../outcomes.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { TELEGRAM_ERRORS } from './errors.js';
import { TITLE } from './limits.js';

const errors = new ErrorTable('telegram', TITLE, TELEGRAM_ERRORS);

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
 * Returns the outcome of a failed call (network-errors.md, D-20, D-25, D-26). Never retries a call if readers may already
 * see its effect.
 * @param table what refusals mean; default: what they mean for posts
 */
export const classify = (failure: TelegramFailure, call: RefusedCall, table: ErrorTable = errors): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure, call, table);
    case 'unreadable':
      return classifyForeign(failure, call);
    case 'lost':
    case 'never_sent':
      return classifyInterrupted(failure, { title: TITLE, visible: call.visible });
  }
};

type Refusal = Extract<TelegramFailure, { kind: 'refused' }>;

/** Matches the refusal of an album's message, and its quoted cause. */
const ALBUM_REFUSAL = /failed to send message #\d+ with the error message "([^]*?)"/i;

const classifyRefusal = (refusal: Refusal, call: RefusedCall, table: ErrorTable): StepOutcome => {
  const { errorCode, description, parameters } = refusal;
  const migratedTo = parameters.migrate_to_chat_id;
  if (typeof migratedTo === 'number' || typeof migratedTo === 'string') {
    return { kind: 'moved', address: { chat_id: String(migratedTo) }, ...platformSays(description, call.credentials) };
  }
  if (errorCode === 429) {
    return table.classify({ codes: [429], words: description, waitSeconds: secondsToWait(refusal) }, call);
  }
  const cause = ALBUM_REFUSAL.exec(description)?.[1];
  // Items were seen in the chat after this cause (network-errors.md).
  if (cause === undefined || /retry after/i.test(cause)) return table.classify(answerOf(refusal), call);
  const ofCause = table.classify({ codes: [], words: cause }, call);
  return 'error' in ofCause
    ? { ...ofCause, error: { ...ofCause.error, ...platformSays(description, call.credentials) } }
    : ofCause;
};

const answerOf = ({ errorCode, description }: Refusal): Answer => ({
  codes: [errorCode >= 500 ? 500 : errorCode],
  words: description,
});

/** Reads the delay, which may be in the parameters, a header or the description. */
const secondsToWait = ({ parameters, retryAfter, description }: Refusal): number | null => {
  const said = [parameters.retry_after, retryAfter, /retry after (\d+)/i.exec(description)?.[1]];
  for (const value of said) {
    const seconds = value === undefined ? NaN : Number(value);
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds);
  }
  return null;
};

/** Classifies a response that does not come from the Bot API: a 429 asks for a delay, a 413 refuses an upload. */
const classifyForeign = (
  { status, retryAfter, says = '' }: Extract<TelegramFailure, { kind: 'unreadable' }>,
  call: RefusedCall,
): StepOutcome => {
  if (status === 429) {
    const seconds = Number(retryAfter);
    const waitSeconds = Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
    return errors.classify({ codes: [429], words: says, waitSeconds }, call);
  }
  if (status === 413) return errors.classify({ codes: [413], words: says }, call);
  return classifyUnreadable(status, platformSays(says, call.credentials), { title: TITLE, visible: call.visible });
};

/** Masks the token in an error message, because Telegram may echo it there. */
export const maskToken = (failure: TelegramFailure, token: string): TelegramFailure => {
  const mask = (words: string): string => words.replaceAll(token, '***').replaceAll(encodeURIComponent(token), '***');
  if (failure.kind === 'refused') return { ...failure, description: mask(failure.description) };
  return failure.kind === 'unreadable' ? { ...failure, says: mask(failure.says ?? '') } : failure;
};

interface BotCall {
  /** Part of the URL, so it must have the format of a token. */
  readonly token: string;
  readonly method: string;
  readonly parameters: object;
}

type BotResponse =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly failure: TelegramFailure };

/** Calls a method that takes no files; never throws. Masks the token if the response echoes it. */
export const callMethod = async (
  { apiUrl, connections, timeoutMs }: NetworkConnection,
  { token, method, parameters }: BotCall,
  { signal, holdsLease }: Pick<SendContext, 'signal' | 'holdsLease'>,
): Promise<BotResponse> => {
  const answer = await exchange(
    connections,
    {
      method: 'POST',
      url: `${apiUrl}/bot${token}/${method}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    },
    { timeoutMs, signal, holdsLease },
  );
  if (answer.kind !== 'answered') return { ok: false, failure: answer };
  const body = parseObject(answer.body) as RawAnswer | null;
  if (body?.ok === true) return { ok: true, result: body.result };
  const retryAfter = readRetryAfter(answer.headers);
  const fail = (failure: TelegramFailure): BotResponse => ({ ok: false, failure: maskToken(failure, token) });
  if (body?.ok !== false || typeof body.error_code !== 'number')
    return fail({ kind: 'unreadable', status: answer.status, retryAfter, says: extractWords(answer.body) });
  const { error_code: errorCode, description: words, parameters: more } = body;
  const description = typeof words === 'string' ? words : '';
  return fail({ kind: 'refused', method, errorCode, description, parameters: more ?? {}, retryAfter });
};

/** A Bot API response; a malformed response may lack any part. */
interface RawAnswer {
  readonly ok?: unknown;
  readonly result?: unknown;
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number | string };
}
