import { byName, defineMessages } from '../i18n/messages.js';

/** A drawing of what a step looks like on the network. */
export type StepDrawing =
  /** A chat with a bot: what people send, and what it answers. */
  | { readonly kind: 'chat'; readonly with: string; readonly sent: string; readonly answer: string }
  /** A settings menu with its last entry selected, and the value found there. */
  | { readonly kind: 'menu'; readonly entries: readonly string[]; readonly found: string }
  /** A person or bot in the list of administrators, with the permissions to grant. */
  | { readonly kind: 'rights'; readonly name: string; readonly role: string; readonly rights: readonly string[] }
  /** A token that works, and one that does not. */
  | { readonly kind: 'tokens'; readonly right: string; readonly wrong: string }
  /** A browser's address bar with a chat's link. */
  | { readonly kind: 'link'; readonly address: string };

/** A step in connecting a channel. */
export interface ConnectStep {
  readonly text: string;
  readonly drawing: StepDrawing;
}

/** Instructions for finding the values that a network's form asks for. */
export const connectMessages = defineMessages({
  en: {
    title: (network: string) => `Where to find this in ${network}`,
    toSteps: 'Where do I find this?',
    testExplained:
      'The test then asks the network who the token belongs to, whether the chat exists, and whether posting there is allowed.',
    steps: byName<readonly ConnectStep[]>({
      telegram: [
        {
          text: 'Open @BotFather in Telegram and send /newbot. It answers with the bot’s token. You can also use a bot that you already have.',
          drawing: { kind: 'chat', with: 'BotFather', sent: '/newbot', answer: '123456:ABC-DEF…' },
        },
        {
          text: 'Open your channel or group, add the bot to its administrators, and let it post messages.',
          drawing: { kind: 'rights', name: 'Your bot', role: 'administrator', rights: ['Post messages'] },
        },
        {
          text: 'Copy the channel’s link. If the channel is private, copy the link of any of its posts.',
          drawing: { kind: 'link', address: 't.me/acme_news' },
        },
      ],
      vk: [
        {
          text: 'Open your community’s settings and create an access token with the “wall” permission. A community editor’s token works, too.',
          drawing: { kind: 'menu', entries: ['Manage', 'Settings', 'API usage'], found: 'vk1.a.…' },
        },
        {
          text: 'For photos and videos, you also need a user token: a community token can’t upload files. A VK ID token can’t post on a wall.',
          drawing: { kind: 'tokens', right: 'vk1.a.…', wrong: 'vk2.a.…' },
        },
        {
          text: 'Copy the address of the community’s page.',
          drawing: { kind: 'link', address: 'vk.com/acme_news' },
        },
      ],
      max: [
        {
          text: 'Open business.max.ru, choose your bot and copy its token.',
          drawing: { kind: 'menu', entries: ['Chat bots', 'Your bot', 'Settings'], found: 'f9LHodD0cO…' },
        },
        {
          text: 'Open your channel, make the bot an administrator, and let it write messages.',
          drawing: { kind: 'rights', name: 'Your bot', role: 'administrator', rights: ['Write messages'] },
        },
        {
          text: 'Open the channel on web.max.ru and copy its address.',
          drawing: { kind: 'link', address: 'web.max.ru/-70912345678901' },
        },
      ],
      ok: [
        {
          text: 'Open your application on ok.ru and copy its public and secret keys.',
          drawing: { kind: 'menu', entries: ['Applications', 'Your application', 'Keys'], found: 'CLDKBGKGDIHB…' },
        },
        {
          text: 'Issue an access token with these permissions. Its account must be a moderator or an administrator of the group.',
          drawing: {
            kind: 'rights',
            name: 'Your account',
            role: 'moderator',
            rights: ['GROUP_CONTENT', 'PHOTO_CONTENT', 'VIDEO_CONTENT'],
          },
        },
        {
          text: 'Copy the address of the group’s page.',
          drawing: { kind: 'link', address: 'ok.ru/group/70000000000001' },
        },
      ],
    }),
  },
  ru: {
    title: (network: string) => `Где это найти: ${network}`,
    toSteps: 'Где это взять?',
    testExplained: 'Проверка спросит у сети, чей это токен, есть ли такой чат и можно ли в нём публиковать.',
    steps: {
      telegram: [
        {
          text: 'Откройте @BotFather в Telegram и отправьте /newbot: в ответе будет токен бота. Подойдёт и бот, который у вас уже есть.',
          drawing: { kind: 'chat', with: 'BotFather', sent: '/newbot', answer: '123456:ABC-DEF…' },
        },
        {
          text: 'Откройте свой канал или группу, добавьте бота в администраторы и разрешите ему публиковать сообщения.',
          drawing: { kind: 'rights', name: 'Ваш бот', role: 'администратор', rights: ['Публикация сообщений'] },
        },
        {
          text: 'Скопируйте ссылку на канал. Если канал закрытый, скопируйте ссылку на любой его пост.',
          drawing: { kind: 'link', address: 't.me/acme_news' },
        },
      ],
      vk: [
        {
          text: 'Откройте настройки сообщества и создайте ключ доступа с правом «Стена». Подойдёт и токен редактора сообщества.',
          drawing: { kind: 'menu', entries: ['Управление', 'Настройки', 'Работа с API'], found: 'vk1.a.…' },
        },
        {
          text: 'Для фото и видео нужен ещё токен пользователя: токен сообщества загружать их не может. Токен VK ID публиковать на стене не может.',
          drawing: { kind: 'tokens', right: 'vk1.a.…', wrong: 'vk2.a.…' },
        },
        {
          text: 'Скопируйте адрес страницы сообщества.',
          drawing: { kind: 'link', address: 'vk.com/acme_news' },
        },
      ],
      max: [
        {
          text: 'Откройте business.max.ru, выберите бота и скопируйте его токен.',
          drawing: { kind: 'menu', entries: ['Чат-боты', 'Ваш бот', 'Настройки'], found: 'f9LHodD0cO…' },
        },
        {
          text: 'Откройте свой канал, сделайте бота администратором и разрешите ему писать сообщения.',
          drawing: { kind: 'rights', name: 'Ваш бот', role: 'администратор', rights: ['Писать сообщения'] },
        },
        {
          text: 'Откройте канал на web.max.ru и скопируйте адрес страницы.',
          drawing: { kind: 'link', address: 'web.max.ru/-70912345678901' },
        },
      ],
      ok: [
        {
          text: 'Откройте своё приложение на ok.ru и скопируйте публичный и секретный ключи.',
          drawing: { kind: 'menu', entries: ['Приложения', 'Ваше приложение', 'Ключи'], found: 'CLDKBGKGDIHB…' },
        },
        {
          text: 'Выпустите токен доступа с этими правами. Его владелец должен быть модератором или администратором группы.',
          drawing: {
            kind: 'rights',
            name: 'Ваш аккаунт',
            role: 'модератор',
            rights: ['GROUP_CONTENT', 'PHOTO_CONTENT', 'VIDEO_CONTENT'],
          },
        },
        {
          text: 'Скопируйте адрес страницы группы.',
          drawing: { kind: 'link', address: 'ok.ru/group/70000000000001' },
        },
      ],
    },
  },
});
