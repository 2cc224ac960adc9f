import { MAX_CHANGE_ERRORS, MAX_EDIT_ERRORS, MAX_ERRORS, MAX_PIN_ERRORS } from '../../platforms/max/errors.js';
import { MAX_EXAMPLES, MAX_MESSAGES, MAX_TEST_MESSAGES } from '../../platforms/max/messages.js';
import {
  CALL_MESSAGES,
  CHANGE_MESSAGES,
  DEGRADATION_MESSAGES,
  EDIT_MESSAGES,
  EXCHANGE_MESSAGES,
  NUMBERS_MESSAGES,
  OBSTACLE_MESSAGES,
  TEST_MESSAGES,
} from '../../platforms/messages.js';
import { OK_CHANGE_ERRORS, OK_ERRORS } from '../../platforms/ok/errors.js';
import { OK_EXAMPLES, OK_MESSAGES, OK_TEST_MESSAGES } from '../../platforms/ok/messages.js';
import {
  TELEGRAM_CHANGE_ERRORS,
  TELEGRAM_EDIT_ERRORS,
  TELEGRAM_PIN_ERRORS,
} from '../../platforms/telegram/change-errors.js';
import { TELEGRAM_ERRORS } from '../../platforms/telegram/errors.js';
import { TELEGRAM_EXAMPLES, TELEGRAM_MESSAGES, TELEGRAM_TEST_MESSAGES } from '../../platforms/telegram/messages.js';
import { VK_CHANGE_ERRORS, VK_EDIT_ERRORS, VK_PIN_ERRORS } from '../../platforms/vk/change-errors.js';
import { VK_ERRORS } from '../../platforms/vk/errors.js';
import { VK_EXAMPLES, VK_MESSAGES, VK_TEST_MESSAGES } from '../../platforms/vk/messages.js';
import { TRANSLATION_ERRORS } from '../../processing/translation/errors.js';
import { translate, type Translation } from '../translation.js';

/** The advice about a network's error, whose table has both languages. */
const ADVICE: Translation = {
  of: null,
  pairs: [
    ...TELEGRAM_ERRORS,
    ...TELEGRAM_CHANGE_ERRORS,
    ...TELEGRAM_EDIT_ERRORS,
    ...TELEGRAM_PIN_ERRORS,
    ...VK_ERRORS,
    ...VK_CHANGE_ERRORS,
    ...VK_EDIT_ERRORS,
    ...VK_PIN_ERRORS,
    ...MAX_ERRORS,
    ...MAX_CHANGE_ERRORS,
    ...MAX_EDIT_ERRORS,
    ...MAX_PIN_ERRORS,
    ...OK_ERRORS,
    ...OK_CHANGE_ERRORS,
    ...TRANSLATION_ERRORS,
  ].map(({ advice }) => [advice.en, advice.ru] as const),
};

/** Sentences about what the networks accept and answer. */
export const NETWORKS = [
  ADVICE,
  translate(DEGRADATION_MESSAGES, {
    textTrimmed: '{network} принимает символов: {limit}. Текст сокращён на {excess}.',
    linksDropped: 'В тексте не хватило места; не поместилось: {links}.',
    textTooLongWithFormatting:
      'Вместе с форматированием в тексте больше {limit} символов, которые принимает {network}: он отправляется без форматирования.',
    plainTextOnly: '{network} показывает текст без форматирования.',
    formattingNotShown: '{network} показывает обычным текстом: {types}.',
    tooManyEntities:
      '{network} принимает в сообщении {limit} отформатированных частей; дальше форматирования нет: {parts}.',
    unknownEmoji: '{network} не знает пользовательский эмодзи {id}: отправляется обычный.',
    linkNotAccepted: '{network} не принимает ссылку на {url}: её текст отправляется без неё.',
    buttonNotAccepted: '{network} не принимает кнопку со ссылкой на {url}: «{text}» убрана.',
    buttonShortened: 'Текст кнопки сокращён до {limit} символов: «{text}…».',
    noButtons: '{network} не показывает кнопки под постом: {instead}.',
    buttonsLeftOut: 'они убраны',
    buttonsAsLinks: 'они стали ссылками в тексте',
    buttonsSwitchedOff: 'Кнопки убраны: так настроен канал.',
    textAdded: '{network} не принимает кнопки без текста: над ними показано {text}.',
    photoFitted: 'media[{index}] уменьшено или перекодировано под требования сети.',
    mediaAsLink: 'media[{index}] публикуется ссылкой в тексте: {reason}',
    mediaLinkPrivate:
      'Читатели не смогут открыть ссылку на media[{index}]: BASE_URL шлюза — не https на публичном адресе. Отправьте url общедоступного файла.',
    mediaAsDocument: '{network} не проигрывает media[{index}]: оно отправляется файлом, отдельным сообщением.',
    silentIgnored: '{network} не умеет публиковать без уведомления читателей: silent не учитывается.',
    pinIgnored: 'Отсюда нельзя закрепить пост в {network}: pin не учитывается.',
    signatureDropped: 'Подпись не помещается: она убрана.',
    nothingToSend: 'Ни одну часть этого поста нельзя опубликовать в {network}.',
  }),
  translate(OBSTACLE_MESSAGES, {
    tooLarge: 'файл слишком большой для этой сети',
    tooLong: 'оно слишком длинное для этой сети',
    tooManyPixels: 'в нём слишком много пикселей для этой сети',
    unsuitable: 'сеть не принимает такой формат или такую форму',
    noAudio: '{network} не принимает аудио.',
    noUploadToken: 'у канала нет токена для загрузки.',
    sizeAboveLimit: 'занимает {bytes} байт; сеть принимает не больше {limit}',
    formatNotAccepted: 'имеет формат {mime}, который сеть не принимает',
    photoNotConvertible: 'нельзя превратить в фото, которое примет сеть',
  }),
  translate(CALL_MESSAGES, {
    notSent: 'Не удалось связаться: {network} ({detail}). Ничего не отправлено.',
    certificateNotTrusted:
      'Сертификату {host} нет доверия ({detail}), поэтому {network} ничего не получает. Сохраните сертификаты выдавшего его центра в файл PEM, укажите путь к нему в EXTRA_CA_CERTS и перезапустите шлюз.',
    notAnswered: '{network} не отвечает на вызов ({detail}).',
    notAnsweredInDoubt: '{network} не отвечает на вызов ({detail}): пост, возможно, там уже виден.',
    slowDown: '{network} просит шлюз не спешить.',
    asksToWait: '{network} просит шлюз подождать {seconds} с.',
    mayBeVisible: '{what} Пост, возможно, там уже виден.',
    refusedUnknown: '{network} отклоняет вызов с ошибкой, которой шлюз не знает: {code}.',
    uploadTooLarge: 'Загружаемый файл слишком велик: {network} его не принимает.',
    intermediary: 'Вызов отклонил посредник ({status}), а не {network}.',
    unreadable: 'Ответ не читается: {network} ({status}).',
    unreadableInDoubt: 'Ответ не читается: {network} ({status}). Пост, возможно, там уже виден.',
  }),
  translate(CHANGE_MESSAGES, {
    deleteRefused: '{network} не удаляет сообщение: удалите его там вручную и отзовите пост ещё раз.',
    chatMoved: 'У чата в {network} теперь другой id, под которым этого сообщения нет: удалите его там вручную.',
    editRefused: '{network} не меняет сообщение: исправьте его там вручную или отзовите пост и отправьте новый.',
    chatMovedSince: 'У чата в {network} теперь другой id, под которым этого сообщения нет: измените его там вручную.',
    pinRefused: '{network} не закрепляет сообщение: закрепите его там вручную.',
  }),
  translate(EDIT_MESSAGES, {
    nothingLeft: 'Ни одну часть нового содержимого нельзя показать в {network}: вместо этого отзовите пост.',
    textRemoved:
      'Текст в {network} стоит в отдельном сообщении, которое нельзя опустошить: отправьте текст или отзовите пост.',
    mediaCount:
      'Число медиа в {network} не может измениться с {published} на {wanted}: заменяйте их один к одному или отзовите пост и отправьте новый.',
    messagesUnknown:
      'Неизвестно, какие сообщения в {network} относятся к посту, поэтому ни одно не изменено: исправьте их там вручную.',
  }),
  translate(NUMBERS_MESSAGES, { refused: '{network} не сообщает показатели этого поста.' }),
  translate(TEST_MESSAGES, {
    notInTime: '{network} не отвечает вовремя: проверьте канал ещё раз позже.',
    noSuchName: '{network} не знает такого имени.',
    questionRefused: '{network} отклоняет проверочный запрос, но посты всё же могут проходить.',
  }),
  translate(EXCHANGE_MESSAGES, {
    stopped: 'вызов остановлен',
    noAnswer: 'нет ответа за {ms} мс',
    endlessAnswer: 'ответ слишком длинный',
    leaseLost: 'канал мог перейти к другому процессу',
    unknown: 'неизвестная ошибка',
  }),
  translate(MAX_MESSAGES, {
    malformedToken: 'Это не токен бота: задайте токен, который MAX выдал боту; в нём нет пробелов.',
    uploadUrlRefused: 'MAX отклоняет собственный адрес загрузки.',
    audioAlone:
      'В MAX у поста только аудиосообщения, а в них нет текста, фото и кнопок: уберите их или отзовите пост и отправьте новый.',
    audioCount:
      'Число аудиосообщений в MAX не может измениться с {published} на {wanted}: заменяйте их один к одному или отзовите пост и отправьте новый.',
    numbersInChannelsOnly: 'MAX считает просмотры только в каналах.',
    numbersNeedMembership: 'MAX показывает показатели только боту, который состоит в чате: добавьте его в чат ещё раз.',
  }),
  translate(MAX_TEST_MESSAGES, {
    bot: 'Токен принадлежит боту «{name}».',
    leftChat: 'Состояние бота в чате — «{status}»: добавьте его в чат ещё раз.',
    chat: 'Чат: «{title}» ({type}).',
    mayWriteToPerson: 'Боту можно писать этому человеку.',
    owner: 'Бот — владелец чата.',
    notAdministrator: 'Бот не администратор канала: сделайте его администратором с правом писать.',
    member: 'Бот — участник и может писать.',
    administrator: 'Бот — администратор и может писать.',
    countsViews: 'MAX считает просмотры постов в этом канале.',
    administratorWithoutRight: 'Бот — администратор без права писать: дайте ему это право.',
    mayDelete: 'Бот может удалять свои сообщения.',
    mayNotDelete: 'Бот — администратор без права удалять сообщения: дайте ему это право.',
    mayEdit: 'Бот может изменять свои сообщения.',
    mayNotEdit: 'Бот — администратор без права изменять сообщения: дайте ему это право.',
  }),
  translate(MAX_EXAMPLES, { chatId: 'число вида -70912345678901 или ссылка вида max.ru/acme_news' }),
  translate(OK_MESSAGES, {
    accessDenied: 'Аккаунт, выпустивший токен, не может публиковать в этой группе: сделайте его модератором.',
    credentialsMissing: 'У канала нет токена доступа либо ключа или секрета приложения: задайте ключи доступа заново.',
    photoUnreadable: 'OK не может прочитать это фото.',
    numbersNeedRight:
      'OK показывает показатели темы только администраторам и модераторам группы: дайте такую роль аккаунту, выпустившему токен с правом GROUP_CONTENT.',
  }),
  translate(OK_TEST_MESSAGES, {
    account: 'Токен принадлежит аккаунту {name}.',
    group: 'Группа: «{name}».',
    groupNotFound: 'OK не знает группу {id}: проверьте group_id.',
    rightMissing: 'У токена нет права {right}: выпустите токен с {rights}.',
    showsNumbers: 'Аккаунту видны показатели тем.',
    mayPost: 'Аккаунт — модератор или администратор группы, и у токена есть права на публикацию.',
    mayDelete: 'Аккаунт может удалять темы группы.',
    cannotEdit: 'Отсюда нельзя изменить темы в OK: вместо этого отзовите пост и отправьте новый.',
  }),
  translate(OK_EXAMPLES, {
    groupId: 'номер группы без минуса, например 123456789, или ссылка вида ok.ru/group/123456789',
  }),
  translate(TELEGRAM_MESSAGES, {
    malformedToken: 'Это не токен бота: задайте токен, который выдал @BotFather, вида 123456:ABC-DEF….',
    movedAgain: 'Чат снова переехал.',
    duringUpload: '{detail}, во время загрузки',
    tooOld:
      'Telegram не даёт ботам удалять сообщения старше 48 часов: удалите его в Telegram вручную или исправьте текст.',
    captionTooLong: 'Текст показан под медиа, где Telegram принимает символов: {limit}. Сократите его на {excess}.',
    albumButtons: 'У альбома в Telegram не может быть кнопок: уберите их.',
    mediaAdded: 'В Telegram у поста нет медиа, и добавить их нельзя: уберите их или отзовите пост и отправьте новый.',
    mediaKind: 'В альбоме Telegram заменяет фото и видео только на фото или видео, аудио — на аудио, файлы — на файлы.',
    noNumbers: 'Bot API Telegram не даёт ботам показателей постов.',
    notCalled: 'вызов не удалось выполнить',
  }),
  translate(TELEGRAM_TEST_MESSAGES, {
    bot: 'Токен принадлежит боту @{username}.',
    chat: 'Чат: «{title}» ({type}).',
    mayWriteToPerson: 'Боту можно писать этому человеку.',
    notInChat: 'Бота нет в чате: добавьте его администратором с правом публиковать сообщения.',
    owner: 'Бот — владелец чата.',
    administrator: 'Бот — администратор и может публиковать.',
    administratorWithoutRight: 'Бот — администратор без права публиковать сообщения: дайте ему это право.',
    notAdministrator: 'Бот не администратор канала: добавьте его администратором с правом публиковать сообщения.',
    muted:
      'Бот не может писать в этой группе: добавьте его администратором с правом публиковать сообщения или разрешите участникам писать.',
    member: 'Бот — участник и может писать.',
    mayDelete: 'Бот может удалять то, что опубликовал, в течение 48 часов.',
    mayEdit: 'Бот может изменять то, что опубликовал.',
  }),
  translate(TELEGRAM_EXAMPLES, {
    chatId: 'число вида -1001234567890, публичное имя вида @acme_news или ссылка вида t.me/acme_news',
  }),
  translate(VK_MESSAGES, {
    accessTokenMissing: 'У канала нет токена доступа: задайте ключи доступа заново.',
    uploadTokenMissing: 'У канала нет токена для загрузки: задайте ключи доступа заново.',
    photoUnreadable: 'VK не может прочитать это фото.',
    fileRefused: 'VK не принимает этот файл.',
    userTokenRefused: 'VK не принимает токен пользователя из upload_token: задайте новый и {then}.',
    userMayNot: 'У аккаунта, выпустившего upload_token, нет на это права: сделайте его редактором сообщества и {then}.',
    thenDelete: 'отзовите пост ещё раз или удалите запись в VK вручную',
    thenEdit: 'отправьте содержимое ещё раз или исправьте запись в VK вручную',
    thenPin: 'закрепите эту запись в VK вручную',
    deletingNeedsUserToken:
      'Можно ли удалять записи с этим токеном, знает только VK. С токеном редактора сообщества в upload_token — можно.',
    editingNeedsUserToken:
      'Можно ли изменять записи с этим токеном, знает только VK; медиа становятся ссылками. С токеном редактора сообщества в upload_token можно изменять записи и загружать медиа.',
    numbersNeedUserToken:
      'VK показывает показатели только по токену пользователя: укажите токен редактора сообщества в upload_token.',
    numbersTokenRefused: 'VK не принимает токен пользователя из upload_token: задайте новый.',
    numbersAccessDenied:
      'Аккаунт, выпустивший upload_token, не видит запись: сделайте его редактором сообщества, с правом «wall».',
  }),
  translate(VK_TEST_MESSAGES, {
    communityNotFound: 'VK не знает сообщество {id}: проверьте group_id, это его номер без минуса.',
    tokenOfUser: 'VK принимает токен, он принадлежит пользователю.',
    tokenOfCommunity: 'VK принимает токен, он принадлежит сообществу.',
    community: 'Сообщество: «{name}».',
    showsNumbers: 'Токен показывает показатели постов.',
    mayUpload: 'Второй токен может загружать фото и видео.',
    wallRight: 'У токена есть право публиковать на стене.',
    wallRightMissing: 'У токена нет права публиковать на стене: выпустите токен сообщества с правом «wall».',
    wallsRightMissing: 'У токена нет права публиковать на стенах: выпустите токен с правом «wall».',
    editor: 'Пользователь — редактор или администратор сообщества.',
    mayDelete: 'Пользователь может удалять записи сообщества.',
    mayEdit: 'Пользователь может изменять записи сообщества.',
    notEditor: 'Пользователь не может публиковать от имени сообщества: сделайте его там редактором.',
  }),
  translate(VK_EXAMPLES, {
    groupId: 'номер группы без минуса, например 123456789, или ссылка вида vk.com/acme_news',
  }),
];
