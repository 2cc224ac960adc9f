import type { ErrorRow } from '../error-table.js';

/**
 * Telegram's refusals of a change (networks.md §10). They come before {@link TELEGRAM_ERRORS}, because they say
 * nothing about posts (D-71).
 */
export const TELEGRAM_CHANGE_ERRORS: readonly ErrorRow[] = [
  {
    words: ['message to delete not found'],
    class: 'refused',
    code: 'not_there',
    advice: {
      en: 'Telegram does not know the message: it has been deleted, or another bot sent it.',
      ru: 'Telegram не знает этого сообщения: оно уже удалено или его отправил другой бот.',
    },
  },
  {
    words: ["message can't be deleted", 'MESSAGE_DELETE_FORBIDDEN', 'CHAT_ADMIN_REQUIRED'],
    class: 'refused',
    code: 'no_right_to_delete',
    advice: {
      en: 'The bot may not delete the message: give it the right to delete messages and take the post back again, or delete it by hand in Telegram.',
      ru: 'Бот не может удалить сообщение: дайте ему право удалять сообщения и отзовите пост ещё раз или удалите сообщение в Telegram вручную.',
    },
  },
];
