import { getFormat } from '../i18n/format.js';
import { byName, defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';

const en = getFormat('en');
const ru = getFormat('ru');

/** UI text for the numbers of posts. */
export const statisticsMessages = defineMessages({
  en: {
    title: 'How many people saw it',
    names: byName({ views: 'Views', reactions: 'Reactions', comments: 'Comments', shares: 'Reposts' }),
    notGiven: 'not given',
    states: byName({
      pending: 'Not read yet. The first numbers come five minutes after publishing.',
      off: 'Reading numbers is switched off for this channel or this gateway.',
      gone: 'The post is no longer there. These are its last numbers.',
      goneWithout: 'The post is no longer there, and no numbers were read.',
    }),
    readNow: 'Read now',
    readAt: 'Read at',
    tooSoon: 'These numbers were read less than a minute ago.',
    chart: (name: string) => `${name}, reading by reading`,
    at: 'Time',
    channelTitle: 'The last 30 days',
    inDays: (name: string) => `${name} of the posts of each day`,
    postsInDays: 'Posts of each day',
    posts: 'Posts',
    postCount: (count: number) => `${en.number(count)} ${pluralEn(count, 'post', 'posts')}`,
    noNumbers: (network: string) => `${network} has given no numbers for these posts, so the bars count posts.`,
    nothing: 'Nothing was published in the last 30 days.',
    topTitle: 'Most seen in 30 days',
    noTop: 'No network has said how many people saw your posts of the last 30 days.',
    withoutText: 'Without text',
    csv: 'Numbers as CSV',
    csvFailed: 'The numbers could not be downloaded.',
  },
  ru: {
    title: 'Сколько людей увидело',
    names: byName({ views: 'Просмотры', reactions: 'Реакции', comments: 'Комментарии', shares: 'Репосты' }),
    notGiven: 'нет данных',
    states: byName({
      pending: 'Ещё не прочитано. Первые показатели появятся через пять минут после публикации.',
      off: 'Чтение показателей выключено для этого канала или этого шлюза.',
      gone: 'Поста там больше нет. Это его последние показатели.',
      goneWithout: 'Поста там больше нет, а показатели не прочитаны.',
    }),
    readNow: 'Прочитать сейчас',
    readAt: 'Прочитано',
    tooSoon: 'Эти показатели прочитаны меньше минуты назад.',
    chart: (name: string) => `${name} при каждом чтении`,
    at: 'Время',
    channelTitle: 'За последние 30 дней',
    inDays: (name: string) => `${name} постов каждого дня`,
    postsInDays: 'Посты каждого дня',
    posts: 'Посты',
    postCount: (count: number) => `${ru.number(count)} ${pluralRu(count, 'пост', 'поста', 'постов')}`,
    noNumbers: (network: string) => `${network} не сообщает показателей этих постов, поэтому столбцы считают посты.`,
    nothing: 'За последние 30 дней ничего не опубликовано.',
    topTitle: 'Больше всего просмотров за 30 дней',
    noTop: 'Ни одна сеть не сообщила, сколько людей увидело ваши посты за последние 30 дней.',
    withoutText: 'Без текста',
    csv: 'Показатели в CSV',
    csvFailed: 'Скачать показатели не удалось.',
  },
});
