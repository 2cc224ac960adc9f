import type { Advice, ErrorRow } from '../error-table.js';

const NOT_THERE: Advice = {
  en: 'MAX does not know the message: it has been deleted.',
  ru: 'MAX не знает этого сообщения: оно уже удалено.',
};

/**
 * MAX's refusals of a deletion (networks.md §10). They come before {@link MAX_ERRORS}, because they say nothing about
 * posts (D-71).
 */
export const MAX_CHANGE_ERRORS: readonly ErrorRow[] = [
  {
    codes: ['message.not.found'],
    class: 'refused',
    code: 'not_there',
    advice: NOT_THERE,
  },
  {
    codes: ['access.denied'],
    class: 'refused',
    code: 'no_right_to_delete',
    advice: {
      en: 'The bot may not delete the message: give it the right to delete messages and take the post back again, or delete it by hand in MAX.',
      ru: 'Бот не может удалить сообщение: дайте ему право удалять сообщения и отзовите пост ещё раз или удалите сообщение в MAX вручную.',
    },
  },
];

/** MAX's refusals of an edit. */
export const MAX_EDIT_ERRORS: readonly ErrorRow[] = [
  {
    codes: ['message.not.found'],
    class: 'refused',
    code: 'not_there',
    advice: NOT_THERE,
  },
  {
    codes: ['access.denied'],
    class: 'refused',
    code: 'no_right_to_edit',
    advice: {
      en: 'The bot may not edit the message: give it the right to edit messages and send the content again, or correct the message by hand in MAX.',
      ru: 'Бот не может изменить сообщение: дайте ему право изменять сообщения и отправьте содержимое ещё раз или исправьте сообщение в MAX вручную.',
    },
  },
];

/** MAX's refusals of a pin. */
export const MAX_PIN_ERRORS: readonly ErrorRow[] = [
  {
    codes: ['message.not.found'],
    class: 'refused',
    code: 'not_there',
    advice: NOT_THERE,
  },
  {
    codes: [403, 'access.denied'],
    class: 'refused',
    code: 'no_right_to_pin',
    advice: {
      en: 'The bot may not pin messages: give it that right, and pin this one by hand in MAX.',
      ru: 'Бот не может закреплять сообщения: дайте ему это право, а это сообщение закрепите в MAX вручную.',
    },
  },
];
