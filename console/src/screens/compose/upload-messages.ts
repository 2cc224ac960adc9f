import { defineMessages } from '../../i18n/messages.js';

/** UI text of files that are uploaded into a post. */
export const uploadMessages = defineMessages({
  en: {
    choose: 'Photo, video or audio from this device',
    chooseHint: 'Photo, video or audio from this device. You can also drop files on the post, or paste them.',
    drop: 'Drop to add to the post',
    retry: 'Try again',
    remove: 'Remove',
    cancel: 'Cancel the upload',
    failed: (name: string) => `${name} was not uploaded`,
    uploading: (name: string, percent: number) => `${name} is being uploaded: ${percent}%`,
    sent: (sent: string, size: string) => `${sent} of ${size}`,
    noConnection: 'was not uploaded: the connection broke.',
    unknown: 'was not uploaded.',
  },
  ru: {
    choose: 'Фото, видео или аудио с устройства',
    chooseHint: 'Фото, видео или аудио с устройства. Файлы можно и перетащить на пост или вставить.',
    drop: 'Отпустите, чтобы добавить в пост',
    retry: 'Повторить',
    remove: 'Убрать',
    cancel: 'Отменить загрузку',
    failed: (name: string) => `${name}: не загружено`,
    uploading: (name: string, percent: number) => `${name} загружается: ${percent}%`,
    sent: (sent: string, size: string) => `${sent} из ${size}`,
    noConnection: 'не загружено: связь прервалась.',
    unknown: 'не загружено.',
  },
});
