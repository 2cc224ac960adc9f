import { defineMessages } from '../../i18n/messages.js';

/** Texts of the screens of channels. */
export const channelsMessages = defineMessages({
  en: {
    channels: 'Channels',
    new: 'New',
    newTitle: 'Connect a channel',
    newText: 'One chat, group or community on one network. Nothing is posted until you send a post.',
    mayPost: (name: string) => `${name} is connected and may post.`,
    addToProject: 'Add it to a project, so that posts reach it.',
    mayNotPostYet: 'Almost there: posting is not allowed yet.',
    chatMissing: (network: string) => `Almost there: ${network} doesn’t show the chat yet.`,
    tokenRefused: 'The channel is saved, but its token is not confirmed.',
    fixThenTest: 'Fix what the test found, then test again.',
  },
  ru: {
    channels: 'Каналы',
    new: 'Новый',
    newTitle: 'Подключите канал',
    newText: 'Один чат, группа или сообщество в одной сети. Пока вы не отправите пост, ничего не публикуется.',
    mayPost: (name: string) => `Канал «${name}» подключён и может публиковать.`,
    addToProject: 'Добавьте его в проект, чтобы до него доходили посты.',
    mayNotPostYet: 'Почти готово: публиковать пока нельзя.',
    chatMissing: (network: string) => `Почти готово: ${network} пока не показывает чат.`,
    tokenRefused: 'Канал сохранён, но токен не подтверждён.',
    fixThenTest: 'Исправьте то, что нашла проверка, и проверьте снова.',
  },
});
