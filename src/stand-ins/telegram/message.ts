import type { LedgerEntry } from '../kit/ledger-entry.js';
import type { Chat } from './chats.js';
import type { MediumFacts } from './media.js';

/** Returns a `Chat` of the Bot API. */
export const chatJson = ({ id, type, title, username }: Chat): object => ({
  id,
  type,
  ...(type === 'private' ? { first_name: title } : { title }),
  ...(username === null ? {} : { username }),
});

/** Returns a `ChatFullInfo`, the answer of `getChat`. */
export const fullChatJson = (chat: Chat): object => ({
  ...chatJson(chat),
  accent_color_id: 0,
  max_reaction_count: 11,
  accepted_gift_types: {
    unlimited_gifts: false,
    limited_gifts: false,
    unique_gifts: false,
    premium_subscription: false,
    gifts_from_channels: false,
  },
});

/** Rights of a restricted member besides `can_send_messages`. */
const FURTHER_RIGHTS = [
  ...['audios', 'documents', 'photos', 'videos', 'video_notes', 'voice_notes', 'polls', 'other_messages'].map(
    (kind) => `can_send_${kind}`,
  ),
  'can_add_web_page_previews',
  'can_react_to_messages',
  'can_edit_tag',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
];

/**
 * Returns the `ChatMember` of a posting bot: an administrator of a channel, a member of a group. If the bot lacks
 * rights, it is an administrator who may not post, or a restricted member.
 */
export const memberJson = ({ type, state }: Chat, user: object): object => {
  const mayPost = state !== 'no_rights';
  if (type !== 'channel')
    return mayPost
      ? { user, status: 'member' }
      : {
          user,
          status: 'restricted',
          is_member: true,
          can_send_messages: false,
          ...Object.fromEntries(FURTHER_RIGHTS.map((right) => [right, false])),
          until_date: 0,
        };
  return {
    user,
    status: 'administrator',
    can_be_edited: false,
    is_anonymous: false,
    can_manage_chat: true,
    can_delete_messages: false,
    can_manage_video_chats: false,
    can_restrict_members: false,
    can_promote_members: false,
    can_change_info: false,
    can_invite_users: false,
    can_post_stories: false,
    can_edit_stories: false,
    can_delete_stories: false,
    can_post_messages: mayPost,
    can_edit_messages: false,
  };
};

/** Returns the Bot API `Message` in the response to an accepted post. */
export const messageJson = (entry: LedgerEntry, chat: Chat, facts: MediumFacts): object => {
  const [medium] = entry.media;
  const date = Math.floor(Date.parse(entry.at) / 1_000);
  const names = medium ? ['caption', 'caption_entities'] : ['text', 'entities'];
  return {
    message_id: Number(entry.message_id),
    ...(chat.type === 'channel' ? { sender_chat: chatJson(chat) } : {}),
    chat: chatJson(chat),
    date,
    ...(entry.reply_to === null
      ? {}
      : { reply_to_message: { message_id: Number(entry.reply_to), chat: chatJson(chat), date } }),
    ...(entry.group_id === null ? {} : { media_group_id: entry.group_id }),
    ...(medium ? mediumJson(medium, facts) : {}),
    ...(entry.text ? { [names[0] ?? '']: entry.text } : {}),
    ...(entry.entities.length > 0 ? { [names[1] ?? '']: entry.entities } : {}),
    ...(entry.buttons.length > 0 ? { reply_markup: { inline_keyboard: entry.buttons } } : {}),
  };
};

const mediumJson = (
  { type, hash, url, mime, bytes, name }: LedgerEntry['media'][number],
  { width, height, duration }: MediumFacts,
): object => {
  const id = hash ?? url ?? '';
  const described = { file_id: id, file_unique_id: id, file_size: bytes };
  if (type === 'photo') return { photo: [{ ...described, width, height }] };
  const named = { ...described, mime_type: mime, file_name: name };
  if (type === 'video') return { video: { ...named, width, height, duration } };
  return { [type]: type === 'audio' ? { ...named, duration } : named };
};
