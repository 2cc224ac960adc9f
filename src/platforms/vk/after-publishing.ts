import type { Instant } from '../../kernel/clock.js';
import { refusedChange, settleByLookUp, toDeleteOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { ErrorTable } from '../error-table.js';
import type {
  DeleteContext,
  DeleteForecast,
  DeleteOutcome,
  PlatformChannel,
  PublishedMessage,
  StepOutcome,
} from '../publisher.js';
import { callVk, classifyUnreadable } from './call.js';
import { VK_CHANGE_ERRORS } from './change-errors.js';
import { VK_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { VK_MESSAGES } from './messages.js';
import { noToken } from './wall.js';

const errors = new ErrorTable('vk', TITLE, [...VK_CHANGE_ERRORS, ...VK_ERRORS]);

/** Refusals that VK also gives for posts that are not there. */
const UNCLEAR: ReadonlySet<number | undefined> = new Set([15, 100, 210]);

/** Deletes a post with the user's token, if there is one: VK documents no other. */
export const deletePost = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<DeleteOutcome> => {
  const { access_token, upload_token } = context.credentials;
  const token = upload_token ?? access_token;
  if (!token) return noToken;
  const owner_id = `-${context.channel.address['group_id'] ?? ''}`;
  const calling = { ...context, waits: {} };
  const call = { method: 'wall.delete', parameters: { owner_id, post_id: id }, token, visible: false, errors };
  const answer = await callVk(connection, call, calling);
  if (answer.ok) {
    if (answer.response === 1) return { kind: 'deleted' };
    return toDeleteOutcome(classifyUnreadable(answer.last, false, context.credentials), TITLE, 'vk');
  }
  const outcome = toDeleteOutcome(answer.outcome, TITLE, 'vk');
  if (UNCLEAR.has(answer.errorCode))
    return settleByLookUp(outcome, () => isOnWall(connection, `${owner_id}_${id}`, token, calling));
  return token === access_token ? outcome : ofUserToken(outcome);
};

/** Posts are made with another token than the user's, so what is wrong with that one does not stop them (D-71). */
const ofUserToken = (outcome: DeleteOutcome): DeleteOutcome => {
  if (outcome.kind !== 'needs_attention') return outcome;
  const { category, code } = outcome.error;
  if (category === 'credentials')
    return refusedChange('user_token_needed', { ...outcome.error, message: VK_MESSAGES.userTokenRefused });
  if (category === 'channel' && code !== 'chat_not_found')
    return refusedChange('no_right_to_delete', { ...outcome.error, message: VK_MESSAGES.userMayNotDelete });
  return outcome;
};

/** Asks whether readers see a post; returns the outcome of a question that was not answered. */
const isOnWall = async (
  connection: NetworkConnection,
  post: string,
  token: string,
  context: Parameters<typeof callVk>[2],
): Promise<boolean | StepOutcome> => {
  const call = { method: 'wall.getById', parameters: { posts: post }, token, visible: false };
  const answer = await callVk(connection, call, context);
  if (!answer.ok) return answer.outcome;
  const { items } = answer.response as { readonly items?: unknown };
  // Older versions answer with the list itself.
  const posts = Array.isArray(answer.response) ? (answer.response as unknown[]) : items;
  return !Array.isArray(posts) || (posts as readonly (WallItem | null)[]).some((item) => item?.is_deleted !== true);
};

interface WallItem {
  readonly is_deleted?: unknown;
}

/** Without a user's token, only VK knows: it documents none, but by reports some community tokens may delete. */
export const canDeletePost = ({ address }: PlatformChannel, _publishedAt: Instant | null): DeleteForecast =>
  address['uploads'] === undefined
    ? { withdraw: null, until: null, text: VK_MESSAGES.deletingNeedsUserToken }
    : { withdraw: true, until: null, text: null };
