import type { NetworkConnection } from '../channel-check.js';
import { isObject } from '../exchange.js';
import { readCount, sameForAll, toNumbersAnswer } from '../numbers.js';
import type { MessageNumbers, NumbersAnswer, NumbersContext } from '../publisher.js';
import { callMax, classify, isToken } from './call.js';
import { TITLE } from './limits.js';
import { MAX_MESSAGES } from './messages.js';

/** Maximum number of messages in one `GET /messages` (unverified). */
export const NUMBERS_PER_CALL = 100;

/** Reads messages by their ids. MAX counts views in channels only, and nothing else. */
export const readNumbers = async (
  connection: NetworkConnection,
  messageIds: readonly string[],
  { credentials, signal }: NumbersContext,
): Promise<NumbersAnswer> => {
  const token = credentials['access_token'] ?? '';
  if (!isToken(token)) return sameForAll(messageIds, { kind: 'unavailable', text: MAX_MESSAGES.malformedToken });
  const query = { message_ids: messageIds.join() };
  const answer = await callMax(connection, { method: 'GET', path: '/messages', query, token, signal });
  const call = { visible: false, waits: {}, credentials, countUnknown: connection.countUnknown };
  if (answer.kind !== 'answered') return toNumbersAnswer(classify(answer, call), messageIds, TITLE, ADVICE);
  const { messages } = answer.body as { readonly messages?: unknown };
  if (!Array.isArray(messages)) {
    const unreadable = { kind: 'unreadable', status: answer.status, retryAfter: undefined } as const;
    return toNumbersAnswer(classify(unreadable, call), messageIds, TITLE, ADVICE);
  }
  const found = new Map((messages as readonly unknown[]).filter(isObject).map((one) => [midOf(one), toNumbers(one)]));
  return {
    kind: 'answered',
    messages: new Map(messageIds.map((id): [string, MessageNumbers] => [id, found.get(id) ?? { kind: 'gone' }])),
  };
};

const ADVICE: Readonly<Record<string, string>> = {
  forbidden: MAX_MESSAGES.numbersNeedMembership,
  chat_not_found: MAX_MESSAGES.numbersNeedMembership,
};

type Message = Readonly<Record<string, unknown>>;

const midOf = ({ body }: Message): unknown => (isObject(body) ? body['mid'] : undefined);

const toNumbers = ({ stat }: Message): MessageNumbers =>
  isObject(stat)
    ? { kind: 'counted', numbers: { views: readCount(stat['views']), reactions: null, comments: null, shares: null } }
    : { kind: 'unavailable', text: MAX_MESSAGES.numbersInChannelsOnly };
