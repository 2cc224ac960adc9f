import type { TextParameters } from '../kit/body.js';
import type { Changes } from '../kit/changes.js';
import type { Ledger } from '../kit/ledger.js';
import type { LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';
import type { Statistics } from '../kit/statistics.js';
import { ApiError, badParameter, findPostingError, type Groups } from './access.js';
import type { Uploads } from './uploads.js';

/** The parts of the stand-in that posting needs. */
export interface TopicContext {
  readonly groups: Groups;
  readonly uploads: Uploads;
  readonly ledger: Ledger;
  readonly changes: Changes;
  readonly statistics: Statistics;
}

type Content = Pick<LedgerEntry, 'text' | 'media'>;

/** Handles `mediatopic.post`, which posts a topic to a group's feed; returns the bare id. */
export const postTopic = async (context: TopicContext, parameters: TextParameters, callId: string): Promise<string> => {
  const { type, gid = '', attachment = '' } = parameters;
  if (type !== 'GROUP_THEME') throw badParameter('type should be GROUP_THEME');
  if (!/^[1-9]\d{0,19}$/.test(gid)) throw badParameter('gid is invalid');
  return appendTopic(context, gid, readAttachment(context, attachment), callId);
};

/** Adds a topic to a group's feed and returns its id. */
export const appendTopic = async (
  context: TopicContext,
  gid: string,
  content: Content,
  callId: string,
): Promise<string> => {
  const group = context.groups.getOrCreate(gid);
  const refused = findPostingError(group);
  if (refused) throw refused;
  const id = context.groups.nextTopicId(group.id);
  await context.ledger.append([
    {
      channel: group.id,
      channel_title: group.title,
      channel_handle: null,
      message_id: id,
      group_id: null,
      reply_to: null,
      text: content.text,
      entities: [],
      buttons: [],
      media: content.media,
      call_id: callId,
    },
  ]);
  return id;
};

/** Handles `mediatopic.deleteTopic`; the topic's id may be in either parameter. */
export const deleteTopic = async (
  { groups, changes }: TopicContext,
  { gid = '', topic_id, delete_id }: TextParameters,
  callId: string,
): Promise<string> => {
  if (!/^[1-9]\d{0,19}$/.test(gid)) throw badParameter('gid is invalid');
  const id = topic_id ?? delete_id ?? '';
  if (!/^[1-9]\d{0,24}$/.test(id)) throw badParameter('topic_id is invalid');
  const { state } = groups.getOrCreate(gid);
  if (state === 'missing') throw new ApiError(160, 'PARAM_GROUP_ID : Invalid group ID');
  if (state === 'no_member') throw new ApiError(50, 'NOT_ADMIN : User must be an administrator of the group');
  if (groups.groupOf(id) !== gid || changes.isDeleted(gid, id)) throw new ApiError(300, 'NOT_FOUND : Topic not found');
  await changes.delete({ channel: gid, message_id: id, call_id: callId });
  return 'true';
};

/** Handles `mediatopic.getByIds`: leaves out topics that readers do not see. */
export const getTopics = ({ groups, changes }: TopicContext, { topic_ids = '' }: TextParameters): object => {
  if (topic_ids === '') throw badParameter('topic_ids is required');
  const media_topics = topic_ids.split(',').flatMap((id) => {
    const gid = groups.groupOf(id);
    return gid === undefined || changes.isDeleted(gid, id) ? [] : [{ id, type: 'GROUP_THEME' }];
  });
  return { media_topics };
};

/** Fields of `group.getStatTopic` that the stand-in knows. */
const STATISTICS = ['views', 'likes', 'comments', 'reshares'] as const;

/** Handles `group.getStatTopic`: the requested fields of a topic that readers see. */
export const getTopicStatistics = async (
  { groups, ledger, changes, statistics }: TopicContext,
  { topic_id = '', fields = '' }: TextParameters,
): Promise<object> => {
  if (!/^[1-9]\d{0,24}$/.test(topic_id)) throw badParameter('topic_id is invalid');
  const names = fields.toLowerCase().split(',');
  const unknown = names.find((name) => !(STATISTICS as readonly string[]).includes(name));
  if (unknown !== undefined) throw badParameter(`fields : unknown field ${unknown}`);
  const gid = groups.groupOf(topic_id);
  const isShown = gid !== undefined && !changes.isDeleted(gid, topic_id);
  const entry = isShown ? (await ledger.read({ channel: gid })).find((one) => one.message_id === topic_id) : undefined;
  if (gid === undefined || !entry) throw new ApiError(300, 'NOT_FOUND : Topic not found');
  if (groups.getOrCreate(gid).state === 'no_member')
    throw new ApiError(50, 'NOT_ADMIN : User must be an administrator of the group');
  const { shares: reshares, ...counts } = statistics.of(entry);
  const all: Readonly<Record<string, number>> = { ...counts, reshares };
  return { topic: Object.fromEntries(names.map((name) => [name, all[name]])) };
};

const readAttachment = (context: TopicContext, attachment: string): Content => {
  let value: unknown;
  try {
    value = JSON.parse(attachment);
  } catch {
    throw badParameter('attachment is not JSON');
  }
  const { media: blocks, onBehalfOfGroup } = (value ?? {}) as { media?: unknown; onBehalfOfGroup?: unknown };
  if (onBehalfOfGroup !== 'true' && onBehalfOfGroup !== true) {
    throw new ApiError(10, 'PERMISSION_DENIED : members may not post here');
  }
  if (!Array.isArray(blocks) || blocks.length === 0) throw badParameter('attachment : media is empty');
  const texts: string[] = [];
  const media: LedgerMedium[] = [];
  for (const block of blocks as readonly unknown[]) {
    const { type, text, url, list } = (block ?? {}) as Readonly<Record<string, unknown>>;
    if (type === 'text') texts.push(readText(text, context.groups.textLimit));
    else if (type === 'photo' || type === 'movie') {
      media.push(...readIds(list, type).map((id) => context.uploads.getMedium(type, id)));
    } else if (type === 'link' && typeof url === 'string' && /^https?:\/\//.test(url)) texts.push(url);
    else throw badParameter('attachment : unknown block');
  }
  return { text: texts.join('\n'), media };
};

const readText = (text: unknown, limit: number): string => {
  if (typeof text !== 'string' || text.trim() === '') throw badParameter('attachment : text is empty');
  if (text.length > limit) throw new ApiError(601, 'MEDIA_TOPIC_TEXT_LIMIT : text is too long');
  return text;
};

const readIds = (list: unknown, type: string): readonly string[] => {
  if (!Array.isArray(list) || list.length === 0) throw badParameter(`attachment : ${type} list is empty`);
  return (list as readonly unknown[]).map((item) => {
    const { id } = (item ?? {}) as { id?: unknown };
    if (typeof id !== 'string' && typeof id !== 'number') throw badParameter(`attachment : ${type} without an id`);
    return String(id);
  });
};
