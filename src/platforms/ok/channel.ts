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
import type { ChannelCheck, FoundChat, NumbersAnswer, NumbersContext, StepOutcome, TestContext } from '../publisher.js';
import { callOk, classifyUnreadable } from './call.js';
import { TITLE } from './limits.js';
import { OK_MESSAGES, OK_TEST_MESSAGES } from './messages.js';

const HOSTS: ReadonlySet<string> = new Set(['ok.ru', 'odnoklassniki.ru']);
const ID = /^[1-9]\d{0,19}$/;
/** `profile/…` is the page of a person. */
const NAME = /^(?!profile$|group$|feed$)[a-z][\w.-]{1,63}$/i;

/** Returns the group in a link: `ok.ru/group/7…`, `ok.ru/group7…`, or by its name `ok.ru/acme.news`. */
export const readOkLink = ({ host, path }: ChatLink): string | undefined => {
  if (!HOSTS.has(host)) return undefined;
  const [first = '', second = ''] = path;
  const number = first === 'group' ? second : (/^group(\d+)$/.exec(first)?.[1] ?? '');
  if (ID.test(number)) return number;
  return NAME.test(first) ? `@${first}` : undefined;
};

/** Token rights required for posting and uploading (networks.md §9). */
const RIGHTS = ['GROUP_CONTENT', 'PHOTO_CONTENT', 'VIDEO_CONTENT'];
/** Roles that allow a user to post topics on the group's behalf. */
const POSTING_PLACES: ReadonlySet<unknown> = new Set(['ADMIN', 'MODERATOR']);

/** Fetches the token's user, the group, the user's role in it and the token's rights (networks.md §9). */
export async function* testOk(
  connection: NetworkConnection,
  context: TestContext,
): AsyncGenerator<ChannelCheck, void, void> {
  const group = context.channel.address['group_id'] ?? '';
  const ask = (method: string, parameters: Readonly<Record<string, string>>): Promise<TestAnswer<unknown>> =>
    askOk(connection, method, parameters, context);

  const user = await ask('users.getCurrentUser', { fields: 'uid,name' });
  if (user.kind === 'refused') return yield unanswered('credentials', TITLE, user.error, context);
  const { uid, name } = (user.value ?? {}) as Readonly<Record<string, unknown>>;
  yield passed('credentials', OK_TEST_MESSAGES.account({ name: textOf(name) }));

  const info = await ask('group.getInfo', { uids: group, fields: 'uid,name' });
  if (info.kind === 'refused') return yield unanswered('chat', TITLE, info.error, context);
  const [found] = Array.isArray(info.value) ? (info.value as Readonly<Record<string, unknown>>[]) : [];
  if (!found) return yield failed('chat', OK_TEST_MESSAGES.groupNotFound({ id: group }));
  yield passed('chat', OK_TEST_MESSAGES.group({ name: textOf(found['name']) }));

  const places = await ask('group.getUserGroupsByIds', { group_id: group, uids: textOf(uid) });
  if (places.kind === 'refused') return yield unanswered('rights', TITLE, places.error, context);
  const [place] = Array.isArray(places.value) ? (places.value as Readonly<Record<string, unknown>>[]) : [];
  if (!POSTING_PLACES.has(place?.['status'])) return yield failed('rights', OK_MESSAGES.accessDenied);
  for (const right of RIGHTS) {
    const granted = await ask('users.hasAppPermission', { ext_perm: right });
    if (granted.kind === 'refused') return yield unanswered('rights', TITLE, granted.error, context);
    if (granted.value !== true)
      return yield failed('rights', OK_TEST_MESSAGES.rightMissing({ right, rights: RIGHTS.join(', ') }));
  }
  yield passed('rights', OK_TEST_MESSAGES.mayPost);
  yield passed('withdraw', OK_TEST_MESSAGES.mayDelete);
  yield failed('edit', OK_TEST_MESSAGES.cannotEdit);
  yield passed('statistics', OK_TEST_MESSAGES.showsNumbers);
}

/** Finds the number of a group by its name in links. */
export const findGroup = async (
  connection: NetworkConnection,
  name: string,
  context: Omit<TestContext, 'channel'>,
): Promise<FoundChat> => {
  const parameters = { url: `https://ok.ru/${name.slice(1)}` };
  const answer = await askOk(connection, 'url.getInfo', parameters, context);
  return foundChat(answer, TITLE, context, (value) => {
    const { type, objectId } = (value ?? {}) as Readonly<Record<string, unknown>>;
    return type === 'GROUP' ? textOf(objectId) : '';
  });
};

const askOk = async (
  connection: NetworkConnection,
  method: string,
  parameters: Readonly<Record<string, string>>,
  { awaitTurn, credentials, signal }: Omit<TestContext, 'channel'>,
): Promise<TestAnswer<unknown>> => {
  await awaitTurn(credentials['access_token'] ?? '');
  const answer = await callOk(connection, { method, parameters, visible: false }, { credentials, waits: {}, signal });
  return answer.ok ? { kind: 'answered', value: answer.value } : refused(answer.outcome, TITLE);
};

/** Reads the numbers of a topic. A field that OK does not know, or leaves out, is null. */
export const readNumbers = async (
  connection: NetworkConnection,
  [id = '']: readonly string[],
  context: NumbersContext,
): Promise<NumbersAnswer> => {
  const parameters = { topic_id: id, fields: 'views,likes,comments,reshares' };
  const calling = { ...context, waits: {} };
  const answer = await callOk(connection, { method: 'group.getStatTopic', parameters, visible: false }, calling);
  if (!answer.ok) {
    if (isMissing(answer.outcome)) return sameForAll([id], { kind: 'gone' });
    return toNumbersAnswer(answer.outcome, [id], TITLE, ADVICE);
  }
  const topic = isObject(answer.value) ? answer.value['topic'] : undefined;
  if (!isObject(topic))
    return toNumbersAnswer(classifyUnreadable(answer.last, false, context.credentials), [id], TITLE, ADVICE);
  const { views, likes, comments, reshares } = topic;
  return sameForAll([id], {
    kind: 'counted',
    numbers: {
      views: readCount(views),
      reactions: readCount(likes),
      comments: readCount(comments),
      shares: readCount(reshares),
    },
  });
};

/** OK has one code for everything that is not there; its words begin with the name. */
const isMissing = (outcome: StepOutcome): boolean =>
  'error' in outcome && outcome.error.platform_says?.startsWith('NOT_FOUND') === true;

const ADVICE: Readonly<Record<string, string>> = {
  not_permitted: OK_MESSAGES.numbersNeedRight,
  access_denied: OK_MESSAGES.numbersNeedRight,
};
