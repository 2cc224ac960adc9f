import type { Advice, ErrorRow } from '../outcomes.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const NEW_TOKEN: Advice = {
  en: 'VK does not accept the access token: issue a new one.',
  ru: 'VK не принимает токен доступа: выпустите новый.',
};
const TOO_FREQUENT: Advice = {
  en: 'VK delays posts that are too frequent or too similar.',
  ru: 'VK задерживает слишком частые или слишком похожие записи.',
};
const LOG_IN: Advice = {
  en: 'VK requires the account to be confirmed: sign in to it and confirm what VK asks for.',
  ru: 'VK просит подтвердить аккаунт: войдите в него и подтвердите то, о чём просит VK.',
};
const CAPTCHA: Advice = {
  en: 'VK requires a captcha: sign in to the account and solve it.',
  ru: 'VK требует ввести капчу: войдите в аккаунт и введите её.',
};
const UPLOAD: Advice = {
  en: 'VK did not accept the upload: the gateway uploads the file again.',
  ru: 'VK не приняла загрузку: шлюз загрузит файл ещё раз.',
};
const CALL_WRONG: Advice = {
  en: "VK does not accept the gateway's request: look at VK_API_URL and the gateway's version.",
  ru: 'VK не принимает запрос шлюза: проверьте VK_API_URL и версию шлюза.',
};
const FAILED: Advice = { en: 'VK failed with an internal error.', ru: 'Внутренняя ошибка VK.' };

/** VK's errors (network-errors.md). Codes and names: VK's schema, `errors.json`. */
export const VK_ERRORS: readonly ErrorRow[] = [
  {
    codes: [6],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: SECOND, longestMs: 30 * SECOND },
    advice: { en: 'VK requires fewer calls per second.', ru: 'VK требует делать меньше вызовов в секунду.' },
  },
  {
    codes: [9, 601, 1105],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: 5 * MINUTE, longestMs: 4 * HOUR },
    advice: TOO_FREQUENT,
  },
  {
    codes: [29],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: 15 * MINUTE, longestMs: 4 * HOUR },
    advice: { en: "One of VK's daily limits is used up.", ru: 'Исчерпан один из суточных лимитов VK.' },
  },
  {
    codes: [32, 43],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: MINUTE, longestMs: HOUR },
    advice: { en: 'This part of VK is temporarily out of service.', ru: 'Этот раздел VK временно недоступен.' },
  },
  {
    codes: [214],
    words: ['only add * posts a day', 'only add * posts per day', 'only add * post a day'],
    class: 'retry',
    code: 'daily_limit',
    wait: { firstMs: 24 * HOUR, longestMs: 24 * HOUR },
    advice: {
      en: 'VK accepts no more posts on this wall today.',
      ru: 'Сегодня VK больше не принимает записи на эту стену.',
    },
  },
  {
    codes: [214],
    words: ['too many messages sent'],
    class: 'retry',
    code: 'slow_down',
    wait: { firstMs: 5 * MINUTE, longestMs: 4 * HOUR },
    advice: TOO_FREQUENT,
  },
  { codes: [5, 1114, 1116, 1117, 1118, 3609], class: 'credentials', code: 'unauthorized', advice: NEW_TOKEN },
  {
    codes: [15],
    subcode: 1133,
    class: 'credentials',
    code: 'not_permitted',
    advice: {
      en: 'The token lacks a right: issue one with the rights wall, photos and video.',
      ru: 'У токена нет нужного права: выпустите токен с правами wall, photos и video.',
    },
  },
  {
    codes: [15],
    subcode: 1134,
    class: 'credentials',
    code: 'wrong_kind_of_token',
    advice: {
      en: 'This type of token cannot do this: issue a community token, or a user token from a standalone app.',
      ru: 'Токен этого вида не подходит: выпустите токен сообщества или токен пользователя из Standalone-приложения.',
    },
  },
  {
    codes: [20, 21, 23],
    class: 'credentials',
    code: 'wrong_kind_of_token',
    advice: {
      en: 'This type of token cannot do this: issue a community token, or a user token from a standalone app.',
      ru: 'Токен этого вида не подходит: выпустите токен сообщества или токен пользователя из Standalone-приложения.',
    },
  },
  { codes: [27], words: ['revoke access'], class: 'credentials', code: 'unauthorized', advice: NEW_TOKEN },
  {
    codes: [27],
    class: 'credentials',
    code: 'wrong_kind_of_token',
    advice: {
      en: "A community's token cannot do this: set a user's token as upload_token.",
      ru: 'Токен сообщества не подходит: укажите токен пользователя в upload_token.',
    },
  },
  {
    codes: [28],
    class: 'credentials',
    code: 'wrong_kind_of_token',
    advice: {
      en: "An application's token cannot do this: issue a user's token or the community's.",
      ru: 'Токен приложения не подходит: выпустите токен пользователя или сообщества.',
    },
  },
  {
    codes: [1051],
    class: 'credentials',
    code: 'wrong_kind_of_token',
    advice: {
      en: "A VK ID token (vk2.a.…) cannot do this: issue a community's token or an older type of token.",
      ru: 'Токен VK ID (vk2.a.…) не подходит: выпустите токен сообщества или токен старого вида.',
    },
  },
  {
    codes: [2, 38, 101],
    class: 'credentials',
    code: 'unknown_application',
    advice: {
      en: 'VK has disabled or does not know the application of the token: check it on VK, or issue a token from another one.',
      ru: 'Приложение, выпустившее токен, отключено или неизвестно VK: проверьте его или выпустите токен из другого.',
    },
  },
  { codes: [14, 3300], class: 'credentials', code: 'captcha_needed', advice: CAPTCHA },
  {
    codes: [17, 24, 25, 41, 146, 704, 3301, 3302, 3303, 3304, 11500],
    class: 'credentials',
    code: 'validation_needed',
    advice: LOG_IN,
  },
  {
    codes: [16],
    class: 'credentials',
    code: 'https_required',
    advice: {
      en: 'VK accepts calls with this token over HTTPS only: check VK_API_URL.',
      ru: 'С этим токеном VK принимает вызовы только по HTTPS: проверьте VK_API_URL.',
    },
  },
  {
    codes: [42],
    class: 'credentials',
    code: 'address_not_allowed',
    advice: {
      en: "The token or its application does not allow the gateway's address: allow it on VK, or issue a new token.",
      ru: 'Токен или его приложение не допускает адрес шлюза: разрешите его в VK или выпустите новый токен.',
    },
  },
  {
    codes: [18, 37, 39, 3610, 3611],
    class: 'credentials',
    code: 'account_gone',
    advice: {
      en: 'The account behind the token was deleted, banned or deactivated: use a token of another account.',
      ru: 'Аккаунт, выпустивший токен, удалён, заблокирован или отключён: используйте токен другого аккаунта.',
    },
  },
  {
    codes: [7],
    class: 'channel',
    code: 'not_permitted',
    advice: {
      en: "The token may not do this in the community: use an editor's token or the community's own.",
      ru: 'Этому токену такое действие в сообществе не разрешено: используйте токен редактора или самого сообщества.',
    },
  },
  {
    codes: [15],
    class: 'channel',
    code: 'access_denied',
    advice: {
      en: "The token may not post in this community: use an editor's token or the community's own.",
      ru: 'Этот токен не может публиковать в сообществе: используйте токен редактора или самого сообщества.',
    },
  },
  {
    codes: [40, 203],
    class: 'channel',
    code: 'group_access_denied',
    advice: {
      en: "The community is closed to the account behind the token: use an editor's token or the community's own.",
      ru: 'Сообщество закрыто для аккаунта, выпустившего токен: используйте токен редактора или самого сообщества.',
    },
  },
  {
    codes: [125],
    class: 'channel',
    code: 'chat_not_found',
    advice: {
      en: 'VK does not know this community: check group_id, its number without a minus sign.',
      ru: 'VK не знает такого сообщества: проверьте group_id — его номер без минуса.',
    },
  },
  {
    codes: [100],
    words: ['owner_id', 'group_id'],
    class: 'channel',
    code: 'chat_not_found',
    advice: {
      en: 'VK does not know this community: check group_id, its number without a minus sign.',
      ru: 'VK не знает такого сообщества: проверьте group_id — его номер без минуса.',
    },
  },
  {
    codes: [214],
    words: ['no access', 'no right', 'not allowed', 'closed', 'disabled', 'banned', 'blacklist', 'permission'],
    class: 'channel',
    code: 'posting_denied',
    advice: {
      en: "The token may not write on this wall: open the wall, or use an editor's token.",
      ru: 'Этот токен не может писать на стене: откройте стену или используйте токен редактора.',
    },
  },
  {
    codes: [13000],
    class: 'channel',
    code: 'uploads_denied',
    advice: {
      en: 'VK denies uploads because of strikes against the community: see its notifications on VK.',
      ru: 'VK запретила загрузки из-за нарушений в сообществе: посмотрите его уведомления в VK.',
    },
  },
  { codes: [22, 105, 114, 118, 121, 122, 129], class: 'upload', code: 'upload_failed', advice: UPLOAD },
  {
    codes: [200, 204, 300, 1150, 1153],
    class: 'media',
    code: 'media_refused',
    advice: {
      en: "VK does not accept the file: the album is full, or the token's account has no access to it.",
      ru: 'VK не принимает файл: альбом заполнен или у аккаунта, выпустившего токен, нет к нему доступа.',
    },
  },
  {
    codes: [222],
    class: 'refused',
    code: 'links_forbidden',
    advice: { en: 'VK does not accept a post with this link.', ru: 'VK не принимает запись с этой ссылкой.' },
  },
  {
    codes: [214],
    class: 'refused',
    code: 'posting_denied',
    advice: {
      en: 'VK currently does not accept this post on this wall.',
      ru: 'Сейчас VK не принимает эту запись на стену.',
    },
  },
  {
    codes: [8, 100, 103, 220, 225],
    class: 'refused',
    code: 'bad_parameter',
    advice: { en: 'VK refuses part of the post.', ru: 'VK не принимает часть записи.' },
  },
  {
    codes: [219],
    class: 'refused',
    code: 'advertisement_too_soon',
    advice: {
      en: 'Another advertisement was posted here recently.',
      ru: 'Здесь недавно уже публиковали рекламу.',
    },
  },
  {
    codes: [224],
    class: 'refused',
    code: 'too_many_advertisements',
    advice: {
      en: 'VK accepts no more advertisements here today.',
      ru: 'Сегодня VK больше не принимает здесь рекламу.',
    },
  },
  { codes: [3, 4, 11, 13, 113, 150, 9999], class: 'program', code: 'bad_call', advice: CALL_WRONG },
  { codes: [1, 10, 36], class: 'doubt', code: 'server_error', advice: FAILED },
];
