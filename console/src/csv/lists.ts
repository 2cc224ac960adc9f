import type { Api } from '../api/management.js';
import { endpointName, type Names } from '../api/things.js';
import { channelState } from '../channels/channel-state.js';
import { channelStateNames } from '../channels/channel-status.js';
import { networkTitle } from '../components/networks.js';
import { defineMessages } from '../i18n/messages.js';
import { shownState } from '../publications/shown-state.js';
import { stateNames } from '../publications/states.js';
import { type CsvColumn, csvTime } from './csv.js';

const m = defineMessages({
  en: {
    id: 'ID',
    text: 'Text',
    accepted: 'Accepted',
    planned: 'Planned for',
    released: 'Released',
    endpoint: 'Endpoint',
    channel: 'Channel',
    network: 'Network',
    state: 'State',
    published: 'Published',
    link: 'Link',
    error: 'Error',
    externalId: 'External ID',
    name: 'Name',
    address: 'Chat or group',
    waiting: 'Waiting',
    lastPublished: 'Last published',
    pausedUntil: 'Paused until',
    created: 'Created',
    mode: 'Mode',
    active: 'Active',
    disabledBy: 'Disabled by',
    at: 'Time',
    ip: 'IP address',
    client: 'Client',
    decision: 'Decision',
    reason: 'Reason',
    status: 'HTTP status',
    latency: 'Milliseconds',
    bytes: 'Bytes',
    post: 'Post',
    kind: 'Kind',
    attempts: 'Attempts',
    nextAttempt: 'Next attempt',
    event: 'Event',
    thing: 'Type',
    thingId: 'ID of the resource',
    actor: 'Who',
    data: 'Details',
    what: 'What happened',
    postedBy: 'Posted by',
    approvedBy: 'Approved or rejected by',
    may: 'May',
    endpoints: 'Endpoints',
    all: 'all',
    lastUsed: 'Last used',
    expires: 'Expires',
    yes: 'yes',
    no: 'no',
  },
  ru: {
    id: 'ID',
    text: 'Текст',
    accepted: 'Принят',
    planned: 'Запланирован на',
    released: 'Отправлен в очередь',
    endpoint: 'Точка входа',
    channel: 'Канал',
    network: 'Сеть',
    state: 'Состояние',
    published: 'Опубликован',
    link: 'Ссылка',
    error: 'Ошибка',
    externalId: 'Внешний ID',
    name: 'Название',
    address: 'Чат или группа',
    waiting: 'В очереди',
    lastPublished: 'Последний пост',
    pausedUntil: 'На паузе до',
    created: 'Создан',
    mode: 'Режим',
    active: 'Работает',
    disabledBy: 'Кем отключена',
    at: 'Время',
    ip: 'IP-адрес',
    client: 'Клиент',
    decision: 'Решение',
    reason: 'Причина',
    status: 'Статус HTTP',
    latency: 'Миллисекунды',
    bytes: 'Байты',
    post: 'Пост',
    kind: 'Вид',
    attempts: 'Попытки',
    nextAttempt: 'Следующая попытка',
    event: 'Событие',
    thing: 'Тип',
    thingId: 'ID ресурса',
    actor: 'Кто',
    data: 'Подробности',
    what: 'Что произошло',
    postedBy: 'Кто отправил',
    approvedBy: 'Кто одобрил или отклонил',
    may: 'Что можно',
    endpoints: 'Точки входа',
    all: 'все',
    lastUsed: 'Последнее обращение',
    expires: 'Действует до',
    yes: 'да',
    no: 'нет',
  },
});

/** A post on one of its channels. */
interface PostLine {
  readonly post: Api<'Post'>;
  readonly publication: Api<'Publication'> | null;
}

/** Returns a line for each channel of each post. */
export const postLines = (posts: readonly Api<'Post'>[]): readonly PostLine[] =>
  posts.flatMap((post): readonly PostLine[] =>
    post.publications.length === 0
      ? [{ post, publication: null }]
      : post.publications.map((publication) => ({ post, publication })),
  );

const nameOfEndpoint = (names: Names, id: string): string => {
  const endpoint = names.endpoint(id);
  return endpoint ? endpointName(endpoint) : id;
};

/** Columns of posts. @param nameOf names an actor */
export const postColumns = (names: Names, nameOf: (actor: string) => string): readonly CsvColumn<PostLine>[] => [
  { title: m.accepted, cell: ({ post }) => csvTime(post.accepted_at) },
  { title: m.text, cell: ({ post }) => post.excerpt },
  { title: m.network, cell: ({ publication }) => publication && networkTitle(publication.platform) },
  { title: m.channel, cell: ({ publication: p }) => p && (names.channel(p.target_id)?.name ?? p.target_id) },
  { title: m.state, cell: ({ publication }) => publication && stateNames[shownState(publication)] },
  { title: m.planned, cell: ({ post }) => csvTime(post.publish_at) },
  { title: m.published, cell: ({ publication }) => csvTime(publication?.published_at) },
  { title: m.link, cell: ({ publication }) => publication?.urls[0] },
  { title: m.error, cell: ({ publication }) => publication?.attempts.at(-1)?.error?.message },
  { title: m.postedBy, cell: ({ post }) => nameOf(post.posted_by) },
  { title: m.approvedBy, cell: ({ post: { approval } }) => approval?.by && nameOf(approval.by) },
  {
    title: m.endpoint,
    cell: ({ post: { endpoint_id: id } }) => nameOfEndpoint(names, id),
  },
  { title: m.externalId, cell: ({ post }) => post.external_id },
  { title: m.id, cell: ({ post }) => post.id },
];

/** Columns of channels. */
export const channelColumns = (): readonly CsvColumn<Api<'Channel'>>[] => [
  { title: m.name, cell: ({ name }) => name },
  { title: m.network, cell: ({ platform }) => networkTitle(platform) },
  { title: m.address, cell: ({ address }) => address.chat_id ?? address.group_id },
  { title: m.state, cell: (channel) => channelStateNames[channelState(channel)] },
  { title: m.waiting, cell: ({ waiting }) => waiting },
  { title: m.lastPublished, cell: (channel) => csvTime(channel.last_published_at) },
  { title: m.pausedUntil, cell: (channel) => csvTime(channel.paused_until) },
  { title: m.created, cell: (channel) => csvTime(channel.created_at) },
  { title: m.id, cell: ({ id }) => id },
];

/** Columns of endpoints. */
export const endpointColumns = (): readonly CsvColumn<Api<'Endpoint'>>[] => [
  { title: m.name, cell: ({ name, slug }) => name ?? slug },
  { title: m.mode, cell: ({ mode }) => mode },
  { title: m.active, cell: (endpoint) => (endpoint.is_active ? m.yes : m.no) },
  { title: m.disabledBy, cell: (endpoint) => endpoint.disabled_by },
  { title: m.created, cell: (endpoint) => csvTime(endpoint.created_at) },
  { title: m.id, cell: ({ id }) => id },
];

/** Columns of the request log. */
export const requestColumns = (): readonly CsvColumn<Api<'Request'>>[] => [
  { title: m.at, cell: ({ at }) => csvTime(at) },
  { title: m.decision, cell: ({ decision }) => decision },
  { title: m.reason, cell: ({ reason }) => reason },
  { title: m.status, cell: (request) => request.http_status },
  { title: m.ip, cell: ({ ip }) => ip },
  { title: m.client, cell: (request) => request.user_agent },
  { title: m.latency, cell: (request) => request.latency_ms },
  { title: m.bytes, cell: (request) => request.payload_bytes },
  { title: m.post, cell: (request) => request.post_id },
  { title: m.id, cell: ({ id }) => id },
];

/** Columns of the deliveries of a webhook. */
export const deliveryColumns = (): readonly CsvColumn<Api<'Delivery'>>[] => [
  { title: m.kind, cell: ({ kind }) => kind },
  { title: m.state, cell: ({ state }) => state },
  { title: m.at, cell: ({ attempts }) => csvTime(attempts.at(-1)?.at) },
  { title: m.status, cell: ({ attempts }) => attempts.at(-1)?.status },
  { title: m.attempts, cell: ({ attempts }) => attempts.length },
  { title: m.nextAttempt, cell: (delivery) => csvTime(delivery.next_attempt_at) },
  { title: m.id, cell: ({ id }) => id },
];

/** Columns of the history. @param describe says what happened @param nameOf names an author */
export const eventColumns = (
  describe: (event: Api<'ListedEvent'>) => string,
  nameOf: (event: Api<'ListedEvent'>) => string,
): readonly CsvColumn<Api<'ListedEvent'>>[] => [
  { title: m.at, cell: ({ at }) => csvTime(at) },
  { title: m.what, cell: describe },
  { title: m.actor, cell: nameOf },
  { title: m.event, cell: ({ type }) => type },
  { title: m.thing, cell: ({ aggregate }) => aggregate },
  { title: m.thingId, cell: (event) => event.aggregate_id },
  { title: m.data, cell: ({ data }) => JSON.stringify(data) },
  { title: m.ip, cell: ({ ip }) => ip },
  { title: m.id, cell: ({ id }) => id },
];

/** Columns of keys. @param may says what a key may do @param nameOf names an endpoint */
export const keyColumns = (
  may: (key: Api<'Key'>) => string,
  nameOf: (endpointId: string) => string,
): readonly CsvColumn<Api<'Key'>>[] => [
  { title: m.name, cell: ({ name }) => name },
  { title: m.may, cell: may },
  { title: m.endpoints, cell: ({ endpoint_ids: ids }) => (ids === null ? m.all : ids.map(nameOf).join(', ')) },
  { title: m.lastUsed, cell: (key) => csvTime(key.last_used?.at) },
  { title: m.ip, cell: (key) => key.last_used?.ip },
  { title: m.created, cell: (key) => csvTime(key.created_at) },
  { title: m.expires, cell: (key) => csvTime(key.expires_at) },
  { title: m.id, cell: ({ id }) => id },
];
