import type { Advice, ErrorRow } from '../outcomes.js';

const NOT_THERE: Advice = {
  en: 'Telegram does not know the message: it has been deleted, or another bot sent it.',
  ru: 'Telegram не знает этого сообщения: оно уже удалено или его отправил другой бот.',
};

/**
 * Telegram's refusals of a deletion (networks.md §10). They come before {@link TELEGRAM_ERRORS}, because they say
 * nothing about posts (D-71).
 */
export const TELEGRAM_CHANGE_ERRORS: readonly ErrorRow[] = [
  {
    words: ['message to delete not found'],
    class: 'refused',
    code: 'not_there',
    advice: NOT_THERE,
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

/** Telegram's refusals of an edit. */
export const TELEGRAM_EDIT_ERRORS: readonly ErrorRow[] = [
  {
    words: ['message is not modified', 'MESSAGE_NOT_MODIFIED'],
    class: 'refused',
    code: 'not_modified',
    advice: { en: 'The message shows this content already.', ru: 'Сообщение уже показывает это содержимое.' },
  },
  {
    words: ['message to edit not found', 'MESSAGE_ID_INVALID'],
    class: 'refused',
    code: 'not_there',
    advice: NOT_THERE,
  },
  {
    words: [
      "message can't be edited",
      'MESSAGE_AUTHOR_REQUIRED',
      'MESSAGE_EDIT_TIME_EXPIRED',
      'CHAT_ADMIN_REQUIRED',
      'have no rights to edit',
    ],
    class: 'refused',
    code: 'no_right_to_edit',
    advice: {
      en: 'Telegram does not let the bot edit the message: give it the right to post messages and send the content again, or correct the message by hand in Telegram.',
      ru: 'Telegram не даёт боту изменить сообщение: дайте ему право публиковать сообщения и отправьте содержимое ещё раз или исправьте сообщение в Telegram вручную.',
    },
  },
];

/** Telegram's refusals of a pin. */
export const TELEGRAM_PIN_ERRORS: readonly ErrorRow[] = [
  {
    words: ['CHAT_NOT_MODIFIED'],
    class: 'refused',
    code: 'not_modified',
    advice: { en: 'The message is pinned already.', ru: 'Сообщение уже закреплено.' },
  },
  {
    words: ['message to pin not found', 'MESSAGE_ID_INVALID'],
    class: 'refused',
    code: 'not_there',
    advice: NOT_THERE,
  },
  {
    words: [
      'not enough rights to manage pinned messages',
      'not enough rights to pin',
      "message can't be pinned",
      'CHAT_ADMIN_REQUIRED',
    ],
    class: 'refused',
    code: 'no_right_to_pin',
    advice: {
      en: 'The bot may not pin messages: give it that right, in a channel the right to edit messages, and pin this one by hand in Telegram.',
      ru: 'Бот не может закреплять сообщения: дайте ему это право, в канале — право изменять сообщения, а это закрепите в Telegram вручную.',
    },
  },
];
