import type { TextParameters } from '../kit/body.js';
import type { Changes } from '../kit/changes.js';
import type { Ledger } from '../kit/ledger.js';
import type { LedgerContent, LedgerEntry } from '../kit/ledger-entry.js';
import type { Statistics } from '../kit/statistics.js';
import {
  ApiError,
  badParameter,
  countDailyPost,
  findPostByGuid,
  findWallError,
  type Group,
  type Groups,
} from './access.js';
import { MAX_MESSAGE, renderMentions } from './readers-view.js';
import { UPLOADER, type Uploads, WALL_ALBUM } from './uploads.js';

const MAX_ATTACHMENTS = 10;

/** The parts of the stand-in that the wall methods need. */
export interface WallContext {
  readonly groups: Groups;
  readonly uploads: Uploads;
  readonly ledger: Ledger;
  readonly changes: Changes;
  readonly statistics: Statistics;
}

/** Handles `wall.post` on a community's wall. */
export const wallPost = async (context: WallContext, parameters: TextParameters, callId: string): Promise<object> => {
  const group = groupOf(context.groups, parameters['owner_id'] ?? '');
  if (parameters['from_group'] !== '1') throw new ApiError(214, 'Access to adding post denied: from_group is needed');
  const closed = findWallError(group);
  if (closed) throw closed;
  const content = readContent(context, parameters);
  const { guid } = parameters;
  const now = Date.now();
  const earlierPostId = guid === undefined ? null : findPostByGuid(group, guid, now);
  if (earlierPostId !== null) return { post_id: earlierPostId };
  countDailyPost(group, now);
  const postId = ++group.lastPostId;
  if (guid !== undefined) group.guids.set(guid, { postId, at: now });
  await context.ledger.append([
    {
      channel: group.id,
      channel_title: group.title,
      channel_handle: null,
      message_id: String(postId),
      group_id: null,
      reply_to: null,
      ...content,
      call_id: callId,
    },
  ]);
  return { post_id: postId };
};

/** Reads and checks `message` and `attachments`. */
const readContent = ({ uploads }: WallContext, { message = '', attachments = '' }: TextParameters): LedgerContent => {
  if (message.trim() === '' && attachments === '') throw badParameter('message is empty and there are no attachments');
  if (message.length > MAX_MESSAGE) throw badParameter('message is too long');
  const names = attachments === '' ? [] : attachments.split(',');
  if (names.length > MAX_ATTACHMENTS) throw badParameter('attachments: too many');
  const media = names.filter((name) => !/^https?:/.test(name)).map((name) => uploads.getMedium(name));
  if (names.length - media.length > 1) throw new ApiError(222, 'Hyperlinks are forbidden');
  return { ...renderMentions(message), buttons: [], media };
};

/** Handles `wall.get`: posts newest first; `count` is 20 by default, at most 100. */
export const wallGet = async (context: WallContext, parameters: TextParameters): Promise<object> => {
  const { groups, ledger, changes } = context;
  const group = groupOf(groups, parameters['owner_id'] ?? '');
  const count = Number(parameters['count'] ?? 20);
  const offset = Number(parameters['offset'] ?? 0);
  if (!(count >= 0 && count <= 100 && offset >= 0)) throw badParameter('count should be from 0 to 100');
  const all = await ledger.read({ channel: group.id });
  const entries = all.filter((entry) => !changes.isDeleted(group.id, entry.message_id)).reverse();
  const isPinned = ({ message_id }: LedgerEntry) => changes.pinnedIn(group.id).includes(message_id);
  const shown = [...entries.filter(isPinned), ...entries.filter((entry) => !isPinned(entry))];
  return {
    count: entries.length,
    items: shown.slice(offset, offset + count).map((entry) => postJson(entry, context)),
  };
};

const postJson = (entry: LedgerEntry, { changes, statistics }: WallContext): object => {
  const { channel, message_id, at, text, media } = changes.current(entry);
  const { views, likes, comments, shares } = statistics.of(entry);
  const owner = -Number(channel);
  const date = Math.floor(Date.parse(at) / 1_000);
  return {
    inner_type: 'wall_wallpost',
    id: Number(message_id),
    from_id: owner,
    owner_id: owner,
    date,
    text,
    ...(changes.pinnedIn(channel).includes(message_id) && { is_pinned: 1 }),
    attachments: media.map(({ type, hash }) => {
      const id = parseInt(hash?.slice(0, 7) ?? '0', 16);
      const photo = { id, owner_id: UPLOADER, album_id: WALL_ALBUM, date, has_tags: false };
      return { type, [type]: type === 'photo' ? photo : { id, owner_id: owner, date } };
    }),
    comments: { count: comments, can_post: 1 },
    likes: { count: likes, user_likes: 0, can_like: 1 },
    reposts: { count: shares, user_reposted: 0 },
    views: { count: views },
  };
};

/** Maximum number of posts in one `wall.getById`. */
const MAX_IDS = 100;

/** Handles `wall.getById {posts: "-7_1,-7_2"}`: leaves out posts that never were, and marks those that were deleted. */
export const wallGetById = async (context: WallContext, { posts = '' }: TextParameters): Promise<object> => {
  const { groups, ledger, changes } = context;
  const names = posts.split(',');
  if (names.length > MAX_IDS) throw badParameter(`posts: at most ${MAX_IDS}`);
  const items: object[] = [];
  for (const name of names) {
    const [ownerId = '', postId = ''] = name.split('_');
    if (!/^[1-9]\d*$/.test(postId)) throw badParameter('posts not valid');
    const group = groupOf(groups, ownerId);
    if (group.state === 'missing') continue;
    if (changes.isDeleted(group.id, postId)) {
      const owner = -Number(group.id);
      items.push({ inner_type: 'wall_wallpost', id: Number(postId), owner_id: owner, is_deleted: true });
      continue;
    }
    const entry = await ledger.find(group.seqs.get(postId) ?? 0);
    if (entry) items.push(postJson(entry, context));
  }
  return { items };
};

/** Handles `wall.delete`, which works once for a post. */
export const wallDelete = async (context: WallContext, parameters: TextParameters, callId: string): Promise<1> => {
  await context.changes.delete(findPost(context, parameters, callId));
  return 1;
};

/** Handles `wall.pin`: a community has one pinned post. */
export const wallPin = async (context: WallContext, parameters: TextParameters, callId: string): Promise<1> => {
  await context.changes.pin(findPost(context, parameters, callId), true);
  return 1;
};

/** Handles `wall.edit`. What VK does with attachments that are left out is not known, so they are wanted here. */
export const wallEdit = async (context: WallContext, parameters: TextParameters, callId: string): Promise<object> => {
  const post = findPost(context, parameters, callId);
  const group = context.groups.getOrCreate(post.channel);
  if (!group.mayEdit) throw new ApiError(15, 'Access denied: edit time expired');
  const entry = await context.ledger.find(group.seqs.get(post.message_id) ?? 0);
  if (!entry) throw new ApiError(104, 'Not found');
  if (parameters['message'] === undefined) throw badParameter('message is undefined');
  if (context.changes.current(entry).media.length > 0 && parameters['attachments'] === undefined)
    throw badParameter('attachments is undefined');
  await context.changes.edit(post, readContent(context, parameters));
  return { post_id: Number(post.message_id) };
};

/** Finds the post that a call changes. @throws ApiError if the caller may not change it, or it is not there */
const findPost = (
  { groups, changes }: WallContext,
  parameters: TextParameters,
  callId: string,
): { readonly channel: string; readonly message_id: string; readonly call_id: string } => {
  const group = groupOf(groups, parameters['owner_id'] ?? '');
  const { post_id = '' } = parameters;
  if (!/^[1-9]\d{0,15}$/.test(post_id)) throw badParameter('post_id not positive');
  if (group.state === 'missing') throw badParameter('owner_id is invalid');
  if (group.state === 'not_manager') throw new ApiError(15, 'Access denied: user should be group editor');
  if (Number(post_id) > group.lastPostId || changes.isDeleted(group.id, post_id)) throw new ApiError(104, 'Not found');
  return { channel: group.id, message_id: post_id, call_id: callId };
};

const groupOf = (groups: Groups, ownerId: string): Group => {
  const id = /^-([1-9]\d{0,18})$/.exec(ownerId)?.[1];
  if (id === undefined) throw badParameter('owner_id should be negative: the wall of a community');
  return groups.getOrCreate(id);
};
