import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';

/** UI text of the dialog that settles what a restore holds. */
export const recoveryMessages = defineMessages({
  en: {
    title: 'Settle the held posts',
    planned: (count: number, shown: string) => `${shown} planned ${pluralEn(count, 'post', 'posts')}`,
    keep: 'Keep',
    cancel: 'Cancel',
    inDoubt: (count: number, shown: string) => `${shown} ${pluralEn(count, 'publication', 'publications')} in doubt`,
    dismiss: 'Dismiss',
    resend: 'Send again',
    keeps: 'The planned posts are published at their time. Those whose time has passed are published now.',
    keepRisk: 'A post that was already published or cancelled in the lost time is published again.',
    cancels: 'The planned posts are cancelled for good.',
    resends: 'The publications in doubt are sent again.',
    resendRisk: 'A post that was already published in the lost time appears twice.',
    dismisses: 'The publications in doubt are not sent again.',
    settles: 'New posts are published as always.',
    verb: 'Settle all',
    settled: (planned: string, inDoubt: string) => `Settled: ${planned} planned posts, ${inDoubt} publications.`,
  },
  ru: {
    title: 'Решение по задержанным постам',
    planned: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'запланированный пост', 'запланированных поста', 'запланированных постов')}`,
    keep: 'Оставить',
    cancel: 'Отменить',
    inDoubt: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'сомнительная публикация', 'сомнительные публикации', 'сомнительных публикаций')}`,
    dismiss: 'Снять',
    resend: 'Отправить снова',
    keeps: 'Запланированные посты выйдут в своё время; те, чьё время прошло, — сразу.',
    keepRisk: 'Пост, который за потерянное время вышел или был отменён, выйдет снова.',
    cancels: 'Запланированные посты отменяются окончательно.',
    resends: 'Сомнительные публикации отправляются снова.',
    resendRisk: 'Пост, который за потерянное время уже вышел, появится дважды.',
    dismisses: 'Сомнительные публикации больше не отправляются.',
    settles: 'Новые посты выходят как обычно.',
    verb: 'Применить ко всем',
    settled: (planned: string, inDoubt: string) =>
      `Готово: запланированных постов — ${planned}, публикаций — ${inDoubt}.`,
  },
});
