import { failed, type NetworkConnection, passed, type TestAnswer, textOf, unanswered } from '../channel-check.js';
import { isObject } from '../exchange.js';
import type { ChatLink } from '../platform-catalogue.js';
import type { ChannelCheck, StepOutcome, TestContext } from '../publisher.js';
import { callMethod, classify, type TelegramFailure } from './call.js';
import { TITLE } from './limits.js';
import { TELEGRAM_MESSAGES, TELEGRAM_TEST_MESSAGES } from './messages.js';
import { isBotToken, malformedToken } from './send.js';

const HOSTS: ReadonlySet<string> = new Set(['t.me', 'telegram.me', 'telegram.dog']);
const NAME = /^[A-Za-z]\w{3,63}$/;
/** First path segments that lead to no chat, or to one that the link does not name, such as an invitation. */
const NO_NAME =
  /^(?:addemoji|addlist|addstickers|addtheme|boost|contact|giftcode|invoice|joinchat|login|proxy|setlanguage|share|socks)$/i;

/** Returns the chat in a link: `t.me/acme_news/7`, `t.me/c/1234567890/7`, `web.telegram.org/a/#-1001234567890`. */
export const readTelegramLink = ({ host, path, fragment }: ChatLink): string | undefined => {
  if (host === 'web.telegram.org')
    return /^-100\d{9,16}$/.test(fragment) ? fragment : toName(/^@(.+)$/.exec(fragment)?.[1]);
  if (host.endsWith('.t.me')) return toName(host.slice(0, -'.t.me'.length));
  if (!HOSTS.has(host)) return undefined;
  const [first, second] = path;
  if (first === 'c') return second !== undefined && /^\d{1,16}$/.test(second) ? `-100${second}` : undefined;
  return toName(first === 's' ? second : first);
};

const toName = (name: string | undefined): string | undefined =>
  name !== undefined && NAME.test(name) && !NO_NAME.test(name) ? `@${name}` : undefined;

/** Fetches the bot, the chat and the bot's rights in the chat (networks.md §9). */
export async function* testTelegram(
  connection: NetworkConnection,
  context: TestContext,
): AsyncGenerator<ChannelCheck, void, void> {
  const token = context.credentials['bot_token'] ?? '';
  if (!isBotToken(token)) return yield failed('credentials', malformedToken.error.message);
  const ask = (method: string, parameters: object): Promise<BotAnswer> =>
    askBot(connection, { token, method, parameters }, context);

  const me = await ask('getMe', {});
  if (me.kind === 'refused') return yield unanswered('credentials', TITLE, me.error, context);
  yield passed('credentials', TELEGRAM_TEST_MESSAGES.bot({ username: textOf(me.value['username']) }));

  let chat = await ask('getChat', { chat_id: context.channel.address['chat_id'] ?? '' });
  if (chat.kind === 'refused' && chat.movedTo !== undefined) chat = await ask('getChat', { chat_id: chat.movedTo });
  if (chat.kind === 'refused') return yield unanswered('chat', TITLE, chat.error, context);
  const { id, type, title, first_name } = chat.value;
  yield passed('chat', TELEGRAM_TEST_MESSAGES.chat({ title: textOf(title) || textOf(first_name), type: textOf(type) }));
  const statistics = failed('statistics', TELEGRAM_MESSAGES.noNumbers);
  if (type === 'private') {
    yield passed('rights', TELEGRAM_TEST_MESSAGES.mayWriteToPerson);
    yield* MAY_CHANGE;
    return yield statistics;
  }

  const member = await ask('getChatMember', { chat_id: id, user_id: me.value['id'] });
  if (member.kind === 'refused') yield unanswered('rights', TITLE, member.error, context);
  else {
    const rights = checkRights(chat.value, member.value);
    yield rights;
    if (rights.ok) yield* MAY_CHANGE;
  }
  yield statistics;
}

/** A bot that may post may also delete and edit what it posted. */
const MAY_CHANGE: readonly ChannelCheck[] = [
  passed('withdraw', TELEGRAM_TEST_MESSAGES.mayDelete),
  passed('edit', TELEGRAM_TEST_MESSAGES.mayEdit),
];

type BotAnswer =
  | Extract<TestAnswer, { kind: 'answered' }>
  | (Extract<TestAnswer, { kind: 'refused' }> & { readonly movedTo?: string | undefined });

const askBot = async (
  connection: NetworkConnection,
  { token, method, parameters }: { readonly token: string; readonly method: string; readonly parameters: object },
  { awaitTurn, signal, credentials }: TestContext,
): Promise<BotAnswer> => {
  await awaitTurn(token);
  const answer = await callMethod(connection, { token, method, parameters }, { signal });
  if (answer.ok && isObject(answer.result)) return { kind: 'answered', value: answer.result };
  const failure = answer.ok ? UNREADABLE : answer.failure;
  const outcome = classify(failure, { visible: false, waits: {}, credentials });
  const movedTo = outcome.kind === 'moved' ? outcome.address['chat_id'] : undefined;
  return { kind: 'refused', error: errorOf(outcome), movedTo };
};

const UNREADABLE: TelegramFailure = { kind: 'unreadable', status: 200, retryAfter: undefined };

const errorOf = (outcome: StepOutcome) =>
  'error' in outcome
    ? outcome.error
    : ({ code: 'moved', category: 'channel', source: 'telegram', message: TELEGRAM_MESSAGES.movedAgain } as const);

type Answered = Readonly<Record<string, unknown>>;

/** Checks whether a `ChatMember` may post in a `Chat`. Members of a group may write unless the group forbids it. */
const checkRights = (chat: Answered, member: Answered): ChannelCheck => {
  const { status } = member;
  const isChannel = chat['type'] === 'channel';
  if (status === 'left' || status === 'kicked') return failed('rights', TELEGRAM_TEST_MESSAGES.notInChat);
  if (status === 'creator') return passed('rights', TELEGRAM_TEST_MESSAGES.owner);
  if (status === 'administrator')
    return !isChannel || member['can_post_messages'] === true
      ? passed('rights', TELEGRAM_TEST_MESSAGES.administrator)
      : failed('rights', TELEGRAM_TEST_MESSAGES.administratorWithoutRight);
  if (isChannel) return failed('rights', TELEGRAM_TEST_MESSAGES.notAdministrator);
  const permissions = (chat['permissions'] ?? {}) as Answered;
  const isMuted =
    status === 'restricted' ? member['can_send_messages'] !== true : permissions['can_send_messages'] === false;
  return isMuted ? failed('rights', TELEGRAM_TEST_MESSAGES.muted) : passed('rights', TELEGRAM_TEST_MESSAGES.member);
};
