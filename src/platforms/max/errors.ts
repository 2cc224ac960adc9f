import type { Advice, ErrorRow } from '../outcomes.js';

/**
 * MAX's errors (network-errors.md), by status, code and reason; for attachments, only the message has the reason. Sources:
 * MAX's OpenAPI document and the official clients.
 */
export const MAX_ERRORS: readonly ErrorRow[] = [
  {
    codes: ['attachment.not.ready'],
    class: 'retry',
    code: 'attachment_not_ready',
    wait: { firstMs: 1_000, longestMs: 120_000 },
    advice: { en: 'MAX is still processing the upload.', ru: 'MAX ещё обрабатывает загрузку.' },
  },
  {
    words: ['errors.process.attachment.file.not.processed'],
    class: 'retry',
    code: 'attachment_not_ready',
    wait: { firstMs: 1_000, longestMs: 120_000 },
    advice: { en: 'MAX is still processing the upload.', ru: 'MAX ещё обрабатывает загрузку.' },
  },
  {
    codes: [429, 'too.many.requests'],
    class: 'retry',
    code: 'too_many_requests',
    advice: { en: 'MAX asks the gateway to slow down.', ru: 'MAX просит шлюз отправлять реже.' },
  },
  {
    codes: [401, 'verify.token'],
    class: 'credentials',
    code: 'unauthorized',
    advice: {
      en: 'MAX does not accept the bot token: set the current one.',
      ru: 'MAX не принимает токен бота: укажите действующий.',
    },
  },
  {
    words: ['error.dialog.suspended'],
    class: 'channel',
    code: 'bot_suspended',
    advice: {
      en: 'The bot is suspended or not yet approved, or the user has blocked it: check the bot in MAX.',
      ru: 'Бот приостановлен, ещё не одобрен или заблокирован пользователем: проверьте бота в MAX.',
    },
  },
  {
    codes: ['chat.not.found'],
    class: 'channel',
    code: 'chat_not_found',
    advice: {
      en: 'MAX does not know this chat, or the bot is not in it: check chat_id, and add the bot to the chat.',
      ru: 'MAX не знает этого чата, или бота в нём нет: проверьте chat_id и добавьте бота в чат.',
    },
  },
  {
    codes: ['not.found'],
    words: ['chat'],
    class: 'channel',
    code: 'chat_not_found',
    advice: {
      en: 'MAX does not know this chat, or the bot is not in it: check chat_id, and add the bot to the chat.',
      ru: 'MAX не знает этого чата, или бота в нём нет: проверьте chat_id и добавьте бота в чат.',
    },
  },
  {
    codes: [403, 'chat.denied'],
    class: 'channel',
    code: 'forbidden',
    advice: {
      en: 'The bot may not post there: make it an administrator of the channel with the right to post.',
      ru: 'Бот не может там публиковать: сделайте его администратором канала с правом писать.',
    },
  },
  {
    codes: [413],
    class: 'media',
    code: 'media_too_large',
    advice: {
      en: 'The post is too large for MAX: send fewer or smaller media.',
      ru: 'Пост слишком велик для MAX: отправьте меньше медиа или файлы поменьше.',
    },
  },
  {
    words: ['errors.process.attachment.movie.not.owner'],
    class: 'media',
    code: 'media_refused',
    advice: {
      en: 'MAX does not accept the video as the bot’s own upload.',
      ru: 'MAX не считает видео загруженным этим ботом.',
    },
  },
  {
    words: [
      'errors.process.attachment.',
      'Missing `token`',
      'No `photos`, `url` or `token` provided',
      'File extension is forbidden',
    ],
    class: 'media',
    code: 'media_refused',
    advice: { en: 'MAX refuses a medium of the post.', ru: 'MAX не принимает одно из медиа.' },
  },
  {
    words: ['channel-notify'],
    class: 'refused',
    code: 'bad_request',
    advice: {
      en: 'A channel on MAX does not accept messages without a notification.',
      ru: 'Канал в MAX не принимает сообщения без уведомления.',
    },
  },
  {
    words: ['button', 'keyboard'],
    codes: ['proto.payload'],
    class: 'refused',
    code: 'bad_button',
    advice: { en: 'MAX refuses a button of the post.', ru: 'MAX не принимает кнопку.' },
  },
  {
    codes: ['proto.payload'],
    class: 'refused',
    code: 'bad_request',
    advice: { en: 'MAX refuses the post.', ru: 'MAX не принимает пост.' },
  },
  {
    words: ['errors.send-message.'],
    class: 'refused',
    code: 'bad_request',
    advice: { en: 'MAX refuses the post.', ru: 'MAX не принимает пост.' },
  },
  {
    codes: ['not.found', 404, 405],
    class: 'program',
    code: 'method_not_found',
    advice: {
      en: 'The server at this address does not know this call: check MAX_API_URL.',
      ru: 'Сервер по этому адресу не знает такого вызова: проверьте MAX_API_URL.',
    },
  },
  {
    codes: [500, 502, 503, 504, 'internal', 'service.unavailable'],
    class: 'doubt',
    code: 'server_error',
    advice: { en: 'MAX failed with an internal error.', ru: 'Внутренняя ошибка MAX.' },
  },
];

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
