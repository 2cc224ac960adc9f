import type { Advice, ErrorRow } from '../outcomes.js';

/** Code of an album of which some messages may be visible. */
export const ALBUM_INCOMPLETE = 'album_incomplete';

const MEDIA_RIGHT: Advice = {
  en: 'The chat forbids the bot to send this kind of media: give it the right to send them.',
  ru: 'Чат не разрешает боту отправлять такие медиа: дайте ему это право.',
};
const MAKE_ADMINISTRATOR: Advice = {
  en: 'The bot has no right to post in the chat: make it an administrator with the right to post messages.',
  ru: 'У бота нет права писать в чат: сделайте его администратором с правом публиковать сообщения.',
};

/**
 * Telegram's errors (network-errors.md), by description rather than status: the Bot API server changes statuses and puts
 * words such as `Bad Request: ` in front. Sources: the Bot API server and tdlib.
 */
export const TELEGRAM_ERRORS: readonly ErrorRow[] = [
  {
    codes: [429],
    class: 'retry',
    code: 'too_many_requests',
    advice: {
      en: 'Telegram asks the gateway to slow down.',
      ru: 'Telegram просит шлюз отправлять реже.',
    },
  },
  {
    words: ['group send failed'],
    class: 'retry',
    code: 'album_not_sent',
    advice: {
      en: 'Telegram could not send the album; nothing of it was sent.',
      ru: 'Telegram не смог отправить альбом; ничего из него не отправлено.',
    },
  },
  {
    words: ['failed to send message #', 'message was not sent'],
    class: 'doubt',
    code: ALBUM_INCOMPLETE,
    advice: {
      en: 'Telegram refused part of the album.',
      ru: 'Telegram не принял часть альбома.',
    },
  },
  {
    words: ['method not found'],
    class: 'program',
    code: 'method_not_found',
    advice: {
      en: 'The server at this address does not know the method: check TELEGRAM_API_URL, or update the Bot API server.',
      ru: 'Сервер по этому адресу не знает метода: проверьте TELEGRAM_API_URL или обновите сервер Bot API.',
    },
  },
  {
    words: ['logged out'],
    class: 'credentials',
    code: 'bot_moved',
    advice: {
      en: 'The bot was moved to another Bot API server: check TELEGRAM_API_URL.',
      ru: 'Бот перенесён на другой сервер Bot API: проверьте TELEGRAM_API_URL.',
    },
  },
  {
    words: ['FROZEN_METHOD_INVALID'],
    class: 'credentials',
    code: 'account_frozen',
    advice: {
      en: "Telegram has frozen the bot's account: appeal to Telegram, or use another bot.",
      ru: 'Telegram заморозил аккаунт бота: обжалуйте это в Telegram или используйте другого бота.',
    },
  },
  {
    codes: [401],
    class: 'credentials',
    code: 'unauthorized',
    advice: {
      en: 'Telegram does not accept the bot token: set the current one from @BotFather.',
      ru: 'Telegram не принимает токен бота: укажите действующий токен от @BotFather.',
    },
  },
  {
    codes: [404],
    class: 'credentials',
    code: 'bot_not_found',
    advice: {
      en: 'Telegram does not know a bot with this token: set the current one from @BotFather.',
      ru: 'Telegram не знает бота с таким токеном: укажите действующий токен от @BotFather.',
    },
  },
  {
    words: ['not enough rights to send text messages'],
    class: 'channel',
    code: 'no_right_to_post',
    advice: MAKE_ADMINISTRATOR,
  },
  {
    words: [
      'rights to send *',
      'CHAT_SEND_PHOTOS_FORBIDDEN',
      'CHAT_SEND_VIDEOS_FORBIDDEN',
      'CHAT_SEND_AUDIOS_FORBIDDEN',
      'CHAT_SEND_DOCS_FORBIDDEN',
      'CHAT_SEND_MEDIA_FORBIDDEN',
      'CHAT_SEND_VOICES_FORBIDDEN',
      'CHAT_SEND_GIFS_FORBIDDEN',
      'CHAT_SEND_ROUNDVIDEOS_FORBIDDEN',
    ],
    class: 'media',
    code: 'no_right_to_post',
    advice: MEDIA_RIGHT,
  },
  {
    words: [
      'chat not found',
      'chat_id is empty',
      'PEER_ID_INVALID',
      'CHANNEL_INVALID',
      'CHANNEL_PRIVATE',
      'CHANNEL_PUBLIC_GROUP_NA',
    ],
    class: 'channel',
    code: 'chat_not_found',
    advice: {
      en: 'Telegram does not know this chat, or the bot is not in it: check chat_id, and add the bot to the chat.',
      ru: 'Telegram не знает этого чата, или бота в нём нет: проверьте chat_id и добавьте бота в чат.',
    },
  },
  {
    words: [
      'have no write access to the chat',
      "can't access the chat",
      'chat is not accessible',
      'need administrator rights',
      'not enough rights',
      'have no rights',
      'CHAT_WRITE_FORBIDDEN',
      'CHAT_RESTRICTED',
      'CHAT_ADMIN_REQUIRED',
      'CHAT_SEND_PLAIN_FORBIDDEN',
      'USER_BANNED_IN_CHANNEL',
    ],
    class: 'channel',
    code: 'no_right_to_post',
    advice: MAKE_ADMINISTRATOR,
  },
  {
    words: ['CHAT_GUEST_SEND_FORBIDDEN'],
    class: 'channel',
    code: 'not_a_member',
    advice: {
      en: 'Only members may write in this group: add the bot to it.',
      ru: 'В этой группе пишут только участники: добавьте бота в группу.',
    },
  },
  {
    words: ['ALLOW_PAYMENT_REQUIRED'],
    class: 'channel',
    code: 'payment_required',
    advice: {
      en: 'The chat charges Stars for each message: exempt the bot in the settings of the chat.',
      ru: 'Чат берёт звёзды за каждое сообщение: освободите бота от платы в настройках чата.',
    },
  },
  {
    words: ['TOPIC_CLOSED', 'TOPIC_DELETED', 'message thread not found'],
    class: 'channel',
    code: 'topic_closed',
    advice: {
      en: 'The topic of the chat is closed or deleted: open it again, or choose another.',
      ru: 'Тема чата закрыта или удалена: откройте её снова или выберите другую.',
    },
  },
  {
    words: ['bot was blocked by the user', 'user is deactivated', "bot can't initiate conversation"],
    class: 'channel',
    code: 'forbidden',
    advice: {
      en: 'The person behind this chat has blocked the bot, never started it or no longer exists: have the bot unblocked, or set another chat_id.',
      ru: 'Человек из этого чата заблокировал бота, не начинал с ним чата или больше не существует: пусть он разблокирует бота, или укажите другой chat_id.',
    },
  },
  {
    words: ['group chat was deleted', 'group chat was deactivated', 'chat was deleted', 'user not found'],
    class: 'channel',
    code: 'chat_unusable',
    advice: {
      en: 'The chat was deleted or closed: set another chat_id.',
      ru: 'Чат удалён или закрыт: укажите другой chat_id.',
    },
  },
  {
    codes: [403],
    class: 'channel',
    code: 'forbidden',
    advice: {
      en: 'The bot may not post there: add it to the chat as an administrator with the right to post.',
      ru: 'Бот не может там публиковать: добавьте его в чат администратором с правом публикации.',
    },
  },
  {
    words: ['FILE_PARTS_INVALID', 'FILE_PART_*_MISSING'],
    class: 'upload',
    code: 'upload_failed',
    advice: {
      en: 'Telegram did not accept the upload: the gateway uploads the file again.',
      ru: 'Telegram не принял загрузку: шлюз загрузит файл ещё раз.',
    },
  },
  {
    codes: [413],
    class: 'media',
    code: 'media_too_large',
    advice: { en: 'The upload is too large for Telegram.', ru: 'Файл слишком велик для Telegram.' },
  },
  {
    words: [
      'wrong file identifier',
      'wrong type of the web page content',
      'failed to get HTTP URL content',
      "can't upload file by URL",
      'WEBPAGE_CURL_FAILED',
      'WEBPAGE_MEDIA_EMPTY',
      'EXTERNAL_URL_INVALID',
      'PHOTO_INVALID_DIMENSIONS',
      'IMAGE_PROCESS_FAILED',
      'photo has unsupported extension',
      'VIDEO_CONTENT_TYPE_INVALID',
      'MEDIA_GROUPED_INVALID',
      'WC_CONVERT_URL_INVALID',
      "can't use the media of the specified type in the album",
      'file must be non-empty',
    ],
    class: 'media',
    code: 'media_refused',
    advice: {
      en: "Telegram refuses one of the post's media files.",
      ru: 'Telegram не принимает один из медиафайлов.',
    },
  },
  {
    words: ['BUTTON_', 'inline keyboard button', 'reply markup is too long', 'REPLY_MARKUP_TOO_LONG'],
    class: 'refused',
    code: 'bad_button',
    advice: { en: "Telegram refuses the post's buttons.", ru: 'Telegram не принимает кнопки.' },
  },
  {
    words: ['is too long', 'CAPTION_TOO_LONG', 'MESSAGE_TOO_LONG'],
    class: 'refused',
    code: 'too_long',
    advice: { en: 'The post is too long for Telegram.', ru: 'Пост слишком длинный для Telegram.' },
  },
  {
    words: ['message text is empty', 'text must be non-empty'],
    class: 'refused',
    code: 'empty_text',
    advice: { en: 'Telegram refuses a text without visible characters.', ru: 'Telegram не принимает пустой текст.' },
  },
  {
    words: ["can't parse entities", 'entity', 'entities', 'wrong HTTP URL specified'],
    class: 'refused',
    code: 'bad_entity',
    advice: {
      en: 'Telegram refuses the formatting of the text or a link in it.',
      ru: 'Telegram не принимает форматирование текста или ссылку в нём.',
    },
  },
  {
    codes: [500, 501, 502, 503, 504],
    class: 'doubt',
    code: 'server_error',
    advice: { en: 'Telegram failed with an internal error.', ru: 'Внутренняя ошибка Telegram.' },
  },
];
