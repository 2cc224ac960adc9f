import type { QueryConfig } from 'pg';
import type { Instant } from '../../kernel/clock.js';
import { boundedList, IS_CUT, SHOWN_BYTES } from '../list-bounds.js';
import { SCHEDULE } from '../publish-schedule/publish-schedule.tables.js';
import { DECIDED_BY, INDEXED_TRACE_ID, postRows, POSTS, type PublicationViewState } from './posts.tables.js';
import { wordCondition, type WordSearch } from './search-posts.sql.js';

/** Post filter. An absent field or a null owner matches all posts. */
export interface PostFilter {
  readonly ownerId: string | null;
  readonly endpointId?: string | undefined;
  /** The only endpoints whose posts a limited key sees (D-93); null for all. */
  readonly endpointIds?: readonly string[] | null;
  readonly externalId?: string | undefined;
  readonly traceId?: string | undefined;
  /** With these words. */
  readonly words?: WordSearch | undefined;
  /** Posted, approved or rejected by this actor. */
  readonly by?: string | undefined;
  /** Accepted at this time or later. */
  readonly since?: Instant | undefined;
  /** Accepted before this time. */
  readonly until?: Instant | undefined;
  /** With a publication on this channel. */
  readonly channelId?: string | undefined;
  /** With a publication of this project. */
  readonly projectId?: string | undefined;
  /** With a publication in this state. The same publication must match channel, project and state. */
  readonly state?: PublicationViewState | undefined;
  /** True to select only posts that are waiting for approval. */
  readonly isPending?: boolean | undefined;
  /** `publish_at` lists posts in calendar order (D-65). Default: newest first. */
  readonly order?: 'publish_at' | undefined;
}

/** A page of a post list. */
export interface PostRange {
  /** The last post of the previous page: its id or, in a calendar, its calendar key. Null for the first page. */
  readonly before: string | null;
  /** The last post that may be listed, in the form of `before`. Default: no limit. */
  readonly last?: string | null;
  readonly limit: number;
  /**
   * SQL: the number of bytes that a post `p` adds to a page. Default: includes the part of its payload that is shown.
   */
  readonly bytes?: string;
}

/** SQL for a post's publications, in the order defined by D-57. */
export const PUBLICATIONS = `coalesce((
  select json_agg(x order by x.place) from ${POSTS}.publication x where x.post_id = p.post_id), '[]')`;

/** Approximate sizes of a post and a publication in a response, in bytes. */
const POST_BYTES = 1_000;
const PUBLICATION_BYTES = 1_000;
/**
 * Size, in bytes, that a payload stored in parts counts as. Such payloads must be read and parsed, so this limits a
 * page to four of them.
 */
const BYTES_IN_PARTS = 1_000_000;

/** Maximum size of metadata that is read together with the list rows, in bytes. Larger metadata is read afterwards. */
export const INLINE_BYTES = 2_048;
/** SQL: the fields of a listed post, without its metadata. */
const SHOWN_COLUMNS = postRows.columns
  .filter((column) => column !== 'metadata')
  .map((column) => `'${column}', p.${column}`)
  .join(', ');

/** SQL: the size in bytes of a post `p` in a response that includes none of its payload. */
export const STATUS_BYTES = `${POST_BYTES}
  + ${PUBLICATION_BYTES} * (select count(*) from ${POSTS}.publication x where x.post_id = p.post_id)`;
/** SQL: the size in bytes of a post `p` in a response that includes its metadata and the beginning of its text. */
export const BYTES = `${STATUS_BYTES} + case when p.in_parts then ${BYTES_IN_PARTS}
  when octet_length(p.metadata) <= ${SHOWN_BYTES} then octet_length(p.metadata) else 0 end`;

/**
 * Maximum difference, in ms, between the time in a post's id and its acceptance time. They are milliseconds apart
 * unless the system clock is adjusted in between, so ids only narrow the search and `accepted_at` decides.
 */
export const ID_TOLERANCE_MS = 3_600_000;

/** Returns a statement that lists posts, newest first. Unneeded conditions are omitted so that it can use an index. */
export const listStatement = (filter: PostFilter, range: PostRange): QueryConfig => {
  const { since, until } = filter;
  const { limit, bytes = BYTES } = range;
  const values: unknown[] = [limit];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const ofPost: string[] = ['true', ...postConditions(filter, bind)];
  if (since !== undefined) ofPost.push(`p.accepted_at >= ${bind(since)}`);
  if (until !== undefined) ofPost.push(`p.accepted_at < ${bind(until)}`);
  const ids = idConditions(filter, range, bind);
  const inRange = (alias: string): string[] => ids.map((condition) => `${alias}.post_id ${condition}`);
  const ofPublication = publicationConditions(filter, bind);
  const matching = `x.post_id from ${POSTS}.publication x where ${[...ofPublication, ...inRange('x')].join(' and ')}`;
  const isFromPublications = isSettledOnChannel(filter);
  if (ofPublication.length > 0 && !isFromPublications) ofPost.push(`p.post_id in (select ${matching})`);
  const posts = isFromPublications
    ? `(select distinct ${matching}) f
       cross join lateral (select * from ${POSTS}.post p where p.post_id = f.post_id and ${ofPost.join(' and ')} offset 0) p`
    : `${POSTS}.post p where ${[...ofPost, ...inRange('p')].join(' and ')}`;
  const order = isFromPublications ? 'f.post_id' : 'p.post_id';
  const select = `select p.*, ${bytes} as bytes from ${posts} order by ${order} desc limit $1`;
  const text = `${boundedList(select, 'post_id desc')}
    select ${selectShown}, ${IS_CUT} from shown p order by p.post_id desc`;
  return { text, values };
};

/** Returns the conditions on the ids of posts, and so of their publications, that are in a range and accepted in time. */
const idConditions = (
  { since, until }: PostFilter,
  { before, last = null }: PostRange,
  bind: (value: unknown) => string,
): string[] => {
  const conditions: string[] = [];
  if (before !== null) conditions.push(`< ${bind(before)}`);
  if (last !== null) conditions.push(`>= ${bind(last)}`);
  if (since !== undefined) conditions.push(`>= ${bind(firstIdAt(since - ID_TOLERANCE_MS))}`);
  if (until !== undefined) conditions.push(`< ${bind(firstIdAt(until + ID_TOLERANCE_MS))}`);
  return conditions;
};

/**
 * Returns a statement that finds the last of a number of posts, in the order of a list and whether they match its filter
 * or not: the `key` of the last post that may be looked at. No row if there are fewer posts.
 */
export const lastStatement = (filter: PostFilter, range: PostRange, count: number): QueryConfig => {
  const values: unknown[] = [count - 1];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const isCalendar = filter.order === 'publish_at';
  const conditions = isCalendar
    ? calendarConditions(filter, range, bind)
    : ['true', ...idConditions(filter, range, bind).map((condition) => `p.post_id ${condition}`)];
  if (filter.ownerId !== null) conditions.push(`p.owner_id = ${bind(filter.ownerId)}`);
  if (filter.endpointId !== undefined) conditions.push(`p.endpoint_id = ${bind(filter.endpointId)}`);
  const [key, order] = isCalendar
    ? [`coalesce(p.publish_at::text, '') || '/' || p.post_id`, 'p.publish_at, p.post_id']
    : ['p.post_id', 'p.post_id desc'];
  const text = `
    select ${key} as key from ${POSTS}.post p where ${conditions.join(' and ')} order by ${order} offset $1 limit 1`;
  return { text, values };
};

/** SQL: the columns of a listed post `p`. */
export const selectShown = `jsonb_build_object(${SHOWN_COLUMNS},
    'metadata', case when octet_length(p.metadata) <= ${INLINE_BYTES} then p.metadata end,
    'metadata_bytes', coalesce(octet_length(p.metadata), 0)) as post,
  ${PUBLICATIONS} as publications`;

/** Returns the conditions on a post `p`, except for its time. */
export const postConditions = (
  { ownerId, endpointId, endpointIds = null, externalId, traceId, isPending, words, by }: PostFilter,
  bind: (value: unknown) => string,
): string[] => {
  const conditions: string[] = [];
  if (words !== undefined) conditions.push(wordCondition(words, bind));
  if (by !== undefined) conditions.push(actorCondition(by, bind));
  if (ownerId !== null) conditions.push(`p.owner_id = ${bind(ownerId)}`);
  if (endpointId !== undefined) conditions.push(`p.endpoint_id = ${bind(endpointId)}`);
  if (endpointIds !== null) conditions.push(`p.endpoint_id = any(${bind(endpointIds)}::text[])`);
  if (isPending) conditions.push('p.pending_since is not null');
  if (externalId !== undefined) conditions.push(`p.external_id = ${bind(externalId)}`);
  if (traceId !== undefined) {
    const sent = bind(traceId);
    conditions.push(
      `${INDEXED_TRACE_ID('p.trace_id')} = ${INDEXED_TRACE_ID(`${sent}::text`)} and p.trace_id = ${sent}`,
    );
  }
  return conditions;
};

/** Endpoints post and decide nothing; people do both, and an index has what they did. */
const actorCondition = (by: string, bind: (value: unknown) => string): string => {
  const actor = bind(by);
  if (by.startsWith('endpoint:'))
    return `p.posted_by = ${actor} and p.endpoint_id = ${bind(by.slice('endpoint:'.length))}`;
  const hasPosted = `p.posted_by not like 'endpoint:%' and p.posted_by = ${actor}`;
  return `(${hasPosted} or p.approval is not null and ${DECIDED_BY('p.')} = ${actor})`;
};

/** Returns the conditions on a publication `x`. */
export const publicationConditions = (
  { channelId, projectId, state }: PostFilter,
  bind: (value: unknown) => string,
): string[] => {
  const conditions: string[] = [];
  const channel = channelId === undefined ? null : bind(channelId);
  if (channel !== null) conditions.push(`x.channel_id = ${channel}`);
  if (projectId !== undefined) conditions.push(`x.project_id = ${bind(projectId)}`);
  if (state !== undefined) conditions.push(stateCondition(state, bind(state), channel));
  return conditions;
};

/** Returns the smallest post id that {@link newId} can create in the given millisecond. */
export const firstIdAt = (at: Instant): string => `post_${Math.max(0, at).toString(16).padStart(12, '0').slice(-12)}`;

/** States of publications for which `settled` is null. */
const UNSETTLED: readonly PublicationViewState[] = ['queued', 'publishing', 'published'];

/**
 * True for a list of one channel's posts in a state that few of them have. It begins at these publications, one after
 * another: PostgreSQL takes the states for evenly spread, and would go through the posts of a year to find failures of
 * long ago (ADR-117).
 */
const isSettledOnChannel = ({ channelId, state, words, by, externalId, traceId }: PostFilter): boolean =>
  channelId !== undefined &&
  state !== undefined &&
  !UNSETTLED.includes(state) &&
  [words, by, externalId, traceId].every((other) => other === undefined);

/**
 * SQL that selects the waiting publications, using the conditions of the schedule's two partial indexes.
 * @param channel SQL: the id of their channel; null for all
 */
const selectWaiting = (channel: string | null): string => {
  const ofChannel = channel === null ? '' : `and channel_id = ${channel}`;
  return `
  select publication_id from ${SCHEDULE}.publication where waits and project_pause_id is null ${ofChannel}
  union all select publication_id from ${SCHEDULE}.publication where project_pause_id is not null ${ofChannel}`;
};

/**
 * Returns a condition for publications in a state, in a form that can use an index. Publications that are queued or
 * being published are found through the schedule, which contains few others.
 */
const stateCondition = (state: PublicationViewState, parameter: string, channel: string | null): string => {
  if (!UNSETTLED.includes(state)) return `x.settled = ${parameter}`;
  if (state === 'published') return `x.state = ${parameter}`;
  return `x.state = ${parameter} and x.publication_id in (${selectWaiting(channel)})`;
};

/**
 * Returns a statement that lists posts by `publish_at`, earliest first. Posts that are waiting for approval and have no
 * time come last. `since` (inclusive) and `until` (exclusive) apply to `publish_at` (D-65).
 */
export const calendarStatement = (filter: PostFilter, range: PostRange): QueryConfig => {
  const { limit, bytes = BYTES } = range;
  const values: unknown[] = [limit];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [...calendarConditions(filter, range, bind), ...postConditions(filter, bind)];
  if (filter.state === 'planned') conditions.push('p.is_planned');
  const ofPublication = publicationConditions(filter, bind);
  if (ofPublication.length > 0)
    conditions.push(`exists (
      select from ${POSTS}.publication x where x.post_id = p.post_id and ${ofPublication.join(' and ')})`);
  const select = `
    select p.*, ${bytes} as bytes from ${POSTS}.post p
    where ${conditions.join(' and ')} order by p.publish_at, p.post_id limit $1`;
  const text = `${boundedList(select, 'publish_at, l.post_id')}
    select ${selectShown}, ${IS_CUT} from shown p order by p.publish_at, p.post_id`;
  return { text, values };
};

/** Returns the conditions on the place of a post in a calendar. */
const calendarConditions = (
  { since, until }: PostFilter,
  { before: after, last = null }: PostRange,
  bind: (value: unknown) => string,
): string[] => {
  const conditions = ['(p.publish_at is not null or p.is_planned)'];
  if (since !== undefined) conditions.push(`p.publish_at >= ${bind(since)}`);
  if (until !== undefined) conditions.push(`p.publish_at < ${bind(until)}`);
  if (after !== null) {
    const [publishAt, id] = after.split('/') as [string, string];
    if (publishAt === '') conditions.push(`p.publish_at is null and p.post_id > ${bind(id)}`);
    else
      conditions.push(
        `(p.publish_at is null or (p.publish_at, p.post_id) > (${bind(publishAt)}::bigint, ${bind(id)}))`,
      );
  }
  if (last !== null) {
    const [publishAt, id] = last.split('/') as [string, string];
    if (publishAt === '') conditions.push(`(p.publish_at is not null or p.post_id <= ${bind(id)})`);
    else conditions.push(`(p.publish_at, p.post_id) <= (${bind(publishAt)}::bigint, ${bind(id)})`);
  }
  return conditions;
};
