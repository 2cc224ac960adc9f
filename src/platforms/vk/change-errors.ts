import type { ErrorRow } from '../error-table.js';

/**
 * VK's refusals of a change (networks.md §10). They come before {@link VK_ERRORS}, because they say nothing about
 * posts (D-71).
 */
export const VK_CHANGE_ERRORS: readonly ErrorRow[] = [
  {
    codes: [104],
    class: 'refused',
    code: 'not_there',
    advice: { en: 'VK does not know the post: it has been deleted.', ru: 'VK не знает этой записи: она уже удалена.' },
  },
  {
    codes: [27],
    words: ['revoke access'],
    class: 'credentials',
    code: 'unauthorized',
    advice: {
      en: 'VK does not accept the access token: issue a new one.',
      ru: 'VK не принимает токен доступа: выпустите новый.',
    },
  },
  {
    codes: [20, 27, 28, 1051],
    class: 'refused',
    code: 'user_token_needed',
    advice: {
      en: 'VK lets only users delete posts: set the token of an editor of the community as upload_token and take the post back again, or delete it by hand on VK.',
      ru: 'Удалять записи в VK могут только пользователи: укажите токен редактора сообщества в upload_token и отзовите пост ещё раз или удалите запись в VK вручную.',
    },
  },
  {
    codes: [15],
    subcode: 1133,
    class: 'refused',
    code: 'no_right_to_delete',
    advice: {
      en: 'The token lacks the right "wall": issue one with it and take the post back again, or delete the post by hand on VK.',
      ru: 'У токена нет права wall: выпустите токен с ним и отзовите пост ещё раз или удалите запись в VK вручную.',
    },
  },
  {
    codes: [7, 15, 210],
    class: 'refused',
    code: 'no_right_to_delete',
    advice: {
      en: 'The account behind the token may not delete the post: make it an editor of the community and take the post back again, or delete it by hand on VK.',
      ru: 'Аккаунт, выпустивший токен, не может удалить запись: сделайте его редактором сообщества и отзовите пост ещё раз или удалите запись в VK вручную.',
    },
  },
  {
    codes: [703],
    class: 'refused',
    code: 'no_right_to_delete',
    advice: {
      en: 'VK requires two-factor sign-in for this: enable it for the account behind the token and take the post back again, or delete it by hand on VK.',
      ru: 'VK требует для этого двухфакторный вход: включите его для аккаунта, выпустившего токен, и отзовите пост ещё раз или удалите запись в VK вручную.',
    },
  },
  {
    codes: [100],
    class: 'refused',
    code: 'refused',
    advice: {
      en: 'VK refuses to delete the post: delete it by hand on VK.',
      ru: 'VK не удаляет запись: удалите её в VK вручную.',
    },
  },
];
