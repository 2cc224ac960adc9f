import { message } from '../../kernel/message.js';

/** Notices to owners, in English. */
export const NOTICES_EN = {
  /** `channel.needs_attention` */
  channelNeedsAttention: message(
    'The channel {channel} needs attention. {error} Its posts are held until {until}, or until you request another attempt or set new credentials.',
  ),
  /** `publication.failed` */
  publicationFailed: message(
    'The post {post} was not published on {channel}. {error} You can send it again or dismiss it.',
  ),
  /** `publication.in_doubt` */
  publicationInDoubt: message(
    'Delivery of the post {post} to {channel} could not be confirmed. {error} Check the channel, then send it again or dismiss it.',
  ),
  /** `published_twice` */
  publishedTwice: message(
    'Readers see the post {post} twice on {channel}: {messages}. A call that had been given up succeeded after all. Delete one of the messages there, then dismiss the duplicate.',
  ),
  /** `withdraw_failed` */
  withdrawFailed: message(
    'The post {post} could not be taken back from {channel}: readers may still see it. {error} You can take it back again, or dismiss this to leave it there.',
  ),
  /** `withdraw_failed` */
  withdrawDelayed: message(
    'The post {post} is still to be taken back from {channel}: readers may still see it. {error} The next try is at {until}. If it must go at once, delete it there by hand.',
  ),
  /** `edit_failed` */
  editFailed: message(
    'The post {post} was edited, but readers still see its former content on {channel}. {error} You can edit it again, or take it back.',
  ),
  /** `endpoint.disabled` */
  endpointDisabled: message(
    '{endpoint} was disabled: {reason}. It is not enabled again automatically: fix the cause, then enable it.',
  ),
  /** `webhook_output.disabled` */
  outputDisabled: message(
    'Deliveries to {url} have stopped: {reason}. Fix the cause, enable the webhook output, then retry the failed deliveries.',
  ),
  /** `approval_needed` */
  approvalNeeded: message(
    '{endpoint}: the post {post} is waiting for your approval. It will be published {when}: "{text}". Approve it, or reject it with a reason.',
  ),
  onApproval: 'once it is approved',
  atTime: message('at {at}'),
  noText: 'a post without text',
  /** `quota.nearly_used` */
  quotaNearlyUsed: message(
    'At least {percent} % of the posts of {month} are used: {used} of {total}. When none are left, new posts are refused and queued ones wait until {until}: add a post pack or choose a larger plan before that happens.',
  ),
  /** `quota.used_up` */
  quotaUsedUp: message(
    'All posts of {month} are used: {used} of {total}. New posts are refused, and queued ones wait until {until}. Add a post pack or choose a larger plan to continue right away.',
  ),
  /** `restored` */
  restored: message(
    'A backup was restored, and what happened between {from} and {until} is lost. Posts that were waiting may have been published, changed or cancelled in that time, so they are held. Look at your channels, then keep or cancel the planned posts and resend or dismiss the posts in doubt, all at once.',
  ),
  endpointById: message('The endpoint {id}'),
  endpointByName: message('The endpoint "{name}"'),
};

/** Notices to owners, in Russian. */
export const NOTICES_RU: { readonly [Name in keyof typeof NOTICES_EN]: (typeof NOTICES_EN)[Name] } = {
  /** `channel.needs_attention` */
  channelNeedsAttention: message(
    'Канал {channel} требует внимания. {error} Его посты ждут до {until} или пока вы не попросите попробовать ещё раз либо не зададите новые учётные данные.',
  ),
  /** `publication.failed` */
  publicationFailed: message(
    'Пост {post} не опубликован в {channel}. {error} Вы можете отправить его снова или снять с публикации.',
  ),
  /** `publication.in_doubt` */
  publicationInDoubt: message(
    'Не удалось подтвердить доставку поста {post} в {channel}. {error} Посмотрите там, затем отправьте его снова или снимите с публикации.',
  ),
  /** `published_twice` */
  publishedTwice: message(
    'Читатели видят пост {post} в {channel} дважды: {messages}. Вызов, от которого шлюз уже отказался, всё же удался. Удалите там одно из сообщений, затем снимите отметку о дубле.',
  ),
  /** `withdraw_failed` */
  withdrawFailed: message(
    'Пост {post} не удалось отозвать из {channel}: возможно, читатели его ещё видят. {error} Вы можете отозвать его ещё раз или оставить как есть.',
  ),
  /** `withdraw_failed` */
  withdrawDelayed: message(
    'Пост {post} всё ещё отзывается из {channel}: возможно, читатели его ещё видят. {error} Следующая попытка: {until}. Если он должен исчезнуть сразу, удалите его там вручную.',
  ),
  /** `edit_failed` */
  editFailed: message(
    'Пост {post} изменён, но в {channel} читатели видят прежнее содержание. {error} Вы можете изменить его ещё раз или отозвать.',
  ),
  /** `endpoint.disabled` */
  endpointDisabled: message(
    'Отключено: {endpoint}. Причина: {reason}. Само оно не включится: устраните причину, затем включите снова.',
  ),
  /** `webhook_output.disabled` */
  outputDisabled: message(
    'На адрес {url} больше ничего не доставляется: {reason}. Устраните причину, включите исходящий вебхук и запросите неудавшиеся доставки ещё раз.',
  ),
  /** `approval_needed` */
  approvalNeeded: message(
    'Пост {post} ждёт вашего одобрения ({endpoint}). Он выйдет {when}: «{text}». Одобрите его или отклоните, указав причину.',
  ),
  onApproval: 'сразу после одобрения',
  atTime: message('в {at}'),
  noText: 'пост без текста',
  /** `quota.nearly_used` */
  quotaNearlyUsed: message(
    'Использовано не менее {percent} % постов за {month}: {used} из {total}. Когда их не останется, новые посты будут отклоняться, а стоящие в очереди — ждать до {until}. Заранее добавьте пакет постов или выберите тариф побольше.',
  ),
  /** `quota.used_up` */
  quotaUsedUp: message(
    'Все посты за {month} использованы: {used} из {total}. Новые посты отклоняются, стоящие в очереди ждут до {until}. Чтобы продолжить сразу, добавьте пакет постов или выберите тариф побольше.',
  ),
  /** `restored` */
  restored: message(
    'Данные восстановлены из резервной копии: всё, что произошло с {from} до {until}, потеряно. Ожидавшие посты за это время могли выйти, измениться или быть отменены, поэтому они задержаны. Посмотрите каналы, затем одним действием оставьте или отмените запланированные посты и отправьте снова или снимите с публикации сомнительные.',
  ),
  endpointById: message('точка приёма {id}'),
  endpointByName: message('точка приёма «{name}»'),
};
