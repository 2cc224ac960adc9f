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
import type { ChannelCheck, FoundChat, PublishError, TestContext } from '../publisher.js';
import { callVk } from './call.js';
import { TITLE } from './limits.js';
import { VK_MESSAGES, VK_TEST_MESSAGES } from './messages.js';
import { noToken } from './wall.js';

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
