import {
  failed,
  foundChat,
  type NetworkConnection,
  passed,
  refused,
  type TestAnswer,
  textOf,
  unanswered,
} from '../channel-check.js';
import type { ChannelCheck, FoundChat, TestContext } from '../publisher.js';
import { callMax, classify, isToken } from './call.js';
import { TITLE } from './limits.js';
import { MAX_MESSAGES, MAX_TEST_MESSAGES } from './messages.js';
import { malformedToken } from './send.js';

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
