import { defineMessages } from '../../i18n/messages.js';

/** Texts of the screen of a post alone. */
export const postMessages = defineMessages({
  en: {
    postLoading: 'Post',
    content: 'Content',
    noContent: 'The content of this post is not stored any more.',
    details: 'Details',
    endpoint: 'Endpoint',
    externalId: 'External id',
    traceId: 'Trace id',
    metadata: 'Metadata',
    none: 'none',
    publications: 'Publications',
    cancelAll: 'Cancel all queued…',
    attachments: 'Media',
    buttons: 'Buttons',
    asJson: 'Payload as JSON',
  },
  ru: {
    postLoading: 'Пост',
    content: 'Содержимое',
    noContent: 'Содержимое этого поста больше не хранится.',
    details: 'Подробности',
    endpoint: 'Точка входа',
    externalId: 'Внешний id',
    traceId: 'Trace id',
    metadata: 'Метаданные',
    none: 'нет',
    publications: 'Публикации',
    cancelAll: 'Отменить всё в очереди…',
    attachments: 'Вложения',
    buttons: 'Кнопки',
    asJson: 'Пост как JSON',
  },
});
