import { defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';

const postsEn = (count: number, isMore: boolean): string =>
  `${isMore ? 'More than ' : ''}${count} waiting ${pluralEn(count, 'post', 'posts')}`;
const postsRu = (count: number, isMore: boolean): string =>
  `${isMore ? 'больше ' : ''}${count} ${pluralRu(count, 'пост', 'поста', 'постов')} из очереди`;

/** UI text for the pause and resume dialogs. */
export const pauseMessages = defineMessages({
  en: {
    pause: 'Pause',
    pauseOf: (name: string) => `Pause ${name}`,
    pauseTitle: 'Pause a channel or a channel set',
    resumeOf: (name: string) => `Resume ${name}`,
    what: 'Channel or channel set',
    choose: 'Choose…',
    channels: 'Channels',
    projects: 'Channel sets',
    length: 'How long',
    custom: 'Custom',
    minutes: 'Minutes',
    minutesHint: (max: string) => `1 to ${max}`,
    badMinutes: (max: string) => `Enter a whole number from 1 to ${max}.`,
    pauseFor: (length: string) => `Pause for ${length}`,
    resumeNow: 'Resume now',
    newPostsWait: (until: string) => `New posts wait until ${until}.`,
    postsWait: (count: number, isMore: boolean, until: string) =>
      `${postsEn(count, isMore)} and all new ones are held until ${until}.`,
    spacing: 'After that, they are published in order, one per minute.',
    spacingUntil: (last: string) =>
      `After that, they are published in order, one per minute, the last one at about ${last}.`,
    spacingPerChannel: 'After that, each channel publishes them in order, one per minute.',
    everyProject: 'The pause applies in every channel set that uses this channel.',
    othersPublish: 'Other channels publish as usual.',
    acceptedBefore: 'Posts that arrived before the pause are still published.',
    neverShorter: (until: string) => `It is already paused until ${until}. A new pause can’t make it shorter.`,
    nothingHeld: 'No posts are waiting. New posts are published right away.',
    oneGoes: 'The waiting post is published now.',
    heldGo: (count: number, isMore: boolean) =>
      `${postsEn(count, isMore)} are published in order, starting now, one per minute.`,
    heldOfProjectGo: 'Posts held by the pause are published in order, starting now, one per minute on each channel.',
    lastAt: (last: string) => `The last one goes out at about ${last}.`,
    cannotUndo: 'Once published, a post can’t be unpublished from here. You can pause again at any time.',
    paused: (name: string, until: string) => `${name} is paused until ${until}.`,
    resumed: (name: string) => `${name} is publishing again.`,
    pausedBy: 'Paused by {who} at {at}',
  },
  ru: {
    pause: 'Приостановить',
    pauseOf: (name: string) => `Приостановить «${name}»`,
    pauseTitle: 'Приостановить канал или набор',
    resumeOf: (name: string) => `Снять с паузы «${name}»`,
    what: 'Канал или набор',
    choose: 'Выберите…',
    channels: 'Каналы',
    projects: 'Наборы',
    length: 'На сколько',
    custom: 'Другое',
    minutes: 'Минуты',
    minutesHint: (max: string) => `от 1 до ${max}`,
    badMinutes: (max: string) => `Введите целое число от 1 до ${max}.`,
    pauseFor: (length: string) => `Приостановить на ${length}`,
    resumeNow: 'Снять с паузы',
    newPostsWait: (until: string) => `Новые посты подождут до ${until}.`,
    postsWait: (count: number, isMore: boolean, until: string) =>
      `До ${until} подождут ${postsRu(count, isMore)} и все новые.`,
    spacing: 'Затем они выйдут по порядку, по одному в минуту.',
    spacingUntil: (last: string) => `Затем они выйдут по порядку, по одному в минуту: последний примерно в ${last}.`,
    spacingPerChannel: 'Затем каждый канал опубликует их по порядку, по одному в минуту.',
    everyProject: 'Пауза действует во всех наборах с этим каналом.',
    othersPublish: 'Остальные каналы публикуют как обычно.',
    acceptedBefore: 'Посты, принятые до паузы, всё равно выйдут.',
    neverShorter: (until: string) => `Пауза уже стоит до ${until}. Сократить её нельзя, поэтому это время останется.`,
    nothingHeld: 'В очереди пусто. Новые посты будут выходить сразу.',
    oneGoes: 'Пост из очереди выйдет сразу.',
    heldGo: (count: number, isMore: boolean) =>
      `${capitalize(postsRu(count, isMore))} начнут выходить по порядку, по одному в минуту.`,
    heldOfProjectGo: 'Посты, которые держит пауза, начнут выходить по порядку: на каждом канале по одному в минуту.',
    lastAt: (last: string) => `Последний выйдет примерно в ${last}.`,
    cannotUndo: 'Вышедший пост вернуть нельзя. Поставить новую паузу можно в любой момент.',
    paused: (name: string, until: string) => `Пауза для «${name}» — до ${until}.`,
    resumed: (name: string) => `«${name}» снова публикует.`,
    pausedBy: 'Пауза: {who}, {at}',
  },
});

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
