import type { LedgerEntry } from '../kit/ledger-entry.js';
import type { Chat } from './chats.js';

/** Returns a `Chat` of the Bot API. */
export const chatJson = ({ id, type, title, username }: Chat): object => ({
  id,
  type,
  ...(type === 'private' ? { first_name: title } : { title }),
  ...(username === null ? {} : { username }),
});

/**
 * Returns the `ChatMember` of a posting bot: an administrator of a channel, a member of a group. If the bot lacks
 * rights, it is an administrator who may not post, or a restricted member.
 */
export const memberJson = ({ type, state }: Chat, user: object): object => {
  const mayPost = state !== 'no_rights';
  if (type !== 'channel')
    return mayPost
      ? { user, status: 'member' }
      : { user, status: 'restricted', is_member: true, can_send_messages: false, until_date: 0 };
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
    can_post_messages: mayPost,
    can_edit_messages: false,
  };
};

/** Returns the Bot API `Message` in the response to an accepted post. */
export const messageJson = (entry: LedgerEntry, chat: Chat): object => {
  const [medium] = entry.media;
  const names = medium ? ['caption', 'caption_entities'] : ['text', 'entities'];
  return {
    message_id: Number(entry.message_id),
    ...(chat.type === 'channel' ? { sender_chat: chatJson(chat) } : {}),
    chat: chatJson(chat),
    date: Math.floor(Date.parse(entry.at) / 1_000),
    ...(entry.reply_to === null
      ? {}
      : { reply_to_message: { message_id: Number(entry.reply_to), chat: chatJson(chat) } }),
    ...(entry.group_id === null ? {} : { media_group_id: entry.group_id }),
    ...(medium ? mediumJson(medium) : {}),
    ...(entry.text ? { [names[0] ?? '']: entry.text } : {}),
    ...(entry.entities.length > 0 ? { [names[1] ?? '']: entry.entities } : {}),
    ...(entry.buttons.length > 0 ? { reply_markup: { inline_keyboard: entry.buttons } } : {}),
  };
};

const mediumJson = ({ type, file, url, mime, bytes, name }: LedgerEntry['media'][number]): object => {
  const described = { file_id: file ?? url, file_unique_id: file ?? url, file_size: bytes };
  if (type === 'photo') return { photo: [{ ...described, width: 0, height: 0 }] };
  return { [type]: { ...described, mime_type: mime, file_name: name } };
};
