import { defineMessages } from '../i18n/messages.js';

const MEDIA_EN: Readonly<Record<string, string>> = { photo: 'photo', video: 'video', audio: 'audio', document: 'file' };
const MEDIA_RU: Readonly<Record<string, string>> = { photo: 'фото', video: 'видео', audio: 'аудио', document: 'файл' };

/** UI text shown around the walls. */
export const wallMessages = defineMessages({
  en: {
    readersSee: (network: string) => `What readers of ${network} see`,
    nothing: 'Nothing would be published here.',
    asWritten: 'Just as you wrote it',
    inReplyToMedia: 'in reply to the media above',
    hidden: 'Hidden: click to see',
    mediaType: (type: string) => MEDIA_EN[type] ?? type,
    length: (length: string, limit: string) => `${length} of ${limit} characters`,
  },
  ru: {
    readersSee: (network: string) => `Что увидят читатели в ${network}`,
    nothing: 'Здесь ничего не выйдет.',
    asWritten: 'Без изменений',
    inReplyToMedia: 'в ответ на вложения выше',
    hidden: 'Скрыто: нажмите, чтобы прочитать',
    mediaType: (type: string) => MEDIA_RU[type] ?? type,
    length: (length: string, limit: string) => `${length} из ${limit} знаков`,
  },
});
