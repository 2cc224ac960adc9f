import {
  isPlanned,
  type PlannedPostEvent,
  type PlannedPublicationsCancelled,
  type PostAccepted,
  type PostEdited,
  type PostRejected,
  type PostRescheduled,
  type PostRevised,
  type Target,
} from '../../domain/post/post.events.js';
import type { PublicationWithdrawalRequested } from '../../domain/publication/publication.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { countMedia, excerptOfPost } from '../../payload/excerpt.js';
import { wordsOfPost } from '../../payload/search-words.js';
import { otherMonth } from '../engine/erased-content.js';
import type { Rows } from '../engine/rows.js';
import type { PostApproval, PostRow, PostWordRow, PublicationRow, RowWithdrawal, SequenceRow } from './posts.tables.js';

/** Rows of the posts and publications in a batch. */
export interface PostRows {
  readonly posts: Rows<PostRow>;
  readonly words: Rows<PostWordRow>;
  readonly publications: Rows<PublicationRow>;
  readonly planned: PlannedPublications;
  readonly sequences: Rows<SequenceRow>;
}

/** Planned publications of the posts that a batch releases, because a release does not list them. */
export class PlannedPublications {
  private readonly idsOf: ReadonlyMap<string, Set<string>>;

  /** @param postIds the posts that the batch releases */
  constructor(postIds: readonly string[]) {
    this.idsOf = new Map(postIds.map((id) => [id, new Set()]));
  }

  /** @returns false if the batch does not release the publication */
  add({ post_id, publication_id, state }: PublicationRow): boolean {
    return state === 'planned' && this.idsOf.get(post_id)?.add(publication_id) !== undefined;
  }

  /** Lists all publications that a post has had; those that were dropped or cancelled since are no longer planned. */
  list(postId: string): Iterable<string> {
    return this.idsOf.get(postId) ?? [];
  }
}

/** Adds an accepted post. Its publications are queued, or planned until the release. */
export const addPost = (event: RecordedEvent<PostAccepted>, rows: PostRows): void => {
  const { postId, endpointId, ownerId, externalId, traceId, acceptedAt, targets, plan } = event.data;
  const planned = isPlanned(event.data);
  const revision = String(event.revision);
  rows.posts.put({
    post_id: postId,
    endpoint_id: endpointId,
    owner_id: ownerId,
    stream: event.stream,
    revision,
    accepted_at: acceptedAt,
    posted_by: event.actor,
    external_id: externalId,
    trace_id: traceId,
    ...summarise(event.data),
    content_revision: revision,
    content_month: otherMonth(event, acceptedAt),
    content_erased: isErased(event.data),
    publish_at: plan?.publishAt ?? null,
    released_at: planned ? null : acceptedAt,
    is_planned: planned,
    approval: plan?.requiresApproval ? PENDING : null,
    pending_since: null,
    plan_event: event.id,
    version: 1,
    released_stream_revision: planned ? null : revision,
  });
  putWords({ postId, ownerId }, event.data.payload, rows);
  for (const [place, target] of targets.entries())
    putPublication(newPublication(target, place, { postId, ownerId }, planned ? null : takeNumber(target, rows)), rows);
};

const putPublication = (row: PublicationRow, { publications, planned }: PostRows): void =>
  void planned.add(publications.put(row));

/** Lists the publications that a planned post's event names. */
export const listPublicationIds = (event: RecordedEventOf<PlannedPostEvent>): readonly string[] => {
  switch (event.type) {
    case 'PostRevised':
      return [...event.data.targets.map(({ publicationId }) => publicationId), ...event.data.droppedIds];
    case 'PostRejected':
    case 'PlannedPublicationsCancelled':
      return event.data.publicationIds;
    case 'PostWithdrawn':
      return event.data.wasPlanned ? event.data.publicationIds : [];
    default:
      return [];
  }
};

/** Applies an event of a planned post. */
export const changePlannedPost = (event: RecordedEventOf<PlannedPostEvent>, rows: PostRows): void => {
  const { postId } = event.data;
  const { posts, publications } = rows;
  const post = posts.get(postId);
  if (!post) return;
  switch (event.type) {
    case 'PostReleased': {
      const { at } = event.data;
      const content_revision = String(event.revision);
      const released = { released_at: at, released_stream_revision: content_revision };
      posts.patch(postId, { ...released, is_planned: false, content_revision });
      for (const id of rows.planned.list(postId)) {
        const row = publications.get(id);
        if (row?.state === 'planned')
          publications.put({
            ...row,
            state: 'queued',
            sequence: takeNumber({ channelId: row.channel_id }, rows),
            content_version: post.version,
          });
      }
      return;
    }
    case 'PostRescheduled':
      posts.patch(postId, { publish_at: event.data.publishAt, ...changeOf(event) });
      return;
    case 'PostRevised':
      return revisePost(event, rows);
    case 'PostApprovalRequested':
      posts.patch(postId, { pending_since: event.data.at });
      return;
    case 'PostApproved': {
      const approval = approvalOf('approved', event, event.data.note);
      posts.patch(postId, { approval, pending_since: null, plan_event: event.id });
      return;
    }
    case 'PostRejected':
      posts.patch(postId, { approval: approvalOf('rejected', event, event.data.reason) });
      return dismiss(event, [{ code: 'rejected', message: event.data.reason ?? '' }], rows);
    case 'PlannedPublicationsCancelled':
      return dismiss(event, [], rows);
    case 'PostWithdrawn': {
      const { at, reason, publicationIds, wasPlanned } = event.data;
      const withdrawal = { ...newWithdrawal(event, { requestedAt: at, by: event.actor, reason }), ended_at: at };
      if (wasPlanned) for (const id of publicationIds) publications.patch(id, { withdrawal });
      return;
    }
    case 'PostEdited': {
      const { traceId, revision: version } = event.data;
      posts.patch(postId, { trace_id: traceId, version, ...contentOf(event, post), ...summarise(event.data) });
      putWords({ postId, ownerId: post.owner_id }, event.data.payload, rows);
      return;
    }
  }
};

const revisePost = (event: RecordedEvent<PostRevised>, rows: PostRows): void => {
  const { posts, publications } = rows;
  const { postId, ownerId, traceId, targets, droppedIds, publishAt } = event.data;
  const content = { trace_id: traceId, publish_at: publishAt, ...contentOf(event, posts.get(postId)!) };
  posts.patch(postId, { ...content, ...summarise(event.data), ...changeOf(event) });
  putWords({ postId, ownerId }, event.data.payload, rows);
  for (const id of droppedIds) publications.remove(id);
  for (const [place, target] of targets.entries()) {
    const known = publications.patch(target.publicationId, { place, project_id: target.projectId });
    if (!known) putPublication(newPublication(target, place, { postId, ownerId }, null), rows);
  }
};

/** Returns the columns that locate new content. */
const contentOf = (event: RecordedEvent<PostRevised | PostEdited>, { accepted_at }: PostRow) => ({
  content_revision: String(event.revision),
  content_month: otherMonth(event, accepted_at),
  content_erased: isErased(event.data),
});

/** True if the content was erased before this program read the event (D-100). */
const isErased = ({ payload, parts }: Pick<PostAccepted['data'], 'payload' | 'parts'>): boolean =>
  payload === null && parts === null;

/** Returns a take-back that has just begun. */
export const newWithdrawal = (
  event: RecordedEvent,
  { requestedAt, by, reason }: Pick<PublicationWithdrawalRequested['data'], 'requestedAt' | 'by' | 'reason'>,
  deleted: readonly string[] = [],
): RowWithdrawal => ({
  ...monthOfContent(event, requestedAt),
  requested_at: requestedAt,
  by,
  reason,
  attempts: 0,
  deleted,
  waiting: null,
  error: null,
  ended_at: null,
});

/** Returns the member of a JSON column with the month of its content, if it is needed. */
export const monthOfContent = (event: RecordedEvent, known: Instant): { readonly month?: string } => {
  const month = otherMonth(event, known);
  return month === null ? {} : { month };
};

/** @param warnings the reason, if one was given */
const dismiss = (
  event: RecordedEvent<PlannedPublicationsCancelled | PostRejected>,
  warnings: PublicationRow['warnings'],
  { posts, publications }: PostRows,
): void => {
  const { postId, publicationIds, isLast } = event.data;
  const warnings_month = otherMonth(event, null);
  for (const id of publicationIds) publications.patch(id, { state: 'dismissed', warnings, warnings_month });
  if (isLast) posts.patch(postId, { is_planned: false, pending_since: null });
};

const newPublication = (
  { publicationId, channelId, platform, projectId }: Target,
  place: number,
  { postId, ownerId }: { readonly postId: string; readonly ownerId: string },
  sequence: number | null,
): PublicationRow => ({
  publication_id: publicationId,
  post_id: postId,
  owner_id: ownerId,
  channel_id: channelId,
  project_id: projectId,
  platform,
  sequence,
  place,
  state: sequence === null ? 'planned' : 'queued',
  attempts: [],
  message_ids: [],
  urls: [],
  warnings: [],
  warnings_month: null,
  published_at: null,
  duplicates: [],
  duplicate_since: null,
  withdrawal: null,
  content_version: sequence === null ? null : 1,
  edited_at: null,
  edit: null,
  edit_failed_since: null,
  is_pinned: null,
});

/** Assigns the next sequence number of a channel (D-37). */
const takeNumber = ({ channelId }: Pick<Target, 'channelId'>, { sequences }: PostRows): number => {
  const sequence = (sequences.get(channelId)?.last ?? 0) + 1;
  sequences.put({ channel_id: channelId, last: sequence });
  return sequence;
};

/** Returns the columns that summarise a payload. The payload is null if it is stored in parts, or erased. */
const summarise = ({ payload, parts }: Pick<PostAccepted['data'], 'payload' | 'parts'>) => ({
  metadata: payload?.metadata ? JSON.stringify(payload.metadata) : null,
  in_parts: parts !== null,
  excerpt: excerptOfPost(payload),
  media_count: payload === null ? null : countMedia(payload),
});

/** Keeps the words that a post is found by, in place of those of its former content. */
const putWords = (
  { postId, ownerId }: { readonly postId: string; readonly ownerId: string },
  payload: PostAccepted['data']['payload'],
  { words }: PostRows,
): void => void words.put({ post_id: postId, words: [ownerId, ...wordsOfPost(payload)].join(' ') });

const PENDING = JSON.stringify({ state: 'pending', by: null, at: null, note: null } satisfies PostApproval);

const approvalOf = (state: PostApproval['state'], { actor, at }: RecordedEvent, note: string | null): string =>
  JSON.stringify({ state, by: actor, at, note } satisfies PostApproval);

const changeOf = ({ id, data: { revision, needsApproval } }: RecordedEvent<PostRescheduled | PostRevised>) => {
  const change = { version: revision, plan_event: id };
  return needsApproval ? { ...change, approval: PENDING } : change;
};
