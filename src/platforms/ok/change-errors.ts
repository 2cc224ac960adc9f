import type { ErrorRow } from '../error-table.js';

/**
 * OK's refusals of a change (networks.md §10). They come before {@link OK_ERRORS}, because they say nothing about
 * posts (D-71).
 */
export const OK_CHANGE_ERRORS: readonly ErrorRow[] = [
  {
    codes: [10, 50, 200],
    class: 'refused',
    code: 'no_right_to_delete',
    advice: {
      en: 'The account behind the token may not delete the topic: make it a moderator of the group, with a token that has GROUP_CONTENT, and take the post back again, or delete it by hand on OK.',
      ru: 'Аккаунт, выпустивший токен, не может удалить тему: сделайте его модератором группы, с токеном с правом GROUP_CONTENT, и отзовите пост ещё раз или удалите тему в OK вручную.',
    },
  },
];
