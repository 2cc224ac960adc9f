import type { NetworkConnection } from '../channel-check.js';
import { isObject } from '../exchange.js';
import { readCount, sameForAll, toNumbersAnswer } from '../numbers.js';
import type { MessageNumbers, NumbersAnswer, NumbersContext } from '../publisher.js';
import { callVk, classifyUnreadable } from './call.js';
import { TITLE } from './limits.js';
import { VK_MESSAGES } from './messages.js';

/** Maximum number of posts in one `wall.getById` (unverified). */
export const NUMBERS_PER_CALL = 100;

/** VK's refusals of the kind of token. */
const TOKEN = new Set([20, 27, 28, 1051]);

/** Reads posts with the user's token: VK shows posts to no other. */
export const readNumbers = async (
  connection: NetworkConnection,
  messageIds: readonly string[],
  context: NumbersContext,
): Promise<NumbersAnswer> => {
  const { access_token, upload_token } = context.credentials;
  const token = upload_token ?? access_token;
  if (!token) return sameForAll(messageIds, { kind: 'unavailable', text: VK_MESSAGES.accessTokenMissing });
  const ownerId = `-${context.channel.address['group_id'] ?? ''}`;
  const posts = messageIds.map((id) => `${ownerId}_${id}`).join();
  const call = { method: 'wall.getById', parameters: { posts }, token, visible: false };
  const answer = await callVk(connection, call, { ...context, waits: {} });
  if (!answer.ok) {
    const { errorCode, outcome } = answer;
    if (errorCode !== undefined && TOKEN.has(errorCode))
      return sameForAll(messageIds, { kind: 'unavailable', text: VK_MESSAGES.numbersNeedUserToken });
    return toNumbersAnswer(outcome, messageIds, TITLE, upload_token === undefined ? {} : ADVICE);
  }
  const items = readItems(answer.response);
  if (!items)
    return toNumbersAnswer(classifyUnreadable(answer.last, false, context.credentials), messageIds, TITLE, {});
  const found = new Map(items.map((item) => [String(item['id']), toNumbers(item)]));
  return {
    kind: 'answered',
    messages: new Map(messageIds.map((id): [string, MessageNumbers] => [id, found.get(id) ?? { kind: 'gone' }])),
  };
};

/** Posts are made with another token than the user's. */
const ADVICE: Readonly<Record<string, string>> = {
  unauthorized: VK_MESSAGES.numbersTokenRefused,
  access_denied: VK_MESSAGES.numbersAccessDenied,
  group_access_denied: VK_MESSAGES.numbersAccessDenied,
  not_permitted: VK_MESSAGES.numbersAccessDenied,
};

type WallItem = Readonly<Record<string, unknown>>;

/** Reads the list of posts; older versions answer with the list itself. Returns null for anything else. */
const readItems = (response: unknown): readonly WallItem[] | null => {
  const items = isObject(response) && !Array.isArray(response) ? response['items'] : response;
  return Array.isArray(items) ? (items as readonly unknown[]).filter(isObject) : null;
};

const toNumbers = ({ is_deleted, views, likes, comments, reposts }: WallItem): MessageNumbers =>
  is_deleted === true
    ? { kind: 'gone' }
    : {
        kind: 'counted',
        numbers: {
          views: countOf(views),
          reactions: countOf(likes),
          comments: countOf(comments),
          shares: countOf(reposts),
        },
      };

const countOf = (value: unknown): number | null => (isObject(value) ? readCount(value['count']) : null);
