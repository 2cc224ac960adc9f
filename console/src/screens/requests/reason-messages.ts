import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';

const errorsEn = (count: number): string => `${count} ${pluralEn(count, 'error', 'errors')}`;
const errorsRu = (count: number): string => `${count} ${pluralRu(count, 'ошибка', 'ошибки', 'ошибок')}`;
const requestsEn = (count: number): string => `${count} ${pluralEn(count, 'request', 'requests')}`;
const requestsRu = (count: number): string => `${count} ${pluralRu(count, 'запрос', 'запроса', 'запросов')}`;

/** Explanations of the request log's reasons, and what to do about each. */
export const reasonMessages = defineMessages({
  en: {
    none: 'none',
    accepted: {
      short: 'Queued for publishing',
      title: 'The post was accepted.',
      text: 'It is queued for its channels, or planned.',
    },
    changed: {
      short: 'Planned post changed',
      title: 'The planned post was changed.',
      text: 'Its history shows every version.',
    },
    cancelled: {
      short: 'Post cancelled',
      title: 'The post was cancelled.',
      text: 'Any part of it that was still planned or queued is not published.',
    },
    answered: { short: 'Answered', title: 'The request was answered.', text: 'It did not create a post.' },
    noProject: {
      short: 'Accepted, but the endpoint has no channel set',
      title: 'The request was fine, but there was nowhere to post.',
      text: 'The endpoint has no channel set, so no post was created.',
    },
    replay: {
      short: 'Sent before with this key: nothing new was posted',
      title: 'The same request was sent again.',
      text: 'Its idempotency key had been used before, so it got the first answer again and nothing was posted.',
    },
    mismatch: {
      short: 'A different body with a key that was used before',
      title: 'The key was used before, with another body.',
      text: 'The request got the first answer again. The new body was not posted.',
    },
    badToken: {
      short: 'Wrong token',
      title: 'The token does not belong to this endpoint.',
      text: 'The Authorization header is missing, mistyped, or contains a token that was replaced.',
    },
    testToken: {
      short: 'A test token on the live address',
      title: 'The token belongs to a test endpoint.',
      text: 'Test endpoints only work in the sandbox. They never publish.',
    },
    ipNotAllowed: (ip: string) => ({
      short: `${ip} is not on the allowlist`,
      title: `The token is valid, but ${ip} is not allowed.`,
      text: 'This endpoint only accepts requests from the addresses on its allowlist.',
    }),
    noTimestamp: {
      short: 'No valid timestamp',
      title: 'The token is valid, but there is no valid timestamp.',
      text: 'This endpoint requires a timestamp header with the Unix time.',
    },
    clockBehind: (length: string) => ({
      short: `Its clock is ${length} behind`,
      title: 'The token is valid, but the timestamp is not.',
      text: `This endpoint accepts timestamps within 5 minutes of the gateway’s clock. The sender’s clock is ${length} behind.`,
    }),
    clockAhead: (length: string) => ({
      short: `Its clock is ${length} ahead`,
      title: 'The token is valid, but the timestamp is not.',
      text: `This endpoint accepts timestamps within 5 minutes of the gateway’s clock. The sender’s clock is ${length} ahead.`,
    }),
    signatureMissing: {
      short: 'No signature',
      title: 'The token is valid, but the request is not signed.',
      text: 'This endpoint requires a signature of the body.',
    },
    badSignature: {
      short: 'Wrong signature',
      title: 'The token is valid, but the signature does not match the body.',
      text: 'The body was signed with another secret, or changed after it was signed.',
    },
    bodyWithheld: {
      short: 'The body did not arrive',
      title: 'The request announced a body but did not send it.',
      text: 'The gateway stopped waiting for it.',
    },
    minInterval: (length: string) => ({
      short: `Too soon: at most one post every ${length}`,
      title: 'The posts came too close together.',
      text: `This endpoint accepts at most one post every ${length}.`,
    }),
    burst: (count: number, length: string) => ({
      short: `More than ${requestsEn(count)} in ${length}`,
      title: 'Too many requests in a short time.',
      text: `The plan allows ${requestsEn(count)} in ${length}.`,
    }),
    hourly: (count: number) => ({
      short: `More than ${count} posts in an hour`,
      title: 'This hour’s posts are used up.',
      text: `The plan allows ${count} posts in an hour.`,
    }),
    perMinute: (count: number) => ({
      short: `More than ${requestsEn(count)} of this kind in a minute`,
      title: 'Too many requests of this kind.',
      text: `The gateway accepts ${count} of them per minute.`,
    }),
    sandbox: (count: number) => ({
      short: `More than ${count} sandbox checks in a day`,
      title: 'Today’s sandbox checks are used up.',
      text: `The plan allows ${count} a day.`,
    }),
    probeBudget: {
      short: 'Too many media to check in a minute',
      title: 'There were too many media to check.',
      text: 'The gateway checks all media before it accepts a post, but only a limited amount per minute.',
    },
    disabledByOwner: {
      short: 'The endpoint is disabled',
      title: 'The endpoint is disabled.',
      text: 'Someone disabled it. Requests are refused until it is enabled again.',
    },
    disabledByLimits: {
      short: 'Disabled after too many requests',
      title: 'The endpoint was disabled automatically.',
      text: 'It exceeded its limits repeatedly. Requests are refused until you enable it again.',
    },
    planWithoutInput: {
      short: 'The plan does not include posting by HTTP',
      title: 'The plan does not include posting by HTTP.',
      text: 'The endpoint was disabled when the plan changed.',
    },
    monthlyQuota: (used: string) => ({
      short: 'This month’s posts are used up',
      title: 'This month’s posts are used up.',
      text: `All ${used} of this month’s posts have been published.`,
    }),
    maintenance: {
      short: 'Planned maintenance',
      title: 'The gateway was under maintenance.',
      text: 'Nothing was accepted. Posts that were already queued were kept.',
    },
    mediaType: (type: string) => ({
      short: `Content-Type: ${type}`,
      title: 'The body was not declared as JSON.',
      text: `The Content-Type was ${type}.`,
    }),
    tooLarge: (size: string) => ({
      short: `The body is ${size}`,
      title: 'The body is too large.',
      text: `It is ${size}, and the limit is 5 MB. Send media as links, not inside the body.`,
    }),
    invalidTargets: {
      short: 'No target belongs to this endpoint',
      title: 'None of the targets belongs to this endpoint.',
      text: 'The field “targets” lists channel sets or channels that this endpoint does not post to.',
    },
    tooManyTargets: (count: number, allowed: number) => ({
      short: `${count} targets; at most ${allowed} are allowed`,
      title: 'The post has too many targets.',
      text: `It has ${count}, and a post may have at most ${allowed}.`,
    }),
    alreadyReleased: {
      short: 'Change to a post that was already released',
      title: 'The post was released before the change arrived.',
      text: 'Only a planned post can be changed.',
    },
    postEnded: {
      short: 'Change to a cancelled or rejected post',
      title: 'The post had already been cancelled or rejected.',
      text: 'It can no longer be changed.',
    },
    revisionMismatch: {
      short: 'Another change came first',
      title: 'Another change to the post came first.',
      text: 'The request was based on an older revision of the post.',
    },
    publishing: {
      short: 'Cancelled while it was being sent',
      title: 'The post was being sent at that moment.',
      text: 'A publication that is being sent cannot be cancelled.',
    },
    postNotFound: {
      short: 'Request for a post that this endpoint did not accept',
      title: 'This endpoint did not accept this post.',
      text: 'The id may belong to another endpoint.',
    },
    invalid: (code: string, count: number, path: string) => ({
      short: count > 1 ? `${errorsEn(count)} in the body` : `Invalid${path === '' ? ' body' : `: ${path}`}`,
      title: path === '' ? 'The body is not a valid post.' : `The field “${path}” is not valid.`,
      text: `${count > 1 ? `The answer listed ${errorsEn(count)}. The first: ` : 'Code: '}${code}.`,
    }),
    // remedies
    waitFor: (length: string) =>
      `Send the next request after ${length}. The answer’s Retry-After header gave the same time.`,
    addProject: 'Add a channel set to the endpoint.',
    newKey: 'Use a new idempotency key for each new post.',
    checkToken: 'Check the token in the sender’s settings.',
    replaceToken: 'If it is lost, generate a new token; the old one stops working immediately.',
    useLive: 'Use a live endpoint’s URL and token to publish.',
    allowAddress: (ip: string) => `If ${ip} is yours, add it to the allowlist.`,
    checkProxy: 'If the address belongs to a proxy, ask the operator to trust that proxy.',
    setClock: (ip: string) => `Synchronize the clock of the machine at ${ip}, for example over NTP.`,
    sendTimestamp: 'Send the time of the request, in Unix seconds.',
    dropTimestamp: 'Or stop requiring timestamps.',
    sendSignature: 'Sign the body with the signing secret.',
    dropSignature: 'Or stop requiring signatures.',
    signExactBytes: 'Sign exactly the bytes that are sent, with HMAC-SHA-256.',
    replaceSecret: 'If the secret is lost, generate a new one.',
    sendBody: 'Send the whole body without pausing.',
    changeInterval: 'Or shorten the interval.',
    betterPlan: 'A larger plan allows more. The operator can change it.',
    enable: 'Enable the endpoint.',
    slowDown: 'Make the sender wait between posts, and obey Retry-After.',
    retryLater: 'Send it again later.',
    sendJson: 'Send the header Content-Type: application/json.',
    shorten: 'Send media as links, and shorten the metadata.',
    fewerTargets: 'List fewer targets, and send separate posts to the rest.',
    seeTargets: 'See which channel sets it posts to.',
    checkPostId: 'Check the post’s id.',
    cancelOrSend: 'Cancel the parts of it that are still queued, or send a new post.',
    sendNew: 'Send a new post.',
    readAgain: 'Read the post, and repeat the change with its current revision.',
    readErrors:
      'The answer listed each invalid field and the reason. Try the same body in the sandbox to see the list again.',
  },
  ru: {
    none: 'нет',
    accepted: {
      short: 'В очереди на публикацию',
      title: 'Пост принят.',
      text: 'Он в очереди своих каналов или запланирован.',
    },
    changed: {
      short: 'Запланированный пост изменён',
      title: 'Запланированный пост изменён.',
      text: 'Все версии есть в его истории.',
    },
    cancelled: {
      short: 'Пост отменён',
      title: 'Пост отменён.',
      text: 'То, что ещё не вышло, опубликовано не будет.',
    },
    answered: { short: 'Ответ дан', title: 'На вопрос ответили.', text: 'Поста он не создал.' },
    noProject: {
      short: 'Принят, но у точки входа нет набора',
      title: 'Запрос верный, но публиковать некуда.',
      text: 'У точки входа нет набора, поэтому пост не создан.',
    },
    replay: {
      short: 'Уже приходил с этим ключом: ничего нового не вышло',
      title: 'Тот же запрос пришёл ещё раз.',
      text: 'Его ключ идемпотентности уже был, поэтому он получил прежний ответ и ничего не опубликовал.',
    },
    mismatch: {
      short: 'Другое тело с ключом, который уже был',
      title: 'Ключ уже был, но с другим телом.',
      text: 'Запрос получил прежний ответ. Новое тело не опубликовано.',
    },
    badToken: {
      short: 'Неверный токен',
      title: 'Токен не от этой точки входа.',
      text: 'Заголовка Authorization нет, в нём опечатка или токен, который уже заменили.',
    },
    testToken: {
      short: 'Тестовый токен на рабочем адресе',
      title: 'Это токен тестовой точки входа.',
      text: 'Тестовые точки входа работают только в песочнице и ничего не публикуют.',
    },
    ipNotAllowed: (ip: string) => ({
      short: `Адреса ${ip} нет в списке разрешённых`,
      title: `Токен верный, но адрес ${ip} не разрешён.`,
      text: 'Эта точка входа принимает запросы только с адресов из своего списка.',
    }),
    noTimestamp: {
      short: 'Нет времени запроса',
      title: 'Токен верный, но времени запроса нет.',
      text: 'Эта точка входа требует заголовок со временем Unix.',
    },
    clockBehind: (length: string) => ({
      short: `Часы отстают на ${length}`,
      title: 'Токен верный. Время — нет.',
      text: `Точка входа принимает время, которое отличается от её часов не больше чем на 5 минут. Часы отправителя отстают на ${length}.`,
    }),
    clockAhead: (length: string) => ({
      short: `Часы спешат на ${length}`,
      title: 'Токен верный. Время — нет.',
      text: `Точка входа принимает время, которое отличается от её часов не больше чем на 5 минут. Часы отправителя спешат на ${length}.`,
    }),
    signatureMissing: {
      short: 'Нет подписи',
      title: 'Токен верный, но запрос не подписан.',
      text: 'Эта точка входа требует подпись тела.',
    },
    badSignature: {
      short: 'Неверная подпись',
      title: 'Токен верный, но подпись не подходит к телу.',
      text: 'Тело подписано другим секретом или изменено после подписи.',
    },
    bodyWithheld: {
      short: 'Тело не пришло',
      title: 'Запрос объявил тело и не прислал его.',
      text: 'Сервер перестал ждать.',
    },
    minInterval: (length: string) => ({
      short: `Слишком рано: один пост в ${length}`,
      title: 'Посты шли слишком часто.',
      text: `Эта точка входа принимает один пост в ${length}.`,
    }),
    burst: (count: number, length: string) => ({
      short: `Больше чем ${requestsRu(count)} за ${length}`,
      title: 'Слишком много запросов за короткое время.',
      text: `Тариф разрешает ${requestsRu(count)} за ${length}.`,
    }),
    hourly: (count: number) => ({
      short: `Больше ${count} постов за час`,
      title: 'Посты этого часа израсходованы.',
      text: `Тариф разрешает постов в час: ${count}.`,
    }),
    perMinute: (count: number) => ({
      short: `Больше чем ${requestsRu(count)} такого рода за минуту`,
      title: 'Слишком много таких запросов.',
      text: `За минуту сервер отвечает на ${count}.`,
    }),
    sandbox: (count: number) => ({
      short: `Больше ${count} проверок в песочнице за сутки`,
      title: 'Проверки в песочнице на сегодня израсходованы.',
      text: `Тариф разрешает в сутки: ${count}.`,
    }),
    probeBudget: {
      short: 'Слишком много медиа на проверку за минуту',
      title: 'Слишком много медиа на проверку.',
      text: 'Прежде чем принять пост, сервер проверяет каждое медиа, и в минуту делает это ограниченно.',
    },
    disabledByOwner: {
      short: 'Точка входа отключена',
      title: 'Точка входа отключена.',
      text: 'Её отключил человек. Запросы отклоняются, пока её не включат.',
    },
    disabledByLimits: {
      short: 'Отключена: слишком много запросов',
      title: 'Точка входа отключилась сама.',
      text: 'Она раз за разом превышала свои пределы. Запросы отклоняются, пока вы её не включите.',
    },
    planWithoutInput: {
      short: 'Тариф не разрешает публикацию по HTTP',
      title: 'Тариф не разрешает публикацию по HTTP.',
      text: 'Точку входа отключила смена тарифа.',
    },
    monthlyQuota: (used: string) => ({
      short: 'Посты этого месяца израсходованы',
      title: 'Посты этого месяца израсходованы.',
      text: `Опубликовано постов за месяц: ${used}.`,
    }),
    maintenance: {
      short: 'Плановые работы',
      title: 'Шли плановые работы.',
      text: 'Ничего не принималось. Всё, что стояло в очереди, сохранено.',
    },
    mediaType: (type: string) => ({
      short: `Content-Type: ${type}`,
      title: 'Тело не объявлено как JSON.',
      text: `Content-Type был такой: ${type}.`,
    }),
    tooLarge: (size: string) => ({
      short: `Тело занимает ${size}`,
      title: 'Тело слишком большое.',
      text: `Оно занимает ${size}, а предел — 5 МБ. Медиа передают ссылками, а не внутри тела.`,
    }),
    invalidTargets: {
      short: 'Ни одна цель не относится к этой точке входа',
      title: 'Ни одна из целей не относится к этой точке входа.',
      text: 'В поле «targets» названы наборы или каналы, в которые она не публикует.',
    },
    tooManyTargets: (count: number, allowed: number) => ({
      short: `Целей: ${count}, а можно не больше ${allowed}`,
      title: 'Слишком много целей для одного поста.',
      text: `Целей было ${count}, а для одного поста можно не больше ${allowed}.`,
    }),
    alreadyReleased: {
      short: 'Изменение поста, который уже выпущен',
      title: 'Пост выпущен раньше, чем пришло изменение.',
      text: 'Изменить можно только запланированный пост.',
    },
    postEnded: {
      short: 'Изменение поста, который завершён',
      title: 'Этот пост раньше отменили или отклонили.',
      text: 'Изменить его больше нельзя.',
    },
    revisionMismatch: {
      short: 'Пост уже изменён другим запросом',
      title: 'Другое изменение пришло раньше.',
      text: 'В запросе названа более старая версия поста.',
    },
    publishing: {
      short: 'Отмена во время отправки',
      title: 'В этот момент пост отправлялся.',
      text: 'То, что уже отправляется, отменить нельзя.',
    },
    postNotFound: {
      short: 'Вопрос о посте, которого эта точка входа не принимала',
      title: 'Такого поста эта точка входа не принимала.',
      text: 'Возможно, это идентификатор из другой точки входа.',
    },
    invalid: (code: string, count: number, path: string) => ({
      short: count > 1 ? `${errorsRu(count)} в теле` : `Ошибка${path === '' ? ' в теле' : `: ${path}`}`,
      title: path === '' ? 'Тело — не пост.' : `Ошибка в поле «${path}».`,
      text: `${count > 1 ? `В ответе ${errorsRu(count)}. Первая: ` : 'Код: '}${code}.`,
    }),
    waitFor: (length: string) =>
      `Отправьте следующий запрос через ${length}. О том же говорит заголовок Retry-After в ответе.`,
    addProject: 'Добавьте к точке входа набор.',
    newKey: 'Для каждого нового поста берите новый ключ идемпотентности.',
    checkToken: 'Проверьте токен в настройках отправителя.',
    replaceToken: 'Если он потерян, создайте новый; старый сразу перестанет действовать.',
    useLive: 'Для публикации возьмите адрес и токен рабочей точки входа.',
    allowAddress: (ip: string) => `Если ${ip} — ваш адрес, добавьте его в список разрешённых.`,
    checkProxy: 'Если это адрес прокси, попросите оператора доверять этому прокси.',
    setClock: (ip: string) => `Синхронизируйте часы машины ${ip}, например по NTP.`,
    sendTimestamp: 'Передавайте время запроса в секундах Unix.',
    dropTimestamp: 'Или перестаньте требовать время.',
    sendSignature: 'Подписывайте тело секретом.',
    dropSignature: 'Или перестаньте требовать подпись.',
    signExactBytes: 'Подписывайте ровно те байты, которые отправляете, HMAC-SHA-256.',
    replaceSecret: 'Если секрет потерян, создайте новый.',
    sendBody: 'Передавайте тело целиком, без перерыва.',
    changeInterval: 'Или сократите интервал.',
    betterPlan: 'Тариф побольше разрешает больше. Сменить его может оператор.',
    enable: 'Включите точку входа.',
    slowDown: 'Пусть отправитель ждёт между постами и слушается Retry-After.',
    retryLater: 'Отправьте ещё раз позже.',
    sendJson: 'Передавайте заголовок Content-Type: application/json.',
    shorten: 'Передавайте медиа ссылками, сократите metadata.',
    fewerTargets: 'Перечислите в «targets» меньше каналов, а в остальные отправьте ещё один пост.',
    seeTargets: 'Посмотрите, в какие наборы она публикует.',
    checkPostId: 'Проверьте идентификатор поста.',
    cancelOrSend: 'Отмените то, что ещё в очереди, или отправьте новый пост.',
    sendNew: 'Отправьте новый пост.',
    readAgain: 'Прочитайте пост и повторите изменение с его нынешней версией.',
    readErrors:
      'В ответе названо каждое поле и что с ним не так. Отправьте то же тело в песочницу, чтобы увидеть это снова.',
  },
});
