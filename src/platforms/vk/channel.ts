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
  PublishError,
  TestContext,
} from '../publisher.js';
import { callVk, classifyUnreadable } from './call.js';
import { TITLE } from './limits.js';
import { VK_MESSAGES, VK_TEST_MESSAGES } from './messages.js';
import { noToken } from './send.js';

const HOSTS: ReadonlySet<string> = new Set(['vk.com', 'vk.ru', 'vkontakte.ru']);
/** A community's number in an address, also in that of a post, which may follow `?w=` on any page. */
const NUMBERED = /^(?:(?:club|public|event)|wall-)([1-9]\d{0,19})(?:_|$)/;
/** `id…` is the page of a person. */
const NAME = /^(?!id\d+$)[a-z][\w.]{1,63}$/i;

/** Returns the community in a link: `vk.com/club1`, `vk.com/wall-1_7`, or by its name `vk.com/acme_news`. */
export const readVkLink = ({ host, path, query }: ChatLink): string | undefined => {
  if (!HOSTS.has(host)) return undefined;
  const [first = ''] = path;
  const [, number] = NUMBERED.exec(first) ?? NUMBERED.exec(query.get('w') ?? '') ?? [];
  if (number !== undefined) return number;
  const name = first.replace(/^@/, '');
  return NAME.test(name) ? `@${name}` : undefined;
};

/** Permission bit for walls in `account.getAppPermissions`. */
const WALL = 8_192;
/** Minimum `admin_level` for posting on the community's behalf: editor. */
const EDITOR = 2;
/** Rights of a community's token that allow posting on its wall. */
const WALL_RIGHTS: ReadonlySet<unknown> = new Set(['wall', 'manage']);

/** Fetches the community and the token's rights, then checks uploads with the second token (networks.md §9). */
export async function* testVk(
  connection: NetworkConnection,
  context: TestContext,
): AsyncGenerator<ChannelCheck, void, void> {
  const { access_token: token, upload_token: uploadToken } = context.credentials;
  const group_id = context.channel.address['group_id'] ?? '';
  if (!token) return yield failed('credentials', noToken.error.message);
  const ask: Ask = (method, parameters, using = token) =>
    askVk(connection, { method, parameters, token: using }, context);

  const found = await ask('groups.getById', { group_id, fields: 'is_admin,admin_level' });
  if (found.kind === 'refused')
    return yield unanswered(isAboutChat(found.error) ? 'chat' : 'credentials', TITLE, found.error, context);
  const group = readGroup(found.value);
  if (!group) return yield failed('chat', VK_TEST_MESSAGES.communityNotFound({ id: group_id }));

  const ofCommunity = await ask('groups.getTokenPermissions', {});
  if (ofCommunity.kind === 'refused' && ofCommunity.error.code === 'unauthorized')
    return yield unanswered('credentials', TITLE, ofCommunity.error, context);
  const ofUser = ofCommunity.kind === 'refused' ? await ask('account.getAppPermissions', {}) : null;
  if (ofUser?.kind === 'refused') return yield unanswered('credentials', TITLE, ofUser.error, context);
  yield passed('credentials', ofUser ? VK_TEST_MESSAGES.tokenOfUser : VK_TEST_MESSAGES.tokenOfCommunity);
  yield passed('chat', VK_TEST_MESSAGES.community({ name: textOf(group['name']) }));
  const rights = ofUser ? checkUser(ofUser.value, group) : checkCommunity(ofCommunity);
  yield rights;

  const server = uploadToken ? await ask('photos.getWallUploadServer', { group_id }, uploadToken) : null;
  if (server)
    yield server.kind === 'refused'
      ? unanswered('uploads', TITLE, server.error, context)
      : passed('uploads', VK_TEST_MESSAGES.mayUpload);
  if (rights.ok) {
    const ofEditor = uploadToken ? await checkUploader(ask, group_id, uploadToken, context) : ofUser && rights;
    yield toChange('withdraw', ofEditor, VK_TEST_MESSAGES.mayDelete, VK_MESSAGES.deletingNeedsUserToken);
    yield toChange('edit', ofEditor, VK_TEST_MESSAGES.mayEdit, VK_MESSAGES.editingNeedsUserToken);
  }
  if (server?.kind === 'refused')
    yield failed('statistics', VK_MESSAGES.numbersTokenRefused, server.error.platform_says);
  else
    yield server || ofUser
      ? passed('statistics', VK_TEST_MESSAGES.showsNumbers)
      : failed('statistics', VK_MESSAGES.numbersNeedUserToken);
}

/** Finds the number of a community by its short name. */
export const findGroup = async (
  connection: NetworkConnection,
  name: string,
  context: Omit<TestContext, 'channel'>,
): Promise<FoundChat> => {
  const token = context.credentials['access_token'] ?? '';
  const call = { method: 'groups.getById', parameters: { group_id: name.slice(1) }, token };
  return foundChat(await askVk(connection, call, context), TITLE, context, (value) => textOf(readGroup(value)?.['id']));
};

type Ask = (
  method: string,
  parameters: Readonly<Record<string, string>>,
  using?: string,
) => Promise<TestAnswer<unknown>>;

/** Checks whether the user behind the second token may change posts, as {@link checkUser} does for posting. */
const checkUploader = async (
  ask: Ask,
  group_id: string,
  token: string,
  context: TestContext,
): Promise<ChannelCheck> => {
  const found = await ask('groups.getById', { group_id, fields: 'is_admin,admin_level' }, token);
  if (found.kind === 'refused') return unanswered('rights', TITLE, found.error, context);
  const mask = await ask('account.getAppPermissions', {}, token);
  if (mask.kind === 'refused') return unanswered('rights', TITLE, mask.error, context);
  return checkUser(mask.value, readGroup(found.value) ?? {});
};

/** Returns the check of a change, from that of the user who would make it; null if the token is a community's. */
const toChange = (name: string, user: ChannelCheck | null, may: string, needsUser: string): ChannelCheck => {
  if (!user) return failed(name, needsUser);
  return user.ok ? passed(name, may) : { ...user, name };
};

const askVk = async (
  connection: NetworkConnection,
  call: { readonly method: string; readonly parameters: Readonly<Record<string, string>>; readonly token: string },
  { awaitTurn, credentials, signal }: Omit<TestContext, 'channel'>,
): Promise<TestAnswer<unknown>> => {
  await awaitTurn(call.token);
  const answer = await callVk(connection, { ...call, visible: false }, { credentials, waits: {}, signal });
  return answer.ok ? { kind: 'answered', value: answer.response } : refused(answer.outcome, TITLE);
};

const isAboutChat = ({ category, code }: PublishError): boolean => category === 'channel' || code === 'access_denied';

type Group = Readonly<Record<string, unknown>>;

/** Reads the community from a response in either known format: with or without `groups`. */
const readGroup = (response: unknown): Group | null => {
  const list = Array.isArray(response) ? (response as unknown[]) : (response as { readonly groups?: unknown }).groups;
  const [group] = Array.isArray(list) ? (list as (Group | null)[]) : [];
  return group && group['deactivated'] === undefined ? group : null;
};

const checkCommunity = (answer: TestAnswer<unknown>): ChannelCheck => {
  const response = answer.kind === 'answered' ? (answer.value as { readonly permissions?: unknown }) : {};
  const rights = Array.isArray(response.permissions) ? (response.permissions as { readonly name?: unknown }[]) : [];
  return rights.some(({ name }) => WALL_RIGHTS.has(name))
    ? passed('rights', VK_TEST_MESSAGES.wallRight)
    : failed('rights', VK_TEST_MESSAGES.wallRightMissing);
};

const checkUser = (mask: unknown, { is_admin, admin_level }: Group): ChannelCheck => {
  if ((Number(mask) & WALL) === 0) return failed('rights', VK_TEST_MESSAGES.wallsRightMissing);
  return is_admin === 1 && Number(admin_level) >= EDITOR
    ? passed('rights', VK_TEST_MESSAGES.editor)
    : failed('rights', VK_TEST_MESSAGES.notEditor);
};

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
