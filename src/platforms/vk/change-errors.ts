import type { Advice, ErrorRow } from '../outcomes.js';
import { VK_MESSAGES } from './messages.js';

/** A change, in the words of its refusals. */
interface Change {
  readonly code: 'no_right_to_delete' | 'no_right_to_edit' | 'no_right_to_pin';
  readonly verb: Advice;
  /** What to do once the obstacle is gone, or instead. */
  readonly remedy: Advice;
}

const DELETE: Change = {
  code: 'no_right_to_delete',
  verb: { en: 'delete', ru: 'удалять' },
  remedy: { en: VK_MESSAGES.thenDelete, ru: 'отзовите пост ещё раз или удалите запись в VK вручную' },
};
const EDIT: Change = {
  code: 'no_right_to_edit',
  verb: { en: 'edit', ru: 'изменять' },
  remedy: { en: VK_MESSAGES.thenEdit, ru: 'отправьте содержимое ещё раз или исправьте запись в VK вручную' },
};
const PIN: Change = {
  code: 'no_right_to_pin',
  verb: { en: 'pin', ru: 'закреплять' },
  remedy: { en: VK_MESSAGES.thenPin, ru: 'закрепите эту запись в VK вручную' },
};

const rowsOf = ({ code, verb, remedy: { en, ru } }: Change): readonly ErrorRow[] => [
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
      en: `VK lets only users ${verb.en} posts: set the token of an editor of the community as upload_token and ${en}.`,
      ru: `В VK ${verb.ru} записи могут только пользователи: укажите токен редактора сообщества в upload_token и ${ru}.`,
    },
  },
  {
    codes: [15],
    subcode: 1133,
    class: 'refused',
    code,
    advice: {
      en: `The token lacks the right "wall": issue one with it and ${en}.`,
      ru: `У токена нет права wall: выпустите токен с ним и ${ru}.`,
    },
  },
  {
    codes: [7, 15, 210],
    class: 'refused',
    code,
    advice: {
      en: `The account behind the token may not ${verb.en} the post: make it an editor of the community and ${en}.`,
      ru: `Аккаунт, выпустивший токен, не может ${verb.ru} эту запись: сделайте его редактором сообщества и ${ru}.`,
    },
  },
  {
    codes: [703],
    class: 'refused',
    code,
    advice: {
      en: `VK requires two-factor sign-in for this: enable it for the account behind the token and ${en}.`,
      ru: `VK требует для этого двухфакторный вход: включите его для аккаунта, выпустившего токен, и ${ru}.`,
    },
  },
  {
    codes: [100],
    class: 'refused',
    code: 'refused',
    advice: {
      en: `VK refuses to ${verb.en} the post: do it by hand on VK.`,
      ru: `VK отказывается ${verb.ru} запись: сделайте это в VK вручную.`,
    },
  },
];

/**
 * VK's refusals of a deletion (networks.md §10). They come before {@link VK_ERRORS}, because they say nothing about
 * posts (D-71).
 */
export const VK_CHANGE_ERRORS = rowsOf(DELETE);

/** VK's refusals of an edit. */
export const VK_EDIT_ERRORS: readonly ErrorRow[] = [
  {
    codes: [15],
    words: ['edit time expired'],
    class: 'refused',
    code: 'no_right_to_edit',
    advice: {
      en: 'VK does not let the post be edited any more: take it back and send a new one.',
      ru: 'VK больше не даёт изменить запись: отзовите пост и отправьте новый.',
    },
  },
  ...rowsOf(EDIT),
];

/** VK's refusals of a pin. */
export const VK_PIN_ERRORS = rowsOf(PIN);
