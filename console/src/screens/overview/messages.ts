import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';

/** UI text for the overview, except for items that need attention. */
export const overviewMessages = defineMessages({
  en: {
    needsAttention: (count: number, shown: string) =>
      `${shown} ${pluralEn(count, 'thing needs', 'things need')} your attention. Everything else is being published.`,
    othersApprove: (count: number, shown: string) =>
      `${shown} ${pluralEn(count, 'post is', 'posts are')} waiting for approval. Everything else is being published.`,
    publishing: 'Everything is being published.',
    published: 'Everything is published.',
    nothingWaiting: 'Nothing is waiting.',
    areWaiting: (count: number, shown: string) =>
      `${shown} ${pluralEn(count, 'publication is', 'publications are')} waiting.`,
    publishedHour: (count: number, shown: string) =>
      `${shown} ${pluralEn(count, 'publication', 'publications')} in the last hour.`,
    waitingOldest: (count: number, shown: string) => `${shown} ${pluralEn(count, 'is', 'are')} waiting, the oldest for`,
    compose: 'Compose',
    networks: 'Networks',
    inHour: 'in the last hour',
    perMinute: 'a minute',
    inDoubt: (shown: string) => `${shown} in doubt`,
    onHold: 'On hold',
    paused: 'Paused',
    slowed: 'Slowed down',
    going: 'Publishing',
    idle: 'Idle',
    waiting: (_count: number, shown: string) => `${shown} waiting`,
    pausedUntil: 'paused',
    next: 'next in',
    oldest: 'oldest',
    nothing: 'Nothing waiting',
    lastAt: 'last at',
    waitingTitle: 'Waiting, and why',
    waitingEmpty: 'The queue is empty',
    waitingEmptyText: 'Posts are published as soon as they arrive.',
    allWaiting: (shown: string) => `All ${shown} on the timeline`,
    why: 'Why is it waiting?',
    openPublication: 'Open this publication',
    noText: 'A post without text',
    minutes: 'Publications over time',
    legend: { published: 'published', in_doubt: 'in doubt', failed: 'failed' },
    minute: 'Time',
    noPublications: 'No publications in this period.',
    now: 'now',
    feed: 'Live activity',
    openTimeline: 'Open timeline',
    feedEmpty: 'Nothing has been published yet',
    writePost: 'Write a post',
    newRows: (shown: string) => `${shown} new`,
    disabled: 'disabled',
    settled: 'Resolved by a person',
  },
  ru: {
    needsAttention: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'вещь ждёт', 'вещи ждут', 'вещей ждут')} вашего внимания. Остальное публикуется.`,
    othersApprove: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'пост ждёт', 'поста ждут', 'постов ждут')} одобрения. Остальное публикуется.`,
    publishing: 'Всё публикуется.',
    published: 'Всё опубликовано.',
    nothingWaiting: 'В очереди пусто.',
    areWaiting: (count: number, shown: string) =>
      `В очереди ${shown} ${pluralRu(count, 'публикация', 'публикации', 'публикаций')}.`,
    publishedHour: (count: number, shown: string) =>
      `За час — ${shown} ${pluralRu(count, 'публикация', 'публикации', 'публикаций')}.`,
    waitingOldest: (count: number, shown: string) =>
      `${pluralRu(count, 'Ждёт', 'Ждут', 'Ждут')} ${shown}, дольше всех —`,
    compose: 'Написать',
    networks: 'Сети',
    inHour: 'за час',
    perMinute: 'в минуту',
    inDoubt: (shown: string) => `${shown} под вопросом`,
    onHold: 'Остановлен',
    paused: 'На паузе',
    slowed: 'Просит ждать',
    going: 'Публикует',
    idle: 'Без постов',
    waiting: (count: number, shown: string) => `${shown} ${pluralRu(count, 'ждёт', 'ждут', 'ждут')}`,
    pausedUntil: 'на паузе',
    next: 'следующий через',
    oldest: 'дольше всех',
    nothing: 'Очередь пуста',
    lastAt: 'вышел в',
    waitingTitle: 'Что ждёт и почему',
    waitingEmpty: 'В очереди пусто',
    waitingEmptyText: 'Посты публикуются сразу, как приходят.',
    allWaiting: (shown: string) => `Вся очередь на ленте: ${shown}`,
    why: 'Чего ждёт этот пост?',
    openPublication: 'Открыть публикацию',
    noText: 'Пост без текста',
    minutes: 'Публикации по времени',
    legend: { published: 'вышло', in_doubt: 'под вопросом', failed: 'не вышло' },
    minute: 'Время',
    noPublications: 'За это время публикаций не было.',
    now: 'сейчас',
    feed: 'Прямо сейчас',
    openTimeline: 'Открыть ленту',
    feedEmpty: 'Пока ничего не опубликовано',
    writePost: 'Написать пост',
    newRows: (shown: string) => `новых: ${shown}`,
    disabled: 'выключено',
    settled: 'Решено человеком',
  },
});

/** UI text in one language. */
export type OverviewMessages = (typeof overviewMessages)['en'];

/** UI text about what needs attention, by API code, and the action labels. */
export const attentionMessages = defineMessages({
  en: {
    title: 'Needs your attention',
    since: 'since',
    noText: 'a post without text',
    ofOwner: '{owner}: ',
    restored: 'A backup was restored, and some of what happened since it was made is lost.',
    restoredText: (count: number, shown: string) =>
      `${shown} ${pluralEn(count, 'post is', 'posts are')} held, because they may have been published, changed or cancelled in that time. Look at your channels, then settle all of them at once.`,
    inDoubt: 'Was “{excerpt}” published on {network}?',
    inDoubtText:
      '{network} did not confirm it. Check the channel “{channel}”, then resolve it here. Later posts are not held up.',
    notWithdrawn: '“{excerpt}” is not taken back from {network}.',
    notWithdrawnText: 'Readers of the channel “{channel}” may still see it.',
    notEdited: 'On {network}, readers still see the former content of “{excerpt}”.',
    ofChannel: 'Channel “{channel}”.',
    notEditedText: 'Channel “{channel}”. Edit the post again, take it back, or leave it.',
    twice: 'Readers see “{excerpt}” twice on {network}.',
    twiceText: 'Channel “{channel}”. Delete one of the messages there, then dismiss the duplicate here.',
    channel: {
      right: '{network} does not allow posts in “{channel}”.',
      token: '{network} does not accept the token of “{channel}”.',
      credentials: 'The gateway has no credentials for “{channel}” on {network}.',
      chat: '{network} cannot find the chat of “{channel}”.',
      account: '{network} has blocked the account behind “{channel}”.',
      confirmation: '{network} asks you to confirm the account behind “{channel}”.',
      other: '{network} rejects posts to “{channel}”.',
    },
    keepOrder: (count: number, shown: string) =>
      `${shown} ${pluralEn(count, 'post is waiting and keeps its place', 'posts are waiting and keep their order')}.`,
    says: '{network} says: “{says}”',
    endpoint: {
      rate_limits: 'The endpoint “{name}” was disabled: too many requests too fast.',
      plan: 'The endpoint “{name}” was disabled: the plan does not include it.',
      other: 'The endpoint “{name}” was disabled.',
    },
    endpointText: 'Its requests are rejected until you enable it.',
    quota: 'This month’s posts are used up.',
    quotaText:
      'New posts are rejected and queued posts wait until {until}. The operator can add a post pack or a larger plan before then.',
    failed: '“{excerpt}” was not published on {network}.',
    failedText: 'Channel “{channel}”.',
    output: {
      gone: 'The webhook {name} was disabled: its server reported that the URL is gone.',
      failures: 'The webhook {name} was disabled: it failed for five days.',
      secret: 'The webhook {name} was disabled: its signing secret cannot be read.',
      plan: 'The webhook {name} was disabled: the plan does not include it.',
      other: 'The webhook {name} was disabled.',
    },
    outputText: 'Nothing is delivered to it until you enable it.',
    approval: '“{excerpt}” needs your approval.',
    approvalText: 'It is published only after you approve it.',
    othersApprove: '“{excerpt}” is waiting for approval.',
    othersApproveText: 'It is published only after someone who may approve posts approves it.',
    approversText: 'It is published only after approval by {who}.',
    approvalThrough: 'Sent through “{name}”.',
    projection: 'The read model “{name}” has stopped at event {position}, {type}.',
    projectionText: 'Posts are still being published, but this read model has not been updated since {since}.',
    store: 'The event store is unavailable.',
    storeText: 'No posts are being accepted or published.',
    many: {
      withdraw_failed: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'publication is', 'publications are')} not taken back.`,
      edit_failed: (count: number, shown: string) =>
        `On ${shown} ${pluralEn(count, 'channel', 'channels')}, readers still see the former content.`,
      in_doubt: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'publication is', 'publications are')} in doubt.`,
      published_twice: (count: number, shown: string) =>
        `Readers see ${shown} ${pluralEn(count, 'publication', 'publications')} twice.`,
      channel_needs_attention: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'channel is', 'channels are')} on hold.`,
      endpoint_disabled: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'endpoint is', 'endpoints are')} disabled.`,
      quota_exhausted: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'owner has', 'owners have')} used up this month’s posts.`,
      publication_failed: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'publication', 'publications')} failed.`,
      webhook_output_disabled: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'webhook is', 'webhooks are')} disabled.`,
      approval_needed: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'post needs', 'posts need')} approval.`,
      projection_stopped: (count: number, shown: string) =>
        `${shown} ${pluralEn(count, 'read model has', 'read models have')} stopped.`,
    },
    action: {
      resolve: 'Resolve…',
      settle: 'Settle all…',
      review: 'Review…',
      newToken: 'New token…',
      enable: 'Enable',
      enableAndReplay: 'Enable and replay',
      viewPlan: 'View plan',
      viewReason: 'See why',
      view: 'View',
      viewAll: 'View all',
    },
    more: (shown: string) => `${shown} more like this`,
    showRest: (shown: string) => `Show ${shown} more`,
    enabled: (name: string) => `${name} is enabled. It accepts requests again.`,
    replayed: (count: number, shown: string) =>
      `The webhook is enabled. ${shown} ${pluralEn(count, 'delivery is', 'deliveries are')} being sent again.`,
  },
  ru: {
    title: 'Требует вашего внимания',
    since: 'с',
    noText: 'пост без текста',
    ofOwner: '{owner}: ',
    restored: 'Данные восстановлены из резервной копии, и часть событий после неё потеряна.',
    restoredText: (count: number, shown: string) =>
      `${pluralRu(count, 'Задержан', 'Задержаны', 'Задержано')} ${shown} ${pluralRu(count, 'пост', 'поста', 'постов')}: за это время они могли выйти, измениться или быть отменены. Посмотрите каналы, затем решите сразу обо всех.`,
    inDoubt: 'Вышел ли пост «{excerpt}» в {network}?',
    inDoubtText:
      '{network} не подтвердил публикацию. Проверьте канал «{channel}» и отметьте здесь; следующие посты не задержаны.',
    notWithdrawn: '«{excerpt}» не отозван из {network}.',
    notWithdrawnText: 'Возможно, читатели канала «{channel}» его ещё видят.',
    notEdited: 'Читатели {network} видят прежнее содержание поста «{excerpt}».',
    ofChannel: 'Канал «{channel}».',
    notEditedText: 'Канал «{channel}». Измените пост ещё раз, отзовите или оставьте как есть.',
    twice: 'Читатели видят «{excerpt}» в {network} дважды.',
    twiceText: 'Канал «{channel}». Удалите там одно из сообщений, затем снимите здесь отметку о дубле.',
    channel: {
      right: '{network} не разрешает писать в «{channel}».',
      token: '{network} не принимает токен канала «{channel}».',
      credentials: 'У сервера нет ключей доступа для «{channel}» ({network}).',
      chat: '{network} не находит чат канала «{channel}».',
      account: '{network} заблокировал учётную запись канала «{channel}».',
      confirmation: '{network} просит подтвердить учётную запись канала «{channel}».',
      other: '{network} не принимает посты канала «{channel}».',
    },
    keepOrder: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'пост ждёт', 'поста ждут', 'постов ждут')}, порядок сохранится.`,
    says: 'Ответ {network}: «{says}»',
    endpoint: {
      rate_limits: 'Точка входа «{name}» выключена: слишком частые запросы.',
      plan: 'Точка входа «{name}» выключена: её нет в тарифе.',
      other: 'Точка входа «{name}» выключена.',
    },
    endpointText: 'Её запросы отклоняются, пока вы её не включите.',
    quota: 'Посты на этот месяц закончились.',
    quotaText:
      'Новые посты не принимаются, а посты в очереди ждут до {until} или пока оператор не добавит пакет постов либо тариф крупнее.',
    failed: 'Пост «{excerpt}» не вышел в {network}.',
    failedText: 'Канал «{channel}».',
    output: {
      gone: 'Вебхук {name} выключен: сервер ответил, что адреса больше нет.',
      failures: 'Вебхук {name} выключен: пять дней подряд доставка не удавалась.',
      secret: 'Вебхук {name} выключен: его секрет подписи не читается.',
      plan: 'Вебхук {name} выключен: его нет в тарифе.',
      other: 'Вебхук {name} выключен.',
    },
    outputText: 'Пока вы его не включите, ничего не доставляется.',
    approval: 'Пост «{excerpt}» ждёт вашего одобрения.',
    approvalText: 'Он выйдет, только если вы его одобрите.',
    othersApprove: 'Пост «{excerpt}» ждёт одобрения.',
    othersApproveText: 'Он выйдет, только если его одобрит тот, кто может одобрять посты.',
    approversText: 'Он выйдет только после одобрения. Решает: {who}.',
    approvalThrough: 'Пришёл через «{name}».',
    projection: 'Проекция «{name}» остановилась на событии {position}, {type}.',
    projectionText: 'Посты публикуются как обычно. Данные этой проекции — по состоянию на {since}.',
    store: 'Хранилище событий недоступно.',
    storeText: 'Посты не принимаются и не публикуются.',
    many: {
      withdraw_failed: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'публикация не отозвана', 'публикации не отозваны', 'публикаций не отозвано')}.`,
      edit_failed: (count: number, shown: string) =>
        `Прежнее содержание читатели видят ещё в ${shown} ${pluralRu(count, 'канале', 'каналах', 'каналах')}.`,
      in_doubt: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'публикация', 'публикации', 'публикаций')} под вопросом.`,
      published_twice: (count: number, shown: string) =>
        `Читатели видят дважды: ${shown} ${pluralRu(count, 'публикацию', 'публикации', 'публикаций')}.`,
      channel_needs_attention: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'канал остановлен', 'канала остановлены', 'каналов остановлены')}.`,
      endpoint_disabled: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'точка входа выключена', 'точки входа выключены', 'точек входа выключены')}.`,
      quota_exhausted: (count: number, shown: string) =>
        `У ${shown} ${pluralRu(count, 'владельца', 'владельцев', 'владельцев')} закончились посты на этот месяц.`,
      publication_failed: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'публикация не вышла', 'публикации не вышли', 'публикаций не вышли')}.`,
      webhook_output_disabled: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'вебхук выключен', 'вебхука выключены', 'вебхуков выключены')}.`,
      approval_needed: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'пост ждёт', 'поста ждут', 'постов ждут')} одобрения.`,
      projection_stopped: (count: number, shown: string) =>
        `${shown} ${pluralRu(count, 'проекция остановилась', 'проекции остановились', 'проекций остановились')}.`,
    },
    action: {
      resolve: 'Решить…',
      settle: 'Решить обо всех…',
      review: 'Проверить…',
      newToken: 'Новый токен…',
      enable: 'Включить',
      enableAndReplay: 'Включить и доставить',
      viewPlan: 'Тариф',
      viewReason: 'Почему?',
      view: 'Посмотреть',
      viewAll: 'Посмотреть все',
    },
    more: (shown: string) => `Ещё таких же: ${shown}`,
    showRest: (shown: string) => `Показать ещё ${shown}`,
    enabled: (name: string) => `«${name}» снова принимает запросы.`,
    replayed: (count: number, shown: string) =>
      `Вебхук включён. Повторно ${pluralRu(count, 'отправляется', 'отправляются', 'отправляются')} ${shown} ${pluralRu(count, 'доставка', 'доставки', 'доставок')}.`,
  },
});

/** UI text in one language. */
export type AttentionMessages = (typeof attentionMessages)['en'];
