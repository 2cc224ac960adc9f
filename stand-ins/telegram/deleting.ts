import { badRequest, type Parameters } from './parameters.js';
import type { Caller, PostingContext } from './posting.js';

/** Bots delete nothing older, whatever their rights. */
const DELETABLE_MINUTES = 48 * 60;

/** Handles `deleteMessage`. In a group, a bot does not see the messages of other bots; in a channel, it may not delete them. */
export const deleteMessage = async (
  { chats, limits, changes, minuteMs }: PostingContext,
  parameters: Parameters,
  { botId, callId }: Caller,
): Promise<true> => {
  const messageId = parameters.string('message_id');
  if (!/^[1-9]\d{0,9}$/.test(messageId)) throw badRequest('message identifier is not specified');
  const chat = chats.getForPosting(parameters.string('chat_id'));
  const now = Date.now();
  limits.countCall(botId, now);
  const message = chat.messages[Number(messageId) - 1];
  const isOwn = message?.sentBy === undefined || message.sentBy === botId;
  if (!message || changes.isDeleted(chat.key, messageId) || (!isOwn && chat.type !== 'channel'))
    throw badRequest('message to delete not found');
  if (!isOwn || !chat.mayDelete || now - message.at >= DELETABLE_MINUTES * minuteMs)
    throw badRequest("message can't be deleted");
  await changes.delete({ channel: chat.key, message_id: messageId, call_id: callId });
  return true;
};
