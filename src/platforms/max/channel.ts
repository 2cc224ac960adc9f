import {
  failed,
  foundChat,
  type NetworkConnection,
  passed,
  readCount,
  refused,
  sameForAll,
  type TestAnswer,
  textOf,
  toNumbersAnswer,
  unanswered,
} from '../channel-check.js';
import { isObject } from '../exchange.js';
import type { ChatLink } from '../platform-catalogue.js';
import type {
  ChannelCheck,
  FoundChat,
  MessageNumbers,
  NumbersAnswer,
  NumbersContext,
  TestContext,
} from '../publisher.js';
import { callMax, classify, isToken } from './call.js';
import { TITLE } from './limits.js';
import { MAX_MESSAGES, MAX_TEST_MESSAGES } from './messages.js';
import { malformedToken } from './send.js';

const HOSTS: ReadonlySet<string> = new Set(['max.ru', 'web.max.ru']);
const ID = /^-?[1-9]\d{0,19}$/;
const NAME = /^[a-z][\w-]{1,63}$/i;

/** Returns the chat in a link: `web.max.ru/-709…`, `max.ru/c/-709…/7`, or by its name `max.ru/acme_news`. */
export const readMaxLink = ({ host, path }: ChatLink): string | undefined => {
  if (!HOSTS.has(host)) return undefined;
  const [first = '', second] = path;
  if (first === 'c') return second !== undefined && ID.test(second) ? second : undefined;
  if (ID.test(first)) return first;
  // A second segment belongs to an invitation (`join/…`) or a person (`u/…`).
  return second === undefined && NAME.test(first) ? `@${first}` : undefined;
};

/** Administrator rights that allow posting (networks.md §9). */
const POSTING_RIGHTS: ReadonlySet<unknown> = new Set(['write', 'post_edit_delete_message']);

/** Fetches the bot, the chat and the bot's membership in the chat (networks.md §9). */
export async function* testMax(
  connection: NetworkConnection,
  context: TestContext,
): AsyncGenerator<ChannelCheck, void, void> {
  const token = context.credentials['access_token'] ?? '';
  if (!isToken(token)) return yield failed('credentials', malformedToken.error.message);
  const ask = (path: string): Promise<TestAnswer> => askMax(connection, token, path, context);

  const me = await ask('/me');
  if (me.kind === 'refused') return yield unanswered('credentials', TITLE, me.error, context);
  const { name, first_name, username } = me.value;
  yield passed('credentials', MAX_TEST_MESSAGES.bot({ name: textOf(name) || textOf(first_name) || textOf(username) }));

  const path = `/chats/${encodeURIComponent(context.channel.address['chat_id'] ?? '')}`;
  const chat = await ask(path);
  if (chat.kind === 'refused') return yield unanswered('chat', TITLE, chat.error, context);
  const { title, type, status } = chat.value;
  if (typeof status === 'string' && status !== 'active')
    return yield failed('chat', MAX_TEST_MESSAGES.leftChat({ status }));
  yield passed('chat', MAX_TEST_MESSAGES.chat({ title: textOf(title), type: textOf(type) }));
  const statistics =
    type === 'channel'
      ? passed('statistics', MAX_TEST_MESSAGES.countsViews)
      : failed('statistics', MAX_MESSAGES.numbersInChannelsOnly);
  if (type === 'dialog') {
    yield passed('rights', MAX_TEST_MESSAGES.mayWriteToPerson);
    yield* checkChanges({});
    return yield statistics;
  }

  const member = await ask(`${path}/members/me`);
  if (member.kind === 'refused') yield unanswered('rights', TITLE, member.error, context);
  else {
    const rights = checkRights(type === 'channel', member.value);
    yield rights;
    if (rights.ok) yield* checkChanges(type === 'channel' ? member.value : {});
  }
  yield statistics;
}

/** Administrator rights to change messages: one right covered both before each had its own. */
const CHANGING_RIGHTS = {
  withdraw: new Set<unknown>(['delete_message', 'delete', 'post_edit_delete_message']),
  edit: new Set<unknown>(['edit_message', 'edit', 'post_edit_delete_message']),
};

/** Checks whether the bot may change what it posted. Outside of channels it may. */
function* checkChanges({
  is_admin,
  is_owner,
  permissions,
}: Readonly<Record<string, unknown>>): Generator<ChannelCheck> {
  const isLimited = is_admin === true && is_owner !== true && Array.isArray(permissions);
  const may = (rights: ReadonlySet<unknown>): boolean =>
    !isLimited || (permissions as readonly unknown[]).some((right) => rights.has(right));
  yield may(CHANGING_RIGHTS.withdraw)
    ? passed('withdraw', MAX_TEST_MESSAGES.mayDelete)
    : failed('withdraw', MAX_TEST_MESSAGES.mayNotDelete);
  yield may(CHANGING_RIGHTS.edit)
    ? passed('edit', MAX_TEST_MESSAGES.mayEdit)
    : failed('edit', MAX_TEST_MESSAGES.mayNotEdit);
}

/** Finds the number of a chat by its public name. */
export const findChat = async (
  connection: NetworkConnection,
  name: string,
  context: Omit<TestContext, 'channel'>,
): Promise<FoundChat> => {
  const token = context.credentials['access_token'] ?? '';
  if (!isToken(token)) return { error: malformedToken.error };
  const answer = await askMax(connection, token, `/chats/${encodeURIComponent(name)}`, context);
  return foundChat(answer, TITLE, context, ({ chat_id }) => textOf(chat_id));
};

const askMax = async (
  connection: NetworkConnection,
  token: string,
  path: string,
  { awaitTurn, credentials, signal }: Omit<TestContext, 'channel'>,
): Promise<TestAnswer> => {
  await awaitTurn(token);
  const answer = await callMax(connection, { method: 'GET', path, query: {}, token, signal });
  if (answer.kind === 'answered') return { kind: 'answered', value: answer.body as Readonly<Record<string, unknown>> };
  return refused(classify(answer, { visible: false, waits: {}, credentials }), TITLE);
};

/** Checks the rights of a `ChatMember`: in a channel, only administrators with the right to write may post. */
const checkRights = (isChannel: boolean, member: Readonly<Record<string, unknown>>): ChannelCheck => {
  const { is_owner, is_admin, permissions } = member;
  if (is_owner === true) return passed('rights', MAX_TEST_MESSAGES.owner);
  if (is_admin !== true)
    return isChannel
      ? failed('rights', MAX_TEST_MESSAGES.notAdministrator)
      : passed('rights', MAX_TEST_MESSAGES.member);
  const mayWrite = !Array.isArray(permissions) || permissions.some((right) => POSTING_RIGHTS.has(right));
  return mayWrite || !isChannel
    ? passed('rights', MAX_TEST_MESSAGES.administrator)
    : failed('rights', MAX_TEST_MESSAGES.administratorWithoutRight);
};

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
