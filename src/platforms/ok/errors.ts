import type { Advice, ErrorRow } from '../outcomes.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const NEW_TOKEN: Advice = {
  en: 'OK does not accept the access token: issue a new one.',
  ru: 'OK не принимает токен доступа: выпустите новый.',
};
const RIGHT_MISSING: Advice = {
  en: 'The token lacks a right: issue one with GROUP_CONTENT, PHOTO_CONTENT and VIDEO_CONTENT.',
  ru: 'У токена нет нужного права: выпустите токен с GROUP_CONTENT, PHOTO_CONTENT и VIDEO_CONTENT.',
};
const GROUP_NOT_FOUND: Advice = {
  en: 'OK does not know this group: check group_id.',
  ru: 'OK не знает такой группы: проверьте group_id.',
};
const APPLICATION: Advice = {
  en: 'The application may not do this: check its settings on OK.',
  ru: 'Приложению это не разрешено: проверьте его настройки в OK.',
};
const PRIVACY: Advice = {
  en: 'Privacy settings on OK forbid this post: change them, or use a token of another account.',
  ru: 'Настройки приватности в OK запрещают эту публикацию: измените их или используйте токен другого аккаунта.',
};

/** OK's errors (network-errors.md). Codes and names: apiok.ru, error codes. */
export const OK_ERRORS: readonly ErrorRow[] = [
  {
    codes: [2, 31],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: 5 * SECOND, longestMs: 10 * MINUTE },
    advice: { en: 'OK is temporarily out of service.', ru: 'OK временно недоступен.' },
  },
  {
    codes: [8],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: 5 * MINUTE, longestMs: HOUR },
    advice: { en: 'OK delays posts that are too frequent.', ru: 'OK задерживает слишком частые записи.' },
  },
  {
    codes: [11],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: MINUTE, longestMs: HOUR },
    advice: { en: "One of OK's limits is used up.", ru: 'Исчерпан один из лимитов OK.' },
  },
  {
    codes: [7],
    class: 'retry',
    code: 'action_blocked',
    wait: { firstMs: HOUR, longestMs: 4 * HOUR },
    advice: {
      en: 'OK has temporarily blocked this action for the account behind the token.',
      ru: 'OK временно запретил это действие аккаунту, выпустившему токен.',
    },
  },
  {
    codes: [9],
    class: 'channel',
    code: 'address_blocked',
    advice: {
      en: "OK has blocked the gateway's address: ask OK's support to unblock it.",
      ru: 'OK заблокировал адрес шлюза: попросите поддержку OK снять блокировку.',
    },
  },
  { codes: [10, 200], class: 'credentials', code: 'not_permitted', advice: RIGHT_MISSING },
  {
    codes: [22, 23],
    class: 'credentials',
    code: 'account_not_activated',
    advice: {
      en: 'The account behind the token must activate its profile, or start the application on OK.',
      ru: 'Аккаунту, выпустившему токен, нужно активировать профиль или запустить приложение в OK.',
    },
  },
  {
    codes: [101],
    class: 'credentials',
    code: 'unknown_application',
    advice: {
      en: 'OK does not know an application with this key: check application_key.',
      ru: 'OK не знает приложения с таким ключом: проверьте application_key.',
    },
  },
  {
    codes: [104],
    class: 'credentials',
    code: 'bad_signature',
    advice: {
      en: "The application's secret does not belong to its key or token: set the credentials again.",
      ru: 'Секрет приложения не подходит к его ключу или токену: введите реквизиты заново.',
    },
  },
  {
    codes: [102],
    class: 'credentials',
    code: 'token_expired',
    advice: {
      en: 'The access token has expired: issue a new one.',
      ru: 'Срок токена доступа истёк: выпустите новый.',
    },
  },
  { codes: [103, 453, 457], class: 'credentials', code: 'unauthorized', advice: NEW_TOKEN },
  { codes: [210, 900, 1300, 1301, 1302], class: 'credentials', code: 'application_blocked', advice: APPLICATION },
  {
    codes: [100],
    words: ['Selected platform is not allowed for this application'],
    class: 'credentials',
    code: 'application_blocked',
    advice: APPLICATION,
  },
  {
    codes: [401, 402, 403, 514],
    class: 'credentials',
    code: 'validation_needed',
    advice: {
      en: 'OK wants to verify the account behind the token: sign in to it and pass the check.',
      ru: 'OK хочет проверить аккаунт, выпустивший токен: войдите в него и пройдите проверку.',
    },
  },
  {
    codes: [50],
    class: 'channel',
    code: 'access_denied',
    advice: {
      en: 'The account behind the token may not post in this group: make it a moderator.',
      ru: 'Аккаунт, выпустивший токен, не может публиковать в этой группе: сделайте его модератором.',
    },
  },
  {
    codes: [456],
    class: 'channel',
    code: 'group_restricted',
    advice: {
      en: "The group's settings forbid this post: change them on OK.",
      ru: 'Настройки группы запрещают эту публикацию: измените их в OK.',
    },
  },
  { codes: [455, 458], class: 'channel', code: 'privacy_restricted', advice: PRIVACY },
  { codes: [160], class: 'channel', code: 'chat_not_found', advice: GROUP_NOT_FOUND },
  {
    codes: [100, 300],
    words: ['PARAM_GROUP_ID', 'gid', 'group'],
    class: 'channel',
    code: 'chat_not_found',
    advice: GROUP_NOT_FOUND,
  },
  {
    codes: [21, 324, 505],
    class: 'upload',
    code: 'upload_failed',
    advice: {
      en: 'OK did not accept the upload: the gateway uploads the file again.',
      ru: 'OK не принял загрузку: шлюз загрузит файл ещё раз.',
    },
  },
  {
    codes: [500, 501, 502, 503, 504],
    class: 'media',
    code: 'media_refused',
    advice: { en: "OK refuses one of the post's photos.", ru: 'OK не принимает одно из фото.' },
  },
  {
    codes: [100],
    words: ['FileToSmall', 'FileToLarge', 'BadFormat', 'DvdMenu'],
    class: 'media',
    code: 'media_refused',
    advice: { en: "OK refuses one of the post's videos.", ru: 'OK не принимает одно из видео.' },
  },
  {
    codes: [120, 121, 512, 513],
    class: 'media',
    code: 'media_refused',
    advice: {
      en: 'OK does not find the uploaded photo or its album.',
      ru: 'OK не находит загруженное фото или его альбом.',
    },
  },
  {
    codes: [511],
    class: 'refused',
    code: 'spam_suspected',
    advice: {
      en: "OK's spam filter stopped the post: change its text or links.",
      ru: 'Запись остановил спам-фильтр OK: измените текст или ссылки.',
    },
  },
  {
    codes: [454],
    class: 'refused',
    code: 'text_refused',
    advice: { en: 'OK refuses the wording of the post.', ru: 'OK не принимает текст записи.' },
  },
  {
    codes: [600],
    class: 'refused',
    code: 'too_many_blocks',
    advice: { en: 'The post has too many parts for OK.', ru: 'В записи слишком много частей для OK.' },
  },
  {
    codes: [601, 30],
    class: 'refused',
    code: 'too_long',
    advice: {
      en: "The post is too long for OK: lower text_limit in the channel's settings.",
      ru: 'Запись слишком длинна для OK: уменьшите text_limit в настройках канала.',
    },
  },
  {
    codes: [607],
    class: 'refused',
    code: 'bad_link',
    advice: { en: 'OK refuses a link in the post.', ru: 'OK не принимает ссылку в записи.' },
  },
  {
    codes: [4, 24, 100, 300],
    class: 'refused',
    code: 'bad_parameter',
    advice: { en: 'OK refuses part of the post.', ru: 'OK не принимает часть записи.' },
  },
  {
    codes: [3, 12, 105, 110, 220, 451, 5000],
    class: 'program',
    code: 'bad_call',
    advice: {
      en: "OK does not accept the gateway's request: look at OK_API_URL and the gateway's version.",
      ru: 'OK не принимает запрос шлюза: проверьте OK_API_URL и версию шлюза.',
    },
  },
  {
    codes: [1, 9999],
    class: 'doubt',
    code: 'server_error',
    advice: { en: 'OK failed with an internal error.', ru: 'Внутренняя ошибка OK.' },
  },
];

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
