import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';

const ofEn = (count: number, all: number): string => `${count} of ${all} ${pluralEn(all, 'channel', 'channels')}`;
const ofRu = (count: number, all: number): string =>
  `${count} из ${all} ${pluralRu(all, 'канала', 'каналов', 'каналов')}`;

/** UI text for editing a published post. */
export const editMessages = defineMessages({
  en: {
    post: 'Published post',
    begin: 'Edit the published post.',
    empty: 'A post needs some content.',
    checking: 'Checking the edit…',
    problems: 'Not ready: there is something to fix.',
    outdated: 'This post has changed since you began.',
    outdatedText: 'Load the current version, then edit that. Your changes here are dropped.',
    refused: 'This edit is not possible.',
    changes: (count: number, all: number) => `The edit reaches ${ofEn(count, all)}.`,
    none: 'No channel can show this.',
    same: 'Readers see exactly this already.',
    summary: 'Checked as you type. Readers keep their messages, in their places; nothing is posted again.',
    what: 'What readers will see',
    whatText: 'Change something, and this says what happens on each channel.',
    kinds: {
      edited: 'Will be edited',
      same: 'Nothing to change here',
      later: 'Not sent yet: goes out with the new content',
      afterwards: 'Being sent: edited right after that',
      refused: 'Keeps the old content',
      untouched: 'Not published there: nothing happens',
    },
    save: (count: number) => `Save on ${count} ${pluralEn(count, 'channel', 'channels')}`,
    saveNothing: 'Save',
    saved: (count: number) => `Saved. Being edited on ${count} ${pluralEn(count, 'channel', 'channels')}.`,
  },
  ru: {
    post: 'Опубликованный пост',
    begin: 'Измените опубликованный пост.',
    empty: 'В посте должно что-то быть.',
    checking: 'Проверяем правку…',
    problems: 'Ещё не готово: нужно кое-что исправить.',
    outdated: 'Пост изменился, пока вы его правили.',
    outdatedText: 'Загрузите текущую версию и правьте её. Ваши изменения здесь пропадут.',
    refused: 'Так изменить пост нельзя.',
    changes: (count: number, all: number) => `Правка дойдёт до ${ofRu(count, all)}.`,
    none: 'Ни один канал не может это показать.',
    same: 'Читатели уже видят именно это.',
    summary: 'Проверяем по ходу дела. Сообщения останутся на своих местах, заново ничего не выйдет.',
    what: 'Что увидят читатели',
    whatText: 'Измените что-нибудь, и здесь появится, что произойдёт в каждом канале.',
    kinds: {
      edited: 'Изменится',
      same: 'Здесь менять нечего',
      later: 'Ещё не вышел: выйдет уже новым',
      afterwards: 'Отправляется: изменится сразу после',
      refused: 'Останется прежним',
      untouched: 'Там не опубликован: ничего не произойдёт',
    },
    save: (count: number) => `Сохранить в ${count} ${pluralRu(count, 'канале', 'каналах', 'каналах')}`,
    saveNothing: 'Сохранить',
    saved: (count: number) => `Сохранено. Меняется в ${count} ${pluralRu(count, 'канале', 'каналах', 'каналах')}.`,
  },
});
