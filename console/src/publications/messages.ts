import { defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';

/**
 * UI text that says why a publication is waiting or what happened to it, in a few words.
 */
export const waitingMessages = defineMessages({
  en: {
    channel: 'this channel',
    project: 'this project',
    short: {
      scheduled: 'planned for {until}',
      approval: 'waits for approval',
      restored: 'held after a restore',
      paused: '{name} is paused',
      backlogSpacing: 'next after the pause',
      rightAfterIt: 'publishes right after it',
      afterNumber: 'publishes right after number {first}',
      afterAnother: 'publishes after an earlier post',
      next: 'about to be published',
      retry: 'attempt {attempt} of {of} failed',
      retryUncounted: 'the last attempt failed',
      platformLimit: '{network} asked for a delay',
      pace: 'waits for its turn on {network}',
      share: 'your other posts or files come first',
      refused: '{network} refuses its posts',
      noCredentials: '{name} has no credentials',
      disabled: '{name} is disabled',
      quota: 'this month’s posts are used up',
      inDoubt: 'was it published? Check {network}',
      failed: (attempts: number, shown: string) => `failed after ${shown} ${pluralEn(attempts, 'attempt', 'attempts')}`,
      filtered: 'left out by the project’s filters',
      dismissed: 'dismissed',
      publishing: 'being published',
      published: 'published at {at}',
    },
  },
  ru: {
    channel: 'этот канал',
    project: 'этот проект',
    short: {
      scheduled: 'запланирован на {until}',
      approval: 'ждёт одобрения',
      restored: 'задержан после восстановления',
      paused: '«{name}» на паузе',
      backlogSpacing: 'следующий после паузы',
      rightAfterIt: 'выйдет сразу за ним',
      afterNumber: 'выйдет сразу после номера {first}',
      afterAnother: 'сначала выйдет более ранний пост',
      next: 'вот-вот выйдет',
      retry: 'попытка {attempt} из {of} не удалась',
      retryUncounted: 'последняя попытка не удалась',
      platformLimit: '{network} просит подождать',
      pace: 'ждёт своей очереди в {network}',
      share: 'сначала другие ваши посты и файлы',
      refused: '{network} не принимает посты',
      noCredentials: 'у «{name}» нет ключей доступа',
      disabled: '«{name}» выключен',
      quota: 'посты на этот месяц закончились',
      inDoubt: 'вышел ли пост? Проверьте {network}',
      failed: (attempts: number, shown: string) =>
        `не вышел: ${shown} ${pluralRu(attempts, 'неудачная попытка', 'неудачные попытки', 'неудачных попыток')}`,
      filtered: 'отсеян фильтром проекта',
      dismissed: 'снят с публикации',
      publishing: 'публикуется',
      published: 'вышел в {at}',
    },
  },
});

/** UI text in one language. */
export type WaitingMessages = (typeof waitingMessages)['en'];
