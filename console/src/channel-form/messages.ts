import { byName, defineMessages } from '../i18n/messages.js';

/** UI text for the form that connects a channel, and for the channel test. */
export const channelFormMessages = defineMessages({
  en: {
    channel: 'Channel',
    network: 'Network',
    networkStays: 'A channel can’t change its network. To post to another network, connect another channel.',
    name: 'Name',
    nameHint: 'shown in this console',
    optional: 'optional',
    writeOnly: 'Tokens and keys are stored encrypted and never shown again.',
    show: 'Show',
    hide: 'Hide',
    required: 'Fill in this field.',
    badSecret: 'Enter 1 to 4,096 letters, digits or symbols, without spaces.',
    statistics: 'How many people saw a post',
    statisticsOn: 'Ask the network now and then',
    statisticsOff: 'Do not ask',
    onDoubt: (network: string) => `If ${network} doesn’t confirm a post`,
    hold: 'Wait for me, because sending it again could post it twice',
    resend: 'Send it again, even if it could appear twice',
    buttons: 'Buttons below a post',
    link: 'Show them as links in the text',
    drop: 'Leave them out',
    textLimit: 'Maximum text length, in characters',
    textLimitHint: 'default 5,000',
    badTextLimit: 'Enter a whole number from 1 to 15,895.',
    connect: 'Connect and test',
    connectHint: 'The test only checks with the network. Nothing is posted.',
    saveAndTest: 'Save and test again',
    savedWithProblem: 'Channel saved. Its posts wait until the network accepts them.',
    savedWell: 'Channel saved.',
    done: 'Open the channel',
    keepAsItIs: 'Leave as it is',
    connected: (name: string) => `${name} is connected.`,
    testedAt: 'Tested at',
    withoutPosting: ', without posting',
    passed: (passed: string, of: string) => `${passed} of ${of} passed`,
    testAgain: 'Test again',
    testing: 'Testing…',
    openOn: (network: string) => `Open ${network}`,
    howToFix: 'How to fix it',
    thenTest: 'Then test again. Nothing is posted.',
    says: (network: string) => `${network} says:`,
    notYet: 'Runs once the checks above have passed.',
    noSameChat: 'None of your other channels post to this chat, so nothing appears twice.',
    sameChat: 'Another channel posts to the same chat:',
    sameChatText: 'A post that goes to both channels appears there twice.',
    checkOk: byName({
      credentials: 'Token accepted',
      chat: 'Chat found',
      rights: 'Allowed to post',
      statistics: 'Shows how many people saw a post',
      uploads: 'Allowed to upload',
    }),
    checkFailed: byName({
      credentials: 'Token not confirmed',
      chat: 'Chat not confirmed',
      rights: 'Permission to post not confirmed',
      statistics: 'Does not show how many people saw a post',
      uploads: 'Permission to upload not confirmed',
    }),
    checkPending: byName({
      credentials: 'Token',
      chat: 'Chat',
      rights: 'Permission to post',
      statistics: 'How many people saw a post',
      uploads: 'Permission to upload',
    }),
    notNow: 'Not now',
    saveAndTestNew: 'Save and test',
    replaceTitle: 'New credentials',
    replaceText: 'All credentials are replaced together, so enter every token, even if it hasn’t changed.',
    storedUpload: 'A token is stored. Leave this empty to remove it.',
  },
  ru: {
    channel: 'Канал',
    network: 'Сеть',
    networkStays: 'Канал остаётся в своей сети. Для другой сети подключите другой канал.',
    name: 'Название',
    nameHint: 'так он будет называться здесь',
    optional: 'необязательно',
    writeOnly: 'Токены и ключи хранятся зашифрованными и больше не показываются.',
    show: 'Показать',
    hide: 'Скрыть',
    required: 'Заполните это поле.',
    badSecret: 'Введите от 1 до 4096 букв, цифр и знаков без пробелов.',
    statistics: 'Сколько людей увидело пост',
    statisticsOn: 'Время от времени спрашивать сеть',
    statisticsOff: 'Не спрашивать',
    onDoubt: (network: string) => `Если ${network} не подтвердит пост`,
    hold: 'Ждать меня: иначе пост может выйти дважды',
    resend: 'Отправить снова, даже если он выйдет дважды',
    buttons: 'Кнопки под постом',
    link: 'Показать ссылками в тексте',
    drop: 'Не показывать',
    textLimit: 'Самый длинный текст, в знаках',
    textLimitHint: 'обычно 5000',
    badTextLimit: 'Введите целое число от 1 до 15 895.',
    connect: 'Подключить и проверить',
    connectHint: 'Проверка спрашивает сеть и ничего не публикует.',
    saveAndTest: 'Сохранить и проверить снова',
    savedWithProblem: 'Канал сохранён. Его посты подождут, пока сеть не начнёт их принимать.',
    savedWell: 'Канал сохранён.',
    done: 'Открыть канал',
    keepAsItIs: 'Оставить как есть',
    connected: (name: string) => `Канал «${name}» подключён.`,
    testedAt: 'Проверено в',
    withoutPosting: ', без публикации',
    passed: (passed: string, of: string) => `пройдено ${passed} из ${of}`,
    testAgain: 'Проверить снова',
    testing: 'Проверяем…',
    openOn: (network: string) => `Открыть ${network}`,
    howToFix: 'Как исправить',
    thenTest: 'Затем проверьте снова. Ничего не будет опубликовано.',
    says: (network: string) => `Ответ сети ${network}:`,
    notYet: 'Проверим, когда пройдут проверки выше.',
    noSameChat: 'Другие ваши каналы не публикуют в этот чат, так что повторов не будет.',
    sameChat: 'В этот же чат публикует другой канал:',
    sameChatText: 'Пост, отправленный в оба канала, появится там дважды.',
    checkOk: {
      credentials: 'Токен принят',
      chat: 'Чат найден',
      rights: 'Публиковать можно',
      statistics: 'Показывает, сколько людей увидело пост',
      uploads: 'Загружать можно',
    },
    checkFailed: {
      credentials: 'Токен не подтверждён',
      chat: 'Чат не подтверждён',
      rights: 'Право публиковать не подтверждено',
      statistics: 'Не показывает, сколько людей увидело пост',
      uploads: 'Право загружать не подтверждено',
    },
    checkPending: {
      credentials: 'Токен',
      chat: 'Чат',
      rights: 'Право публиковать',
      statistics: 'Сколько людей увидело пост',
      uploads: 'Право загружать',
    },
    notNow: 'Не сейчас',
    saveAndTestNew: 'Сохранить и проверить',
    replaceTitle: 'Новые данные доступа',
    replaceText: 'Данные заменяются целиком: введите все токены, даже те, что не изменились.',
    storedUpload: 'Токен сохранён. Оставьте поле пустым, чтобы удалить его.',
  },
});

/** UI text for one credential field. */
export interface FieldText {
  readonly label: string;
  /** Where to find the value, or a brief description of its format. */
  readonly hint: string;
  readonly example: string;
  /** Instructions, shown if the value has an invalid format. */
  readonly form: string;
}

type FieldTexts = Readonly<Record<string, FieldText>>;

/** UI text about credentials: what to enter in each field, and what to prepare first. */
export const credentialMessages = defineMessages({
  en: {
    beforeTitle: 'Before you connect',
    testExplained:
      'The test then asks the network who the token belongs to, whether the chat exists, and whether posting there is allowed.',
    noUploads: 'Without it, photos and videos become links in the text.',
    before: byName({
      telegram: [
        'Create a bot with @BotFather, or use one that you already have. @BotFather issues its token.',
        'Add the bot to the channel or group as an administrator with permission to post messages.',
      ],
      vk: [
        'Create a community access token with the “wall” permission. A community editor’s token works, too.',
        'A VK ID token (vk2.a.…) can’t post on a wall.',
        'For photos and videos, you also need a user token, because a community token can’t upload files.',
      ],
      max: [
        'Use the token that MAX gives to the bot’s owner.',
        'Make the bot an administrator of the channel, with permission to write.',
      ],
      ok: [
        'Have the public key and the secret key of your application ready.',
        'Create an access token with the permissions GROUP_CONTENT, PHOTO_CONTENT and VIDEO_CONTENT.',
        'The account behind the token must be a moderator or administrator of the group.',
      ],
    }),
    fields: byName<FieldTexts>({
      telegram: {
        bot_token: { label: 'Bot token', hint: 'from @BotFather', example: '123456:ABC-DEF…', form: '' },
        chat_id: {
          label: 'Chat',
          hint: 'a number, or a public name with @',
          example: '@acme_news',
          form: 'Enter a number such as -1001234567890, or a public name such as @acme_news.',
        },
      },
      vk: {
        access_token: { label: 'Access token', hint: 'a community token', example: '', form: '' },
        upload_token: { label: 'Upload token', hint: 'a user token, for photos and videos', example: '', form: '' },
        group_id: {
          label: 'Community',
          hint: 'its number, without a minus sign',
          example: '123456789',
          form: 'Enter the community’s number without a minus sign, such as 123456789.',
        },
      },
      max: {
        access_token: { label: 'Bot token', hint: 'from MAX, without spaces', example: '', form: '' },
        chat_id: {
          label: 'Chat',
          hint: 'its number, with a minus sign for channels',
          example: '-70912345678901',
          form: 'Enter a number such as -70912345678901.',
        },
      },
      ok: {
        application_key: { label: 'Application key', hint: 'the public key', example: '', form: '' },
        application_secret: { label: 'Application secret', hint: 'the secret key', example: '', form: '' },
        access_token: { label: 'Access token', hint: 'from a group moderator', example: '', form: '' },
        group_id: {
          label: 'Group',
          hint: 'its number, without a minus sign',
          example: '123456789',
          form: 'Enter the group’s number without a minus sign, such as 123456789.',
        },
      },
    }),
  },
  ru: {
    beforeTitle: 'Что понадобится',
    testExplained: 'Проверка спросит у сети, чей это токен, есть ли такой чат и можно ли в нём публиковать.',
    noUploads: 'Без него фото и видео станут ссылками в тексте.',
    before: {
      telegram: [
        'Создайте бота у @BotFather или возьмите готового. Токен бота выдаёт @BotFather.',
        'Добавьте бота в канал или группу администратором с правом публиковать сообщения.',
      ],
      vk: [
        'Выпустите токен доступа сообщества с правом «wall». Подойдёт и токен редактора сообщества.',
        'Токен VK ID (vk2.a.…) публиковать на стене не может.',
        'Для фото и видео нужен ещё токен пользователя: токен сообщества загружать их не может.',
      ],
      max: [
        'Возьмите токен, который MAX выдаёт владельцу бота.',
        'Сделайте бота администратором канала с правом писать.',
      ],
      ok: [
        'Приготовьте публичный и секретный ключи вашего приложения.',
        'Выпустите токен доступа с правами GROUP_CONTENT, PHOTO_CONTENT и VIDEO_CONTENT.',
        'Владелец токена должен быть модератором или администратором группы.',
      ],
    },
    fields: {
      telegram: {
        bot_token: { label: 'Токен бота', hint: 'от @BotFather', example: '123456:ABC-DEF…', form: '' },
        chat_id: {
          label: 'Чат',
          hint: 'число или публичное имя с @',
          example: '@acme_news',
          form: 'Введите число вида -1001234567890 или публичное имя вида @acme_news.',
        },
      },
      vk: {
        access_token: { label: 'Токен доступа', hint: 'сообщества', example: '', form: '' },
        upload_token: { label: 'Токен для загрузки', hint: 'пользователя, для фото и видео', example: '', form: '' },
        group_id: {
          label: 'Сообщество',
          hint: 'его номер без минуса',
          example: '123456789',
          form: 'Введите номер сообщества без минуса, например 123456789.',
        },
      },
      max: {
        access_token: { label: 'Токен бота', hint: 'одно слово, из MAX', example: '', form: '' },
        chat_id: {
          label: 'Чат',
          hint: 'его номер; у канала с минусом',
          example: '-70912345678901',
          form: 'Введите число вида -70912345678901.',
        },
      },
      ok: {
        application_key: { label: 'Ключ приложения', hint: 'публичный', example: '', form: '' },
        application_secret: { label: 'Секретный ключ приложения', hint: '', example: '', form: '' },
        access_token: { label: 'Токен доступа', hint: 'модератора группы', example: '', form: '' },
        group_id: {
          label: 'Группа',
          hint: 'её номер без минуса',
          example: '123456789',
          form: 'Введите номер группы без минуса, например 123456789.',
        },
      },
    },
  },
});
