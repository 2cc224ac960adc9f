import { type Chat } from './chats.js';
import { badRequest, type Parameters } from './parameters.js';
import type { Caller, PostingContext } from './posting.js';

/** Bots delete nothing older, whatever their rights. */
const DELETABLE_MINUTES = 48 * 60;

/** A message that a bot sees. */
interface SeenMessage {
  readonly chat: Chat;
  readonly id: string;
  readonly message: Chat['messages'][number];
  /** True if the bot sent it. */
  readonly isOwn: boolean;
}

/**
 * Finds the message that a call names. In a group, a bot does not see the messages of other bots.
 * @throws ApiError if there is none. @param purpose completes "message to … not found"
 */
export const findMessage = (
  { chats, changes }: PostingContext,
  parameters: Parameters,
  botId: string,
  purpose: string,
): SeenMessage => {
  const id = parameters.string('message_id');
  if (!/^[1-9]\d{0,9}$/.test(id)) throw badRequest('message identifier is not specified');
  const chat = chats.getForPosting(parameters.string('chat_id'));
  const message = chat.messages[Number(id) - 1];
  const isOwn = message?.sentBy === undefined || message.sentBy === botId;
  if (!message || changes.isDeleted(chat.key, id) || (!isOwn && chat.type !== 'channel'))
    throw badRequest(`message to ${purpose} not found`);
  return { chat, id, message, isOwn };
};

/** Handles `deleteMessage`. In a channel, a bot may not delete the messages of others. */
export const deleteMessage = async (
  posting: PostingContext,
  parameters: Parameters,
  { botId, callId }: Caller,
): Promise<true> => {
  const now = Date.now();
  posting.limits.countCall(botId, now);
  const { chat, id, message, isOwn } = findMessage(posting, parameters, botId, 'delete');
  if (!isOwn || !chat.mayDelete || now - message.at >= DELETABLE_MINUTES * posting.minuteMs)
    throw badRequest("message can't be deleted");
  await posting.changes.delete({ channel: chat.key, message_id: id, call_id: callId });
  return true;
};

/** Handles `pinChatMessage`. A chat may have several pinned messages. */
export const pinChatMessage = async (
  posting: PostingContext,
  parameters: Parameters,
  { botId, callId }: Caller,
): Promise<true> => {
  if (!/^(?:|true|false)$/.test(parameters.string('disable_notification')))
    throw badRequest('disable_notification must be a Boolean');
  posting.limits.countCall(botId, Date.now());
  const { chat, id } = findMessage(posting, parameters, botId, 'pin');
  if (!chat.mayPin) throw badRequest('not enough rights to manage pinned messages in the chat');
  await posting.changes.pin({ channel: chat.key, message_id: id, call_id: callId }, false);
  return true;
};
