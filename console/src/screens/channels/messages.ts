import { getFormat } from '../../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';

/** UI text for the channel screens. */
export const channelsMessages = defineMessages({
  en: {
    channels: 'Channels',
    new: 'New',
    newTitle: 'Connect a channel',
    newText: 'One chat, group or community on one network. Nothing is posted until you send a post.',
    mayPost: (name: string) => `${name} is connected and allowed to post.`,
    addToProject: 'Add it to a project, so that posts reach it.',
    mayNotPostYet: 'Almost there: posting is not allowed yet.',
    chatMissing: (network: string) => `Almost there: ${network} doesn’t show the chat yet.`,
    tokenRefused: 'Channel saved, but its token is not confirmed.',
    fixThenTest: 'Fix what the test found, then test again.',
    noneTitle: 'Connect your first channel',
    noneYet: 'No channels yet',
    noneText:
      'A channel is one chat, group or community on Telegram, VK, MAX or Odnoklassniki. Posts are published there.',
    connect: 'Connect a channel',
    titleWell: (count: number) =>
      `${countEn(count)}. ${count === 1 ? 'It is not on hold.' : 'None of them is on hold.'}`,
    titleRefused: (count: number, network: string, refused: number) =>
      `${countEn(count)}. ${network} refuses posts to ${count === 1 ? 'it' : refused === 1 ? 'one of them' : `${refused} of them`}.`,
    titleOnHold: (count: number, onHold: number) => `${countEn(count)}. ${onHold} of them need your attention.`,
    activeCount: (count: number) => `${en(count)} ${pluralEn(count, 'publishes', 'publish')} as usual.`,
    pausedCount: (count: number) => `${en(count)} ${pluralEn(count, 'is', 'are')} paused.`,
    disabledCount: (count: number) => `${en(count)} ${pluralEn(count, 'is', 'are')} disabled.`,
    channel: 'Channel',
    status: 'Status',
    projects: 'Projects',
    waiting: 'Waiting',
    lastPublished: 'Last published',
    action: 'Action',
    noProject: 'in no project',
    more: (count: number) => `and ${count} more`,
    never: 'never',
    resume: 'Resume…',
    pause: 'Pause…',
    enable: 'Enable',
    enabled: (name: string) => `${name} is enabled.`,
    all: 'All',
    network: 'Network',
    allNetworks: 'All networks',
    find: 'Name, chat, project…',
    nothingFound: 'No channel matches these filters',
    showAll: 'Show all channels',
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
    noneTitle: 'Подключите первый канал',
    noneYet: 'Каналов пока нет',
    noneText: 'Канал — это один чат, группа или сообщество в Telegram, VK, MAX или Одноклассниках. Туда выходят посты.',
    connect: 'Подключить канал',
    titleWell: (count: number) => `${countRu(count)}. ${count === 1 ? 'Он публикует.' : 'Ни один не остановлен.'}`,
    titleRefused: (count: number, network: string, refused: number) =>
      `${countRu(count)}. ${network} не принимает посты ${count === 1 ? 'в него' : refused === 1 ? 'в один из них' : `в ${refused} из них`}.`,
    titleOnHold: (count: number, onHold: number) =>
      `${countRu(count)}. ${onHold} ${pluralRu(onHold, 'ждёт', 'ждут', 'ждут')} вашего внимания.`,
    activeCount: (count: number) =>
      `${ru(count)} ${pluralRu(count, 'публикует', 'публикуют', 'публикуют')} как обычно.`,
    pausedCount: (count: number) => `${ru(count)} на паузе.`,
    disabledCount: (count: number) => `${ru(count)} ${pluralRu(count, 'отключён', 'отключены', 'отключены')}.`,
    channel: 'Канал',
    status: 'Состояние',
    projects: 'Проекты',
    waiting: 'Ждут',
    lastPublished: 'Последний пост',
    action: 'Действие',
    noProject: 'не в проекте',
    more: (count: number) => `и ещё ${count}`,
    never: 'не было',
    resume: 'Снять с паузы…',
    pause: 'Пауза…',
    enable: 'Включить',
    enabled: (name: string) => `Канал «${name}» включён.`,
    all: 'Все',
    network: 'Сеть',
    allNetworks: 'Все сети',
    find: 'Название, чат, проект…',
    nothingFound: 'Под эти условия не подходит ни один канал',
    showAll: 'Показать все каналы',
  },
});

const en = getFormat('en').number;
const ru = getFormat('ru').number;
const countEn = (count: number): string => `${en(count)} ${pluralEn(count, 'channel', 'channels')}`;
const countRu = (count: number): string => `${ru(count)} ${pluralRu(count, 'канал', 'канала', 'каналов')}`;
