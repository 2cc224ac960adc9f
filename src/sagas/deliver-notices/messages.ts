import { message } from '../../kernel/message.js';

/** Messages that combine several notices of one kind, in English. */
export const NOTICE_GROUP_EN = {
  several: message('{count} notices of the same type:'),
  more: message('… and {count} more: the list of posts and the API show them all.'),
};

/** Messages that combine several notices of one kind, in Russian. */
export const NOTICE_GROUP_RU: typeof NOTICE_GROUP_EN = {
  several: message('Уведомлений одного вида: {count}.'),
  more: message('… и ещё {count}: все видны в списке постов и через API.'),
};
