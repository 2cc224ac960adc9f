import type { ErrorRow } from '../error-table.js';

/**
 * MAX's refusals of a change (networks.md §10). They come before {@link MAX_ERRORS}, because they say nothing about
 * posts (D-71).
 */
export const MAX_CHANGE_ERRORS: readonly ErrorRow[] = [
  {
    codes: ['message.not.found'],
    class: 'refused',
    code: 'not_there',
    advice: {
      en: 'MAX does not know the message: it has been deleted.',
      ru: 'MAX не знает этого сообщения: оно уже удалено.',
    },
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
