import { defineMessages } from '../../i18n/messages.js';

/** UI text about what a publication needs or is waiting for. */
export const bannerMessages = defineMessages({
  en: {
    doubtTitle: 'Was it published? Check the channel.',
    doubtText:
      '{network} received the request but did not confirm the post. Open the channel, look for the post, then choose. The posts after it were not held up.',
    openChannel: 'Open channel',
    noUrl: 'This chat has no public address. Look for it in {network}.',
    wasPublished: 'It was published',
    sendAgain: 'Send again…',
    failedTitle: 'It was not published.',
    failedText: 'The posts after it were not held up. Send it again once the cause is fixed, or dismiss it.',
    dismiss: 'Dismiss…',
    holdTitle: '{network} refuses posts to this channel.',
    holdNoCredentials: 'The gateway has no credentials for this channel.',
    disabledTitle: 'This channel is disabled.',
    disabledText: 'Its posts wait until you enable it.',
    says: '{network} says: “{text}”.',
    fixChannel: 'Open the channel',
    waitsTitle: 'Why it waits',
    cancel: 'Cancel…',
    cancelNumber: (number: string) => `Cancel ${number}…`,
    resume: 'Resume…',
  },
  ru: {
    doubtTitle: 'Вышел ли пост? Проверьте канал.',
    doubtText:
      '{network} получил запрос, но не подтвердил пост. Откройте канал, найдите там пост и выберите. Следующие посты это не задержало.',
    openChannel: 'Открыть канал',
    noUrl: 'У этого чата нет публичного адреса: найдите его в {network}.',
    wasPublished: 'Пост вышел',
    sendAgain: 'Отправить снова…',
    failedTitle: 'Пост не вышел.',
    failedText: 'Следующие посты это не задержало. Устраните причину и отправьте снова или снимите публикацию.',
    dismiss: 'Снять…',
    holdTitle: '{network} не принимает посты этого канала.',
    holdNoCredentials: 'У сервера нет ключей доступа к этому каналу.',
    disabledTitle: 'Этот канал отключён.',
    disabledText: 'Его посты ждут, пока вы его не включите.',
    says: 'Ответ {network}: «{text}».',
    fixChannel: 'Открыть канал',
    waitsTitle: 'Чего он ждёт',
    cancel: 'Отменить…',
    cancelNumber: (number: string) => `Отменить ${number}…`,
    resume: 'Снять с паузы…',
  },
});
