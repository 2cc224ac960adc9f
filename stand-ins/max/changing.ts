import type { StandInCall } from '../kit/network.js';
import { ApiError, badPayload } from './api-error.js';
import { checkBody, findChatOf, findMessage, notFound, type PostingContext, readContent } from './posting.js';

const denied = (): ApiError => new ApiError(403, 'access.denied', 'error.access.denied');

/** Handles `DELETE /messages?message_id=`. */
export const deleteMessage = async (posting: PostingContext, { query, id }: StandInCall): Promise<object> => {
  const mid = readId(query.get('message_id'));
  const chat = findChatOf(posting, mid);
  if (!chat.mayDelete) throw denied();
  await posting.changes.delete({ channel: chat.id, message_id: mid, call_id: id });
  return { success: true };
};

/**
 * Handles `PUT /messages?message_id=`. Without `attachments`, the message keeps its own. What becomes of a text that is
 * left out is not known, so it is wanted here.
 */
export const editMessage = async (
  posting: PostingContext,
  { query, fields, headers, id }: StandInCall,
): Promise<object> => {
  const mid = readId(query.get('message_id'));
  checkBody(headers, fields);
  const { chat, message } = await findMessage(posting, mid);
  if (!chat.mayEdit) throw denied();
  if (message.text !== '' && typeof fields['text'] !== 'string') throw badPayload('text: expected a string');
  const content = readContent(posting, fields, message);
  posting.limits.countCall('chat_per_second', chat.id, Date.now());
  await posting.changes.edit({ channel: chat.id, message_id: mid, call_id: id }, content);
  return { success: true };
};

/** Handles `PUT /chats/{chatId}/pin`: a chat has one pinned message. */
export const pinMessage = async (
  posting: PostingContext,
  chatId: string,
  { fields, id }: StandInCall,
): Promise<object> => {
  const { message_id, notify, ...unknown } = fields;
  if (Object.keys(unknown).length > 0) throw badPayload(`${Object.keys(unknown)[0]}: unknown field`);
  if (notify !== undefined && typeof notify !== 'boolean') throw badPayload('notify: expected a boolean');
  const mid = readId(typeof message_id === 'string' ? message_id : null);
  const chat = findChatOf(posting, mid);
  if (chat !== posting.chats.getForBot(chatId)) throw notFound(mid);
  if (!chat.mayPin) throw denied();
  await posting.changes.pin({ channel: chat.id, message_id: mid, call_id: id }, true);
  return { success: true };
};

const readId = (value: string | null): string => {
  if (value === null || value === '') throw badPayload('message_id: expected a value');
  return value;
};
